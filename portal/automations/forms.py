"""Forms of the automation pages."""

from typing import Any

from flask_babel import lazy_gettext as _
from wtforms import (
    BooleanField,
    IntegerField,
    RadioField,
    SelectField,
    StringField,
    TextAreaField,
)
from wtforms.validators import Length, Optional

from portal.inbox.card_fields import CardFields
from portal.web.forms import InRange, required

UNITS = {"minutes": 1, "hours": 60, "days": 24 * 60}


class AutomationForm(CardFields):
    name = StringField(_("Name"), [required(), Length(max=120)])
    connection_id = SelectField(_("Connection"), [Optional()])
    line_id = SelectField(_("Line"), [Optional()])
    to_phone = StringField(_("Phone number to notify"), [Length(max=40)])
    delay = IntegerField(
        _("Delay"), [Optional(), InRange(0, 60 * 24 * 30, _("Enter 30 days or less."))]
    )
    unit = SelectField(
        _("Unit"),
        choices=[("minutes", _("minutes")), ("hours", _("hours")), ("days", _("days"))],
    )
    paid = BooleanField(_("Paid orders only"))
    tracking = BooleanField(_("Only orders with a tracking number or link"))
    consent = BooleanField(_("Only customers who gave marketing consent"))
    at_least = StringField(_("Minimum total"), [Length(max=20)])
    countries = StringField(_("Only these countries"), [Length(max=300)])
    tapped = TextAreaField(_("Buttons"), [Length(max=6000)])
    says = RadioField(
        _("Message"),
        choices=[("text", _("Text")), ("template", _("Approved template"))],
        default="text",
    )
    text = TextAreaField(_("Text"), [Length(max=5000)])
    template_name = StringField(_("Template"), [Length(max=512)])
    template_language = StringField(_("Template language"), [Length(max=15)])
    parameters = TextAreaField(_("Template values, one per line"), [Length(max=5000)])

    def offer(self, connections: list[Any], lines: list[Any]) -> None:
        self.offer_link()
        self.connection_id.choices = [
            ("", _("All connections")),
            *((one.id, one.name) for one in connections),
        ]
        self.line_id.choices = [
            ("", _("Default line")),
            *((str(one.id), one.name) for one in lines),
        ]


def in_units(minutes: int) -> tuple[int, str]:
    """90 → 90 minutes, 120 → 2 hours."""
    for unit in ("days", "hours"):
        if minutes and minutes % UNITS[unit] == 0:
            return minutes // UNITS[unit], unit
    return minutes, "minutes"
