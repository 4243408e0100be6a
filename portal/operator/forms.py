"""Forms of the operator console."""

from flask_babel import gettext
from flask_babel import lazy_gettext as _
from wtforms import (
    DateField,
    DecimalField,
    IntegerField,
    SelectField,
)
from wtforms.validators import Optional

from messaging.lines.drivers.registry import DRIVERS
from portal.web.forms import Form, InRange, required


class LimitsForm(Form):
    plan = SelectField(_("Plan"), [required()])
    rate_per_second = IntegerField(_("Requests per second"), [Optional(), InRange(1, 100_000)])
    burst = IntegerField(_("Burst"), [Optional(), InRange(1, 1_000_000)])
    monthly_messages = IntegerField(_("Messages a month"), [Optional(), InRange(0, 2**31 - 1)])
    spend_cap_usd = DecimalField(
        _("Spend cap in USD"), [Optional(), InRange(0, 10_000_000)], places=2
    )
    paid_until = DateField(_("Paid until"), [Optional()])


def _line_kinds() -> list[tuple[str, str]]:
    return [(code, str(gettext(driver.title))) for code, driver in DRIVERS.items()]


class RateForm(Form):
    kind = SelectField(_("Kind"), [required()], choices=_line_kinds)
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
