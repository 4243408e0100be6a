"""Forms of the pages for stores, forms and automations."""

from flask_babel import lazy_gettext as _
from wtforms import (
    PasswordField,
    RadioField,
    SelectField,
    StringField,
)
from wtforms.validators import Length, Optional

from portal.web.choices import countries
from portal.web.forms import Form, required
from webhooks.stores.form_fields import FIELD_ROLES
from webhooks.stores.registry import PLATFORMS


def _platform_codes() -> list[tuple[str, str]]:
    return [(code, code) for code in PLATFORMS]


class NewConnectionForm(Form):
    kind = RadioField(_("What do you want to connect?"), [required()], choices=_platform_codes)
    name = StringField(_("Name"), [required(), Length(max=120)])
    country = SelectField(_("Country for numbers without a country code"), choices=countries)


class ConnectionForm(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])
    country = SelectField(_("Country for numbers without a country code"), choices=countries)


class SecretForm(Form):
    secret = PasswordField(_("Secret"), [Length(max=200)])


class StoreApiForm(Form):
    url = StringField(_("Address of the store"), [Length(max=200)])
    key = PasswordField(_("Access token or consumer key"), [Length(max=200)])
    secret = PasswordField(_("Consumer secret"), [Length(max=200)])


class MappingForm(Form):
    phone = SelectField(_("Phone number"), [Optional()])
    name = SelectField(_("Name"), [Optional()])
    email = SelectField(_("E-mail"), [Optional()])
    consent = SelectField(_("Marketing consent"), [Optional()])
    text = SelectField(_("Message"), [Optional()])

    def offer(self, fields: list[tuple[str, str]]) -> None:
        for role in FIELD_ROLES:
            self[role].choices = [("", _("– not in this form –")), *fields]
