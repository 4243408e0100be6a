"""Forms of the account page."""

from flask_babel import lazy_gettext as _
from wtforms import (
    PasswordField,
    RadioField,
    SelectField,
    StringField,
)
from wtforms.validators import Length

from portal.web.choices import LANGUAGES, time_zone_choices
from portal.web.forms import Form, required


class ProfileForm(Form):
    name = StringField(_("Your name"), [required(), Length(max=120)])
    locale = SelectField(_("Language"), [required()], choices=LANGUAGES)
    time_zone = SelectField(_("Time zone"), [required()], choices=time_zone_choices)
    theme = RadioField(
        _("Appearance"),
        [required()],
        choices=[("auto", _("System")), ("light", _("Light")), ("dark", _("Dark"))],
    )


class PasswordForm(Form):
    current = PasswordField(_("Current password"), [required(), Length(max=1000)])
    password = PasswordField(
        _("New password"), [required(), Length(max=256)], description=_("At least 10 characters.")
    )


class ConfirmPasswordForm(Form):
    password = PasswordField(_("Your password"), [required(), Length(max=1000)])
