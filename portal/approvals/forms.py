"""The form of what an app may send."""

from flask_babel import lazy_gettext as _
from wtforms import BooleanField, DecimalField, IntegerField, RadioField
from wtforms.validators import InputRequired

from messaging.approvals.policies import MODES, MOST_HOURS, MOST_MESSAGES, MOST_USD, Policy
from portal.web.forms import Form, InRange, required


class PolicyForm(Form):
    mode = RadioField(_("Approval"), [required()], choices=[(mode, mode) for mode in MODES])
    only_who_wrote = BooleanField(_("Only to people who have written to you"))
    no_marketing = BooleanField(_("No marketing messages"))
    daily_messages = IntegerField(
        _("Messages per day"),
        [InputRequired(), InRange(0, MOST_MESSAGES, _("Enter a number from 0 to 10,000."))],
    )
    daily_usd = DecimalField(
        _("Spend cap per day (US$)"),
        [InputRequired(), InRange(0, MOST_USD, _("Enter a number from 0 to 10,000."))],
        places=2,
    )
    hold_hours = IntegerField(
        _("Expires after (hours)"),
        [InputRequired(), InRange(1, MOST_HOURS, _("Enter a number from 1 to 72."))],
    )

    def policy(self) -> Policy:
        return Policy(
            mode=str(self.mode.data),
            only_who_wrote=bool(self.only_who_wrote.data),
            no_marketing=bool(self.no_marketing.data),
            daily_messages=int(self.daily_messages.data or 0),
            daily_usd=self.daily_usd.data or Policy.daily_usd * 0,
            hold_hours=int(self.hold_hours.data or 1),
        )
