"""Forms of the pages for stores, forms and automations."""

from typing import Any

from flask_babel import lazy_gettext as _
from wtforms import (
    BooleanField,
    IntegerField,
    PasswordField,
    RadioField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.validators import Length, Optional

from portal.choices import countries
from portal.forms import Between, Form, needed
from webhooks.stores import KINDS
from webhooks.stores.mapping import ROLES

UNITS = {"minutes": 1, "hours": 60, "days": 24 * 60}


class NewConnectionForm(Form):
    kind = RadioField(
        _("What do you want to connect?"), [needed()], choices=[(k, k) for k in KINDS]
    )
    name = StringField(_("Name"), [needed(), Length(max=120)])
    country = SelectField(_("Country of phone numbers"), choices=countries)


class ConnectionForm(Form):
    name = StringField(_("Name"), [needed(), Length(max=120)])
    country = SelectField(_("Country of phone numbers"), choices=countries)


class SecretForm(Form):
    secret = PasswordField(_("Secret"), [Length(max=200)])


class MappingForm(Form):
    phone = SelectField(_("Phone number"), [Optional()])
    name = SelectField(_("Name"), [Optional()])
    email = SelectField(_("E-mail"), [Optional()])
    consent = SelectField(_("Consent"), [Optional()])
    text = SelectField(_("Message"), [Optional()])

    def offer(self, fields: list[tuple[str, str]]) -> None:
        for role in ROLES:
            self[role].choices = [("", _("– not in this form –")), *fields]


class AutomationForm(Form):
    name = StringField(_("Name"), [needed(), Length(max=120)])
    connection_id = SelectField(_("Connection"), [Optional()])
    line_id = SelectField(_("Line"), [Optional()])
    to_phone = StringField(_("Number that is told"), [Length(max=40)])
    delay = IntegerField(_("Delay"), [Optional(), Between(0, 60 * 24 * 30, _("At most 30 days."))])
    unit = SelectField(
        _("Unit"),
        choices=[("minutes", _("minutes")), ("hours", _("hours")), ("days", _("days"))],
    )
    paid = BooleanField(_("Only orders that are paid"))
    tracking = BooleanField(_("Only with a tracking number or link"))
    consent = BooleanField(_("Only customers who agreed to such messages"))
    at_least = StringField(_("Only from this total on"), [Length(max=20)])
    countries = StringField(_("Only to these countries"), [Length(max=300)])
    says = RadioField(
        _("Message"),
        choices=[("text", _("Text")), ("template", _("Approved template"))],
        default="text",
    )
    text = TextAreaField(_("Text"), [Length(max=5000)])
    template_name = StringField(_("Template"), [Length(max=512)])
    template_language = StringField(_("Language of the template"), [Length(max=15)])
    parameters = TextAreaField(_("Values of the template, one a line"), [Length(max=5000)])

    def offer(self, connections: list[Any], lines: list[Any]) -> None:
        self.connection_id.choices = [
            ("", _("All connections")),
            *((one.id, one.name) for one in connections),
        ]
        self.line_id.choices = [
            ("", _("The default line")),
            *((str(one.id), one.name) for one in lines),
        ]


def in_units(minutes: int) -> tuple[int, str]:
    """90 → 90 minutes, 120 → 2 hours."""
    for unit in ("days", "hours"):
        if minutes and minutes % UNITS[unit] == 0:
            return minutes // UNITS[unit], unit
    return minutes, "minutes"
