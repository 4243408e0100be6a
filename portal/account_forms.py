"""Forms of the account: how long things are kept, closing, the invoice's address, first steps."""

from typing import Any

from flask_babel import lazy_gettext as _
from wtforms import DateField, IntegerField, PasswordField, StringField, TextAreaField
from wtforms.validators import Length, Optional

from portal.forms import Between, Form, needed
from tenants.keeping import LEAST, MOST


def _days(kind: str, label: Any) -> IntegerField:
    return IntegerField(
        label,
        [Optional(), Between(LEAST[kind], MOST, _("From %(min)s to %(max)s days."))],
    )


class KeepingForm(Form):
    message_days = _days("message_days", _("Texts of messages, in days"))
    media_days = _days("media_days", _("Pictures and files, in days"))
    call_days = _days("call_days", _("The request log, in days"))
    hook_days = _days("hook_days", _("Received hooks and sent events, in days"))


class ClosingForm(Form):
    name = StringField(_("The name of the business"), [needed(), Length(max=200)])
    password = PasswordField(_("Your password"), [needed(), Length(max=1000)])


class InvoiceForm(Form):
    billing_name = StringField(_("Name"), [Optional(), Length(max=200)])
    billing_address = TextAreaField(_("Address"), [Optional(), Length(max=500)])
    billing_tax_number = StringField(_("Tax number"), [Optional(), Length(max=60)])


class CorrectionForm(InvoiceForm):
    begins = DateField(_("First day"), [needed()])
    ends = DateField(_("Last day"), [needed()])
