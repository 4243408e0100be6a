"""Forms to sign in, sign up and reset a password."""

from flask_babel import lazy_gettext as _
from wtforms import (
    HiddenField,
    PasswordField,
    StringField,
)
from wtforms.validators import Length

from core.clock import time_zones
from portal.web.forms import Form, required


class SignInForm(Form):
    email = StringField(_("E-mail"), [required(), Length(max=254)])
    password = PasswordField(_("Password"), [required(), Length(max=1000)])
    next = HiddenField()


class SignUpForm(Form):
    business = StringField(_("Business"), [required(), Length(max=120)])
    name = StringField(_("Your name"), [required(), Length(max=120)])
    email = StringField(_("E-mail"), [required(), Length(max=254)])
    password = PasswordField(
        _("Password"), [required(), Length(max=256)], description=_("At least 10 characters.")
    )
    time_zone = HiddenField()

    def zone(self) -> str:
        time_zone = self.time_zone.data or ""
        return time_zone if time_zone in time_zones() else "UTC"


class CodeForm(Form):
    code = StringField(_("Code"), [required(), Length(max=20)])


class EmailForm(Form):
    email = StringField(_("E-mail"), [required(), Length(max=254)])


class NewPasswordForm(Form):
    password = PasswordField(
        _("New password"), [required(), Length(max=256)], description=_("At least 10 characters.")
    )


class JoinForm(Form):
    name = StringField(_("Your name"), [required(), Length(max=120)])
    password = PasswordField(
        _("Password"), [required(), Length(max=256)], description=_("At least 10 characters.")
    )
