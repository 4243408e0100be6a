"""Forms of the line pages."""

from decimal import Decimal
from typing import Any

from flask_babel import lazy_gettext as _
from wtforms import (
    DecimalField,
    PasswordField,
    SelectField,
    StringField,
)
from wtforms.validators import Length, NumberRange, Optional, Regexp
from wtforms.widgets import PasswordInput

from portal.web.forms import Form, line_id_or_none, required, strip_text


def _network_id() -> Regexp:
    return Regexp(r"\d{5,32}\Z", message=_("Enter digits only, as shown by WhatsApp."))


def _secret(label: str, *validators: Any) -> PasswordField:
    """A password field that keeps its value, so a checked token need not be pasted again."""
    widget = PasswordInput(hide_value=False)
    return PasswordField(label, [*validators], filters=[strip_text], widget=widget)


class LineAccessForm(Form):
    token = _secret(_("Access token"), required(), Length(max=2000))
    app_secret = _secret(_("App secret"), Optional(), Length(max=200))


class NewLineForm(LineAccessForm):
    name = StringField(_("Name"), [required(), Length(max=120)])
    phone = StringField(_("Phone number"), [required(), Length(max=40)])
    phone_number_id = StringField(
        _("Phone number ID"), [required(), _network_id()], filters=[strip_text]
    )
    account_id = StringField(
        _("Business account ID"), [Optional(), _network_id()], filters=[strip_text]
    )
    app_secret = _secret(_("App secret"), required(), Length(max=200))


class NewLinkedLineForm(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])


class PhoneForm(Form):
    phone = StringField(_("Phone number"), [required(), Length(max=40)])


class LineForm(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])
    per_second = DecimalField(
        _("Messages per second"),
        [required(), NumberRange(Decimal("0.1"), 1000, _("Enter a number from 0.1 to 1000."))],
        places=None,
    )
    account_id = StringField(
        _("Business account ID"), [Optional(), _network_id()], filters=[strip_text]
    )
    fallback = SelectField(_("Backup line"), [Optional()], coerce=line_id_or_none)

    def offer_lines(self, lines: list[tuple[int, str]]) -> None:
        self.fallback.choices = [("", _("None: messages wait")), *lines]
