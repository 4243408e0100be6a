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

from portal.web.forms import Form, InRange, required

UNITS = {"minutes": 1, "hours": 60, "days": 24 * 60}


class AutomationForm(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])
    connection_id = SelectField(_("Connection"), [Optional()])
    line_id = SelectField(_("Line"), [Optional()])
    to_phone = StringField(_("Number that is told"), [Length(max=40)])
    delay = IntegerField(_("Delay"), [Optional(), InRange(0, 60 * 24 * 30, _("At most 30 days."))])
    unit = SelectField(
        _("Unit"),
        choices=[("minutes", _("minutes")), ("hours", _("hours")), ("days", _("days"))],
    )
    paid = BooleanField(_("Only orders that are paid"))
    tracking = BooleanField(_("Only with a tracking number or link"))
    consent = BooleanField(_("Only customers who agreed to such messages"))
    at_least = StringField(_("Only from this total on"), [Length(max=20)])
    countries = StringField(_("Only to these countries"), [Length(max=300)])
    says = RadioField(
        _("Message"),
        choices=[("text", _("Text")), ("template", _("Approved template"))],
        default="text",
    )
    text = TextAreaField(_("Text"), [Length(max=5000)])
    template_name = StringField(_("Template"), [Length(max=512)])
    template_language = StringField(_("Language of the template"), [Length(max=15)])
    parameters = TextAreaField(_("Values of the template, one a line"), [Length(max=5000)])

    def offer(self, connections: list[Any], lines: list[Any]) -> None:
        self.connection_id.choices = [
            ("", _("All connections")),
            *((one.id, one.name) for one in connections),
        ]
        self.line_id.choices = [
            ("", _("The default line")),
            *((str(one.id), one.name) for one in lines),
        ]


def in_units(minutes: int) -> tuple[int, str]:
    """90 → 90 minutes, 120 → 2 hours."""
    for unit in ("days", "hours"):
        if minutes and minutes % UNITS[unit] == 0:
            return minutes // UNITS[unit], unit
    return minutes, "minutes"
