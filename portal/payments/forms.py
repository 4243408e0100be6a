"""Forms of the payment pages."""

from typing import Any

from flask_babel import lazy_gettext as _
from wtforms import (
    BooleanField,
    IntegerField,
    PasswordField,
    RadioField,
    SelectField,
    StringField,
)
from wtforms.validators import Length, Optional

from portal.web.forms import Form, InRange, required
from restaurant.payments.accounts import MAX_LINK_MINUTES, MIN_LINK_MINUTES


class LinkForm(Form):
    site_id = SelectField(_("Restaurant"), [required()])
    amount = StringField(_("Amount"), [required(), Length(max=20)])
    description = StringField(_("Description"), [required(), Length(max=120)])
    phone = StringField(_("Customer's phone"), [Optional(), Length(max=32)])
    name = StringField(_("Customer's name"), [Optional(), Length(max=120)])
    tell = BooleanField(_("Send it to the customer in the chat"))

    def offer(self, sites: list[Any]) -> None:
        self.site_id.choices = [(one.id, f"{one.name} · {one.currency}") for one in sites]


class _Account(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])
    site_id = SelectField(_("Restaurant"), [Optional()])
    key = PasswordField(_("Key"), [Length(max=300)])
    secret = PasswordField(_("Secret key"), [Length(max=300)])
    hook_secret = PasswordField(_("Signing secret"), [Length(max=300)])
    link_minutes = IntegerField(
        _("Payment links expire after (minutes)"),
        [
            required(),
            InRange(MIN_LINK_MINUTES, MAX_LINK_MINUTES, _("Enter a number from 30 to 1440.")),
        ],
    )

    def offer(self, sites: list[Any]) -> None:
        self.site_id.choices = [("", _("All restaurants")), *((one.id, one.name) for one in sites)]


class NewAccountForm(_Account):
    provider = RadioField(_("Provider"), [required()])

    def offer_providers(self, offered: list[str]) -> None:
        self.provider.choices = [(one, one) for one in offered]


class AccountForm(_Account):
    pass


class RefundForm(Form):
    amount = StringField(_("Amount"), [required(), Length(max=20)])
    reason = StringField(_("Reason"), [required(), Length(max=200)])


class KeepPaymentForm(Form):
    reason = StringField(_("Reason for keeping the payment"), [required(), Length(max=200)])
