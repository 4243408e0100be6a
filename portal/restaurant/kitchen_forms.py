"""Forms about the kitchen of a restaurant: times, capacity, display and feedback."""

from typing import Any

from flask import request
from flask_babel import lazy_gettext as _
from wtforms import (
    BooleanField,
    HiddenField,
    IntegerField,
    SelectField,
    SelectMultipleField,
    StringField,
)
from wtforms.validators import Length, Optional

from portal.restaurant.forms import ORDER_TYPE_NAMES
from portal.web.forms import Form, InRange, required, submitted_text


class PaceForm(Form):
    part = HiddenField(default="pace")
    preparation_minutes = IntegerField(
        _("Preparation (minutes)"),
        [required(), InRange(1, 240, _("Enter a number from 1 to 240."))],
    )
    delivery_minutes = IntegerField(
        _("Delivery (minutes)"),
        [required(), InRange(0, 240, _("Enter a number from 0 to 240."))],
    )
    later_days = SelectField(
        _("Orders for later"),
        choices=[
            ("0", _("Not accepted")),
            ("1", _("For later today")),
            ("2", _("For today and tomorrow")),
            ("7", _("Up to a week ahead")),
            ("14", _("Up to two weeks ahead")),
        ],
    )
    slot_orders = IntegerField(
        _("Orders in a quarter of an hour"),
        [Optional(), InRange(1, 500, _("Enter a number from 1 to 500."))],
    )
    slot_order_types = SelectMultipleField(
        _("The limits apply to"), choices=ORDER_TYPE_NAMES, validators=[Optional()]
    )

    def offer(self, days: int) -> None:
        """A number of days that the API set stays available."""
        choices: list[Any] = list(self.later_days.choices or ())
        if str(days) not in [one[0] for one in choices]:
            other = (str(days), _("Up to %(days)s days ahead", days=days))
            self.later_days.choices = [*choices, other]

    def values(self) -> dict[str, Any]:
        minutes = {
            name.removeprefix("minutes-"): submitted_text(name, 5)
            for name in request.form
            if name.startswith("minutes-")
        }
        return {
            "preparation_minutes": self.preparation_minutes.data,
            "delivery_minutes": self.delivery_minutes.data,
            "later_days": int(self.later_days.data),
            "slot_orders": self.slot_orders.data,
            "slot_order_types": self.slot_order_types.data or [],
            "slot_minutes": {
                code: int(typed) if typed.isdecimal() else -1
                for code, typed in minutes.items()
                if typed
            },
        }


class KitchenForm(Form):
    kitchen_warn_minutes = IntegerField(
        _("Yellow after (minutes)"),
        [required(), InRange(1, 120, _("Enter a number from 1 to 120."))],
    )
    kitchen_late_minutes = IntegerField(
        _("Red after (minutes)"),
        [required(), InRange(1, 240, _("Enter a number from 1 to 240."))],
    )
    prints_ticket_codes = BooleanField(_("Print a code on kitchen tickets"))
    shows_promise = BooleanField(_("Show guests how long the kitchen will take"))
    feedback_minutes = IntegerField(
        _("Ask how it was after (minutes)"),
        [required(), InRange(0, 1440, _("Enter a number from 0 to 1440."))],
    )
    review_url = StringField(_("Review page"), [Optional(), Length(max=500)])

    def values(self) -> dict[str, Any]:
        return {
            "kitchen_warn_minutes": self.kitchen_warn_minutes.data,
            "kitchen_late_minutes": self.kitchen_late_minutes.data,
            "prints_ticket_codes": bool(self.prints_ticket_codes.data),
            "shows_promise": bool(self.shows_promise.data),
            "feedback_minutes": self.feedback_minutes.data,
            "review_url": self.review_url.data or "",
        }
