"""Forms of the operator console."""

from flask_babel import gettext
from flask_babel import lazy_gettext as _
from wtforms import (
    DateField,
    DecimalField,
    IntegerField,
    SelectField,
    SelectMultipleField,
    StringField,
)
from wtforms.validators import InputRequired, Length, Optional

from messaging.lines.drivers.registry import DRIVERS
from portal.web.forms import Form, InRange, required


class PartnerForm(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])
    plans = SelectMultipleField(_("Plans"), choices=[])
    most_tenants = IntegerField(
        _("Maximum number of tenants"),
        [InputRequired(), InRange(1, 1_000_000, _("Enter a number from 1 to 1,000,000."))],
    )


class PartnerKeyForm(Form):
    key_name = StringField(_("Name"), [required(), Length(max=120)])


class LimitsForm(Form):
    plan = SelectField(_("Plan"), [required()])
    rate_per_second = IntegerField(_("Requests per second"), [Optional(), InRange(1, 100_000)])
    burst = IntegerField(_("Burst limit"), [Optional(), InRange(1, 1_000_000)])
    monthly_messages = IntegerField(_("Messages per month"), [Optional(), InRange(0, 2**31 - 1)])
    spend_cap_usd = DecimalField(
        _("Spend cap (USD)"), [Optional(), InRange(0, 10_000_000)], places=2
    )
    paid_until = DateField(_("Paid until"), [Optional()])


def _line_kinds() -> list[tuple[str, str]]:
    return [(code, str(gettext(driver.title))) for code, driver in DRIVERS.items()]


class RateForm(Form):
    kind = SelectField(_("Type"), [required()], choices=_line_kinds)
    category = SelectField(
        _("Category"),
        [required()],
        choices=[
            ("marketing", _("Marketing")),
            ("utility", _("Utility")),
            ("authentication", _("Authentication")),
            ("service", _("Service")),
        ],
    )
    since = DateField(_("Valid from"), [required()])
    usd = DecimalField(_("US dollars"), [required()], places=None)
    from_messages = IntegerField(
        _("From message number"), [Optional(), InRange(1, 1_000_000_000_000)]
    )
    source = StringField(_("Source"), [Optional(), Length(max=200)])


class AllowanceForm(Form):
    kind = SelectField(_("Type"), [required()], choices=_line_kinds)
    name = SelectField(
        _("Free"),
        [required()],
        choices=[
            ("service_messages", _("Service messages of a number each month")),
            ("entry_point_hours", _("Hours after a customer came from an ad")),
            (
                "utility_in_window",
                _("Utility messages in an open 24-hour window (1 free, 0 billed)"),
            ),
        ],
    )
    since = DateField(_("Valid from"), [required()])
    amount = IntegerField(_("Amount"), [InputRequired(), InRange(0, 1_000_000)])
    source = StringField(_("Source"), [Optional(), Length(max=200)])
