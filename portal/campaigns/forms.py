"""Forms of the campaign editor: who, what, when."""

from collections.abc import Mapping
from datetime import datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from flask_babel import lazy_gettext as _
from flask_wtf.file import FileField
from wtforms import (
    BooleanField,
    DateTimeLocalField,
    IntegerField,
    RadioField,
    SelectField,
    StringField,
    TextAreaField,
    TimeField,
)
from wtforms.validators import Length, Optional

from core.errors import invalid
from messaging.campaigns.filters import LONGEST_DAYS, MOST_ORDERS
from messaging.models import Campaign
from portal.inbox.card_fields import CardFields
from portal.web.forms import LOCAL_TIMES, Form, InRange, field_text, required

DAYS = InRange(1, LONGEST_DAYS, _("Enter 1 to 3650 days."))
COUNT = InRange(0, MOST_ORDERS, _("Enter a whole number, 0 or more."))
NUMBER_FILTERS = (
    "birthday_within_days",
    "seen_within_days",
    "not_messaged_days",
    "ordered_within_days",
    "not_ordered_days",
    "orders_at_least",
    "orders_at_most",
)
TEXT_FILTERS = ("tags", "without_tags", "languages")


class NewCampaignForm(Form):
    name = StringField(_("Name"), [required(), Length(max=120)])


class FiltersForm(Form):
    """The filters that select recipients. Without filters, all contacts."""

    tags = StringField(_("Has any of these tags"), [Length(max=900)])
    without_tags = StringField(_("Has none of these tags"), [Length(max=900)])
    languages = StringField(_("Languages"), [Length(max=200)])
    birthday_within_days = IntegerField(
        _("Birthday in the next … days"), [Optional(), InRange(0, 60, _("Enter at most 60 days."))]
    )
    consent = BooleanField(_("Only contacts with marketing consent"))
    seen_within_days = IntegerField(_("Wrote to you in the last … days"), [Optional(), DAYS])
    not_messaged_days = IntegerField(_("No campaign in the last … days"), [Optional(), DAYS])
    site_id = SelectField(_("Restaurant"), [Optional()])
    ordered_within_days = IntegerField(_("Ordered in the last … days"), [Optional(), DAYS])
    not_ordered_days = IntegerField(_("No order in the last … days"), [Optional(), DAYS])
    orders_at_least = IntegerField(_("At least … orders"), [Optional(), COUNT])
    orders_at_most = IntegerField(_("At most … orders"), [Optional(), COUNT])
    spent_at_least = StringField(_("Spent at least"), [Length(max=20)])

    def offer_sites(self, places: list[tuple[str, str]]) -> None:
        self.site_id.choices = [("", _("All restaurants")), *places]

    def show(self, filters: Mapping[str, Any]) -> None:
        for name in (*NUMBER_FILTERS, "consent", "site_id", "spent_at_least"):
            self[name].data = filters.get(name) or (0 if filters.get(name) == 0 else None)
        for name in TEXT_FILTERS:
            self[name].data = ", ".join(filters.get(name, []))

    def filled_values(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            name: [one.strip() for one in field_text(self[name]).split(",") if one.strip()]
            for name in TEXT_FILTERS
        }
        found |= {name: self[name].data for name in NUMBER_FILTERS if self[name].data is not None}
        if self.consent.data:
            found["consent"] = True
        if self.site_id.data:
            found["site_id"] = self.site_id.data
        if written := field_text(self.spent_at_least).strip().replace(",", "."):
            found["spent_at_least"] = written
        return found


class CampaignRecipientsForm(FiltersForm):
    audience_id = SelectField(_("Audience"), [Optional()])
    save_as = StringField(_("Audience name (optional)"), [Length(max=120)])

    def offer(self, audiences: list[tuple[str, str]]) -> None:
        self.audience_id.choices = [("", _("Choose recipients here")), *audiences]


class AudienceForm(FiltersForm):
    name = StringField(_("Name"), [required(), Length(max=120)])


class CampaignMessageForm(CardFields):
    name = StringField(_("Name"), [required(), Length(max=120)])
    line_id = SelectField(_("Line"), [Optional()])
    says = RadioField(
        _("Message"),
        choices=[("text", _("Text")), ("template", _("Approved template"))],
        default="text",
    )
    text = TextAreaField(_("Text"), [Length(max=5000)])
    template = SelectField(_("Template"), [Optional()])
    parameters = TextAreaField(_("Template values, one per line"), [Length(max=5000)])
    header = StringField(_("Header value"), [Length(max=200)])
    header_url = StringField(_("URL of the image or file above the text"), [Length(max=2048)])
    header_file = FileField(_("Or upload a file"))
    location = StringField(_("Place on the map"), [Length(max=2000)])
    location_name = StringField(_("Name of the place"), [Length(max=200)])
    location_address = StringField(_("Address of the place"), [Length(max=200)])
    code = StringField(_("Code that the button copies"), [Length(max=200)])
    buttons = TextAreaField(_("Ends of the button URLs, one per line"), [Length(max=5000)])
    gift = SelectField(_("Reward"), [Optional()])

    def offer(
        self,
        lines: list[tuple[str, str]],
        templates: list[tuple[str, str]],
        gifts: list[tuple[str, str]],
    ) -> None:
        self.offer_link()
        self.line_id.choices = [("", _("Default line")), *lines]
        self.template.choices = [("", _("– choose –")), *templates]
        self.gift.choices = [("", _("No reward")), *gifts]


class CampaignScheduleForm(Form):
    begins = RadioField(
        _("Start time"),
        choices=[("now", _("Immediately")), ("later", _("At a scheduled time"))],
        default="now",
    )
    at = DateTimeLocalField(_("Time"), [Optional()], format=LOCAL_TIMES)
    quiet = BooleanField(_("Do not send during quiet hours"))
    quiet_from = TimeField(_("Start of quiet hours"), [Optional()])
    quiet_until = TimeField(_("End of quiet hours"), [Optional()])
    rest_days = IntegerField(
        _("Leave out contacts who got a campaign in the last … days"),
        [Optional(), InRange(0, 365, _("Enter at most 365 days."))],
    )
    follow_days = IntegerField(
        _("Count orders within … days after the message"),
        [Optional(), InRange(0, 90, _("Enter at most 90 days."))],
    )

    def show(self, campaign: Campaign, zone: str) -> None:
        at = campaign.scheduled_at
        self.begins.data = "later" if at else "now"
        self.at.data = at.astimezone(ZoneInfo(zone)).replace(tzinfo=None) if at else None
        self.quiet.data = campaign.quiet_from is not None
        self.quiet_from.data = _clock(campaign.quiet_from, 21)
        self.quiet_until.data = _clock(campaign.quiet_until, 9)
        self.rest_days.data, self.follow_days.data = campaign.rest_days, campaign.follow_days

    def moment(self, zone: str) -> datetime | None:
        if self.begins.data != "later":
            return None
        at: datetime | None = self.at.data
        if at is None:
            raise invalid("at", "missing_time", "Choose a start time.")
        return at.replace(tzinfo=ZoneInfo(zone))

    def hours(self) -> tuple[int | None, int | None]:
        if not self.quiet.data:
            return None, None
        return _minutes(self.quiet_from.data), _minutes(self.quiet_until.data)


def _clock(minutes: int | None, otherwise: int) -> time:
    return time(otherwise) if minutes is None else time(minutes // 60, minutes % 60)


def _minutes(at: time | None) -> int | None:
    return None if at is None else at.hour * 60 + at.minute
