"""Request and response models of campaigns."""

from decimal import Decimal
from typing import Any, Literal

from flask_openapi3.models import RawModel
from pydantic import BaseModel, Field

from api.paging import PageQuery
from api.schemas import Moment
from api.v1.schemas.messaging.audiences import FilterFacts
from api.v1.schemas.messaging.campaign_messages import CardFacts, TemplateFacts, VariantFacts
from api.v1.schemas.messaging.contacts import CONTACT_ID
from core.clock import rfc3339
from core.values.money import json_number
from messaging.campaigns import results
from messaging.campaigns.repository import DEFAULT_QUIET_HOURS, UNCHANGED, CampaignInput
from messaging.campaigns.results import RecipientResult
from messaging.campaigns.template_values import with_stored_file
from messaging.models import Campaign

CAMPAIGN_ID = "cmp_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"
TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
NEVER_NULL = ("rest_days", "follow_days", "holdout_percent", "weight", "count_clicks")
SHOWN = f"^({'|'.join(results.RESULT_STATES)})$"


class Quiet(BaseModel):
    """In the recipient's time zone, estimated from the phone number."""

    since: str = Field(
        pattern=TIME, examples=["21:00"], description="`HH:MM`: when quiet hours begin."
    )
    until: str = Field(
        pattern=TIME, examples=["09:00"], description="`HH:MM`: when quiet hours end."
    )


class CampaignFacts(BaseModel):
    name: str | None = Field(None, max_length=240, examples=["Soup day"])
    audience_id: str | None = Field(None, max_length=40, description="A saved audience.")
    filters: FilterFacts | None = Field(
        None,
        description="Filters to use instead of a saved audience.",
        examples=[{"not_ordered_days": 30}],
    )
    instance_id: int | None = Field(None, description="The line. Left out: the default line.")
    message: str | None = Field(
        None,
        max_length=4096,
        examples=["Hi {{customer.first_name|there}}, soup is on us today. {{shop.name}}"],
        description="The text to send. Placeholders such as `{{customer.name}}` are filled in.",
    )
    card: CardFacts | None = Field(
        None, description="Buttons, a list or a link below `message`. null: none."
    )
    template: TemplateFacts | None = Field(
        None, description="A template to send instead of `message`."
    )
    gift: str | None = Field(
        None, max_length=64, description="The reward that the `{{coupon}}` code is for."
    )
    quiet_hours: Quiet | None = Field(None, description="null: none. 21:00 to 09:00 by default.")
    rest_days: int | None = Field(None, ge=0, le=365)
    follow_days: int | None = Field(None, ge=0, le=90)
    holdout_percent: int | None = Field(
        None,
        ge=0,
        le=50,
        examples=[10],
        description="This share of the recipients gets no message. Their orders are compared with"
        " those of the others; see `GET /campaigns/{campaign_id}/effect`.",
    )
    weight: int | None = Field(
        None,
        ge=1,
        le=100,
        description="The weight of this message, variant A, among the variants. 50 by default.",
    )
    variants: list[VariantFacts] | None = Field(
        None,
        max_length=3,
        description="Up to three other messages, B to D. Each recipient gets one of them; which"
        " one follows from the campaign and the contact.",
    )
    stand_in: TemplateFacts | None = Field(
        None,
        description="The template to send instead if WhatsApp pauses the campaign's template"
        " while it runs. null: none.",
    )
    count_clicks: bool | None = Field(
        None,
        description="Turn the links of the message into short links that count clicks. Off by"
        " default.",
    )

    def to_input(self, before: dict[str, Any] | None = None) -> CampaignInput:
        """Return the input; fields that were not sent stay unchanged.

        `before` is the current template.
        """
        sent = self.model_fields_set
        hours = self.quiet_hours
        values: dict[str, Any] = {
            "name": self.name or "",
            "audience_id": self.audience_id,
            "filters": self.filters.filled_values() if self.filters else {},
            "line_id": self.instance_id,
            "text": self.message or "",
            "card": self.card.to_card() if self.card else None,
            "template": with_stored_file(self.template.values_to_store(), before or {})
            if self.template
            else {},
            "gift": self.gift,
            "quiet": (_minutes(hours.since), _minutes(hours.until)) if hours else (None, None),
            "rest_days": self.rest_days,
            "follow_days": self.follow_days,
            "holdout_percent": self.holdout_percent,
            "weight": self.weight,
            "variants": [one.values_to_store() for one in self.variants or ()],
            "stand_in": self.stand_in.values_to_store() if self.stand_in else {},
            "count_clicks": self.count_clicks,
        }
        names = {"instance_id": "line_id", "message": "text", "quiet_hours": "quiet"}
        names_sent = {names.get(name, name) for name in sent}
        names_sent -= {name for name in NEVER_NULL if values[name] is None}
        return CampaignInput(
            **{name: value if name in names_sent else UNCHANGED for name, value in values.items()}
        )


class FileQuery(BaseModel):
    filename: str = Field(
        max_length=240,
        description="Shown to the recipient of a document.",
    )


class FileBody(RawModel):
    mimetypes: list[str] = ["application/octet-stream"]  # noqa: RUF012 - as the framework reads it


class StartRequest(BaseModel):
    at: Moment | None = Field(None, description="The start time. Left out: now.")


class CampaignPath(BaseModel):
    campaign_id: str = Field(max_length=40)


class CampaignQuery(PageQuery):
    state: Literal["draft", "scheduled", "running", "paused", "finished", "stopped"] | None = None


class ResultQuery(PageQuery):
    state: str | None = Field(None, pattern=SHOWN, description="Only these.")


class Counts(BaseModel):
    people: int = Field(description="Contacts that match the filters, including skipped ones.")
    recipients: int
    holdout: int = Field(description="Contacts in the holdout group, who get no message.")
    clicked: int = Field(description="Recipients who opened a short link.")
    link_clicks: int = Field(description="Clicks on short links, without link previews.")
    visited: int = Field(description="Recipients whose link opened the menu.")
    carts: int = Field(description="Recipients from whose link a cart was made.")
    link_orders: int = Field(description="Orders from these carts.")
    link_spent: str = Field(
        description="The value of the orders from short links, in `currency`.", examples=["420.00"]
    )
    waiting: int
    sent: int = Field(
        description="Messages accepted by the network, regardless of what happened afterwards."
    )
    delivered: int
    read: int
    replied: int
    tapped: int = Field(description="How many tapped a button or chose from a list.")
    failed: int
    opted_out: int
    left_out: int
    stopped: int
    ordered: int = Field(description="How many of them ordered afterwards.")
    orders: int
    spent: str = Field(description="The value of the orders, in `currency`.", examples=["1250.00"])
    currency: str = Field(
        description="The currency of the restaurant in the filters, or of most restaurants.",
        examples=["TRY"],
    )
    cost_usd: float
    reasons: dict[str, int] = Field(description="Why contacts were skipped.")
    causes: dict[str, int] = Field(description="Why messages failed.")
    taps: dict[str, int] = Field(
        description="How many recipients tapped each button or row last, by its title.",
        examples=[{"I am coming": 18, "Not this time": 4}],
    )


class CampaignShape(BaseModel):
    id: str = Field(examples=[CAMPAIGN_ID])
    name: str
    state: str = Field(description="draft, scheduled, running, paused, finished or stopped")
    because: str = Field(
        description="Why it paused automatically; empty if a team member paused it."
    )
    audience_id: str | None
    filters: dict[str, Any]
    instance_id: int | None
    message: str = Field(description="The text that is sent, with its placeholders.")
    card: dict[str, Any] | None = Field(
        description="What is shown below the text: `kind` is `buttons`, `list` or `link_button`.",
        examples=[{"kind": "buttons", "buttons": ["I am coming", "Not this time"]}],
    )
    template: dict[str, Any] | None
    gift: str | None
    quiet_hours: dict[str, str] | None
    rest_days: int
    follow_days: int
    holdout_percent: int = Field(description="The share of the recipients who get no message.")
    weight: int = Field(description="The weight of this message, variant A.")
    variants: list[dict[str, Any]] = Field(
        description="The other messages, B to D, each with `weight` and `message` or `template`."
    )
    stand_in: dict[str, Any] | None = Field(
        description="The template that is sent if WhatsApp pauses the campaign's own."
    )
    replaced: list[str] = Field(
        description="Templates, as `name/language`, for which the stand-in has taken over."
    )
    count_clicks: bool = Field(description="Whether links become short links.")
    test: bool
    results: Counts
    scheduled_at: str | None
    started_at: str | None
    finished_at: str | None
    created_at: str
    changed_at: str


class CampaignPage(BaseModel):
    data: list[CampaignShape]
    next: str | None


class ResultShape(BaseModel):
    contact_id: str = Field(examples=[CONTACT_ID])
    name: str
    phone: str
    state: str = Field(
        description="The message's state; without a message: `waiting`, `left_out`, `holdout` or"
        " `stopped`."
    )
    reason: str = Field(description="Why the contact was skipped, or why the message failed.")
    variant: str = Field(
        description="The variant of the message, `A` to `D`; `holdout` if none was sent; empty in a"
        " campaign without variants and holdout group."
    )
    clicked_at: str | None = Field(description="The first click on a short link.")
    message_id: str | None
    coupon: str
    cost_usd: float
    handed_at: str | None
    replied_at: str | None
    tapped: str = Field(
        description="The title of the button or list row that was tapped last; empty if none was.",
        examples=["I am coming"],
    )
    tapped_at: str | None
    opted_out_at: str | None
    orders: int
    spent: str


class ResultPage(BaseModel):
    data: list[ResultShape]
    next: str | None


def campaign_json(one: Campaign) -> dict[str, Any]:
    quiet = one.quiet_from is not None and one.quiet_until is not None
    return {
        "id": one.id,
        "name": one.name,
        "state": one.state,
        "because": because(one),
        "audience_id": one.audience_id,
        "filters": one.filters,
        "instance_id": one.line_id,
        "message": one.text,
        "card": one.card or None,
        "template": _template_json(one.template),
        "gift": one.gift,
        "quiet_hours": {"since": _clock(one.quiet_from), "until": _clock(one.quiet_until)}
        if quiet
        else None,
        "rest_days": one.rest_days,
        "follow_days": one.follow_days,
        "holdout_percent": one.holdout_percent,
        "weight": one.weight,
        "variants": [_variant_json(variant) for variant in one.variants],
        "stand_in": _template_json(one.stand_in),
        "replaced": one.replaced,
        "count_clicks": one.count_clicks,
        "test": one.test,
        "results": counts_json(one.counts),
        "scheduled_at": one.scheduled_at and rfc3339(one.scheduled_at),
        "started_at": one.started_at and rfc3339(one.started_at),
        "finished_at": one.finished_at and rfc3339(one.finished_at),
        "created_at": rfc3339(one.created_at),
        "changed_at": rfc3339(one.changed_at),
    }


def _variant_json(one: dict[str, Any]) -> dict[str, Any]:
    template = _template_json(one.get("template") or {})
    return {"weight": one["weight"], "message": one.get("text", ""), "template": template}


def _template_json(template: dict[str, Any]) -> dict[str, Any] | None:
    """Return the template; an uploaded file is shown by its name."""
    if not template:
        return None
    media = template.get("media", {})
    return {
        "name": template["name"],
        "language": template["language"],
        "parameters": template["parameters"],
        "header": template.get("header"),
        "header_url": media.get("url"),
        "header_file": media.get("file", {}).get("filename"),
        "header_location": template.get("location"),
        "buttons": template.get("buttons", []),
    }


def because(one: Campaign) -> str:
    reason = one.because
    return str(reason["sentence"]).format(**reason["values"]) if reason else ""


def counts_json(counts: dict[str, Any]) -> dict[str, Any]:
    blank: dict[str, Any] = {"spent": "0", "link_spent": "0", "currency": ""}
    blank |= {name: {} for name in ("reasons", "causes", "taps")}
    return {name: counts.get(name, blank.get(name, 0)) for name in Counts.model_fields}


def result_json(one: RecipientResult) -> dict[str, Any]:
    row = one.recipient
    return {
        "contact_id": row.contact_id,
        "name": one.name,
        "phone": one.phone,
        "state": one.shown,
        "reason": row.reason or row.cause,
        "variant": row.variant,
        "clicked_at": row.clicked_at and rfc3339(row.clicked_at),
        "message_id": row.message_id,
        "coupon": row.coupon,
        "cost_usd": json_number(row.cost_usd),
        "handed_at": row.handed_at and rfc3339(row.handed_at),
        "replied_at": row.replied_at and rfc3339(row.replied_at),
        "tapped": row.tapped,
        "tapped_at": row.tapped_at and rfc3339(row.tapped_at),
        "opted_out_at": row.opted_out_at and rfc3339(row.opted_out_at),
        "orders": row.orders,
        "spent": str(Decimal(row.spent).normalize() + 0),
    }


def _minutes(clock: str) -> int:
    hours, _, minutes = clock.partition(":")
    return int(hours) * 60 + int(minutes)


def _clock(minutes: int | None) -> str:
    at = DEFAULT_QUIET_HOURS[0] if minutes is None else minutes
    return f"{at // 60:02}:{at % 60:02}"
