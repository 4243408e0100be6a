"""Request and response models of messages, and their conversion to drafts."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from flask import current_app
from pydantic import AfterValidator, AliasChoices, BaseModel, Field, StrictInt
from pydantic_core import PydanticCustomError

from api.paging import PageQuery
from api.schemas import Moment, MomentWithOffset, PhoneFilter
from core.clock import now
from core.errors import invalid
from core.http import BadUrl, Policy, RefusedAddress, check_url
from core.values.field_checks import checked_text, field_error, optional_text, required_text
from core.values.phone import BadPhone, check_phone
from messaging.lines.drivers.cloud.templates.payload import template_payload
from messaging.messages.accept import (
    DEFAULT_VALIDITY,
    MessageDraft,
)
from messaging.messages.kinds.location import LocationFields
from messaging.messages.kinds.template_buttons import with_checked_buttons
from messaging.messages.states import OUT_STATES

LONGEST_TEXT, LONGEST_CAPTION = 4096, 1024
FURTHEST = timedelta(days=35)
STATES = (*OUT_STATES, "held", "received")


def _phone(text: str) -> str:
    try:
        return check_phone(text)
    except BadPhone as error:
        raise field_error("invalid_phone", str(error)) from None


def _near(moment: datetime) -> datetime:
    if moment > now() + FURTHEST:
        raise field_error("too_far", "scheduled_at is more than 35 days ahead")
    return moment


class MessagePath(BaseModel):
    message_id: str = Field(max_length=200, description="The Comanda id or the network's id.")


class MessagesQuery(PageQuery):
    phone: PhoneFilter | None = None
    instance_id: int | None = Field(
        None,
        ge=1,
        le=2**31 - 1,
        validation_alias=AliasChoices("instance_id", "line"),
        description="Only this line. `line` is the same.",
    )
    status_code: Literal[STATES] | None = Field(  # type: ignore[valid-type]
        None,
        validation_alias=AliasChoices("status_code", "state"),
        description="Only messages in this state. `state` is the same.",
    )
    direction: str | None = Field(None, pattern="^(in|out)$")
    reference: str | None = Field(None, max_length=64)
    since: Moment | None = None
    until: Moment | None = None


Phone = Annotated[
    str,
    AfterValidator(_phone),
    Field(description="Country code first, digits only.", examples=["905321112233"], max_length=64),
]


class CommonOptions(BaseModel):
    """The options of every send."""

    instance_id: StrictInt | None = Field(None, description="The line; empty: the default line.")
    scheduled_at: Annotated[MomentWithOffset, AfterValidator(_near)] | None = Field(
        None, description="RFC 3339, 35 days ahead at most."
    )
    valid_for_seconds: int | None = Field(None, ge=10, le=35 * 86400)
    reference: Annotated[str | None, optional_text("reference", 64)] = Field(
        None, max_length=64, description="Your own reference, returned in responses and events."
    )


class ToPhone(BaseModel):
    phone: Phone


class SendOptions(CommonOptions, ToPhone):
    """The phone comes first: an error response has the code of the first field at fault."""


Parameters = Annotated[
    list[Annotated[str, Field(max_length=1024)]] | dict[str, Any],
    AfterValidator(with_checked_buttons),
    Field(
        max_length=50,
        description="The body's values in order; or an object: the names of a template with named"
        ' places, or {"header": …, "body": […], "buttons": […]}.',
        examples=[["Zeynep", "M-0184"]],
    ),
]


class TemplateNamed(BaseModel):
    """An approved template of a cloud line, by its name."""

    name: str = Field(
        min_length=1,
        max_length=512,
        examples=["order_confirmation"],
        description="The template's name on the network.",
    )
    language: str = Field(min_length=2, max_length=15, examples=["tr"])
    parameters: Parameters = Field(default_factory=list)


class FreeOptions(SendOptions):
    fallback_template: TemplateNamed | None = Field(
        None, description="Sent instead when the 24-hour window of a cloud line is closed."
    )


class TextRequest(FreeOptions):
    message: Annotated[str, required_text("message", LONGEST_TEXT)] = Field(
        description="1 to 4096 characters, counted as UTF-16 (most emoji count as 2) after "
        "trimming and Unicode normalization (NFC).",
        examples=["Merhaba!"],
    )


class MediaRequest(FreeOptions):
    media_url: str = Field(description="The URL of the file.", max_length=2048)
    type: Literal["image", "document", "video", "audio"] = Field(
        examples=["document"], description="How the recipient sees the file."
    )
    caption: Annotated[str | None, optional_text("caption", LONGEST_CAPTION)] = Field(
        None, description="1024 characters at most."
    )
    filename: Annotated[str | None, optional_text("filename", 240)] = Field(None, max_length=240)


class LocationRequest(LocationFields, FreeOptions):
    """A place, shown on a map."""


class TemplateRequest(TemplateNamed, SendOptions):
    """An approved template of a cloud line, by its name."""


# Section 2.2 of the specification, and additional fields.
class SendAnswer(BaseModel):
    """The accepted message. `message_id` is null until the network has accepted it too."""

    status: str = Field(examples=["success"], description="`success` if the message was accepted.")
    message_id: str | None = Field(examples=["wamid.HBgMOTA1MzIxMTEyMjMzFQIAERgS"])
    status_code: str = Field(examples=["sent"])
    cost_usd: float = Field(examples=[0.0034])
    id: str = Field(examples=["msg_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    instance_id: int
    phone: str
    reference: str | None
    test: bool
    warnings: list[str] = Field(default_factory=list)


class MediaShape(BaseModel):
    """A file that a customer sent has a signed URL, valid for 7 days and new in each response."""

    mime_type: str | None
    url: str | None
    size: int | None = Field(description="null until it is fetched.")
    sha256: str | None
    caption: str | None
    filename: str | None


class MessageShape(BaseModel):
    id: str
    message_id: str | None
    direction: str
    instance_id: int
    phone: str
    type: str = Field(description="The type of the message, such as `text` or `image`.")
    text: str = Field(description="The message's text, or the caption of its file.")
    status_code: str
    reference: str | None
    cost_usd: float
    free_reason: str | None = Field(
        description=(
            "Why the network did not bill the message: `allowance`, `entry_point`, `window` or"
            " `not_billed`. Null while it is billed, or until a receipt reports it."
        )
    )
    test: bool
    created_at: str
    error: dict[str, Any] | None
    media: MediaShape | None
    from_kind: str = Field(
        description="What `phone` is: `phone`, or `network_id` where the network hides it.",
        examples=["phone"],
    )
    location: dict[str, Any] | None = Field(
        description="latitude, longitude, name, address, route_url."
    )
    contacts: dict[str, Any] | None = Field(description="Contact cards, as in the event.")
    order: dict[str, Any] | None = Field(description="A catalog order, as in the event.")
    button: dict[str, Any] | None = Field(description="The button that was pressed.")
    reaction: dict[str, Any] | None = Field(description="The emoji, and the message it is for.")
    interactive: dict[str, Any] | None = Field(
        description="Body, buttons, rows and the like of an interactive message that you sent."
    )
    reply_to: str | None = Field(description="The network's id of the quoted message.")
    forwarded: bool | None = Field(description="True if the customer forwarded the message.")
    referral: dict[str, str] | None = Field(
        description=(
            "The ad or post that the customer came from: `source_url`, `source_id`, `source_type`,"
            " `headline`, `body`, `media_type`, `image_url`, `ctwa_clid`."
        )
    )
    referred_product: dict[str, str] | None = Field(
        description="The product that the customer asks about: `catalog_id`, `product_id`."
    )
    handled_by: str | None = Field(
        description="`meta_agent` if Meta's agent answered the customer's message."
    )
    sent_from: str | None = Field(
        description=(
            "Set if Comanda did not send the message: `phone` if it was typed on the phone,"
            " `meta_agent` if Meta's agent sent it."
        )
    )
    edited_at: str | None = Field(description="When the sender last edited the message.")
    deleted_at: str | None = Field(
        description="When the sender deleted the message. Its text and file are deleted here too."
    )
    earlier_texts: list[str] = Field(
        description="The texts before each edit, the oldest first; at most 10."
    )


class MessagePage(BaseModel):
    data: list[MessageShape]
    next: str | None = Field(description="The value for `?after=` if there are more results.")


class Change(BaseModel):
    status_code: str
    at: str
    cause: str


class Timeline(BaseModel):
    data: list[Change]
    next: None


def draft_of_text(body: TextRequest) -> MessageDraft:
    return _draft(body, kind="text", text=body.message)


def draft_of_media(body: MediaRequest) -> MessageDraft:
    content: dict[str, Any] = {"url": media_url(body.media_url)}
    if body.filename:
        content["filename"] = body.filename
    return _draft(body, kind=body.type, text=body.caption or "", content=content)


def draft_of_location(body: LocationRequest) -> MessageDraft:
    return _draft(body, kind="location", content=body.place())


def draft_of_template(body: TemplateRequest) -> MessageDraft:
    return _draft(body, kind="template", content=_template(body), category="utility")


def _template(named: TemplateNamed, place: str = "") -> dict[str, Any]:
    """Return the content for the line's driver. Raises Invalid for parameters that it rejects."""
    given: Any = named.parameters
    if isinstance(given, list):
        given = [_text(one, f"{place}parameters", 1024) for one in given]
    content = {
        "name": _text(named.name, f"{place}name", 512),
        "language": _text(named.language, f"{place}language", 15),
        "parameters": given,
    }
    try:
        template_payload(content)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise invalid(
            f"{place}parameters",
            "invalid_parameters",
            "The parameters have a form that no template takes.",
        ) from None
    return content


def _draft(body: SendOptions, **more: Any) -> MessageDraft:
    named = body.fallback_template if isinstance(body, FreeOptions) else None
    if named is not None:
        fallback = _template(named, "fallback_template.")
        more["content"] = {**more.get("content", {}), "fallback": fallback}
    return draft_with_options(body, phone=body.phone, **more)


def draft_with_options(body: CommonOptions, **more: Any) -> MessageDraft:
    valid = (
        DEFAULT_VALIDITY
        if body.valid_for_seconds is None
        else timedelta(seconds=body.valid_for_seconds)
    )
    return MessageDraft(
        reference=body.reference,
        scheduled_at=body.scheduled_at,
        valid_for=valid,
        **more,
    )


def _text(text: str, field: str, most: int) -> str:
    try:
        return checked_text(text, field, most)
    except PydanticCustomError as error:
        raise invalid(field, error.type, "{fault}", fault=error.message()) from None


def media_url(url: str, field: str = "media_url") -> str:
    """Check the format and any literal IP address of a URL.

    A host name is resolved only when the file is fetched.
    """
    settings = current_app.extensions["comanda"]
    policy = Policy(ports=settings.ports_allowed, allow_loopback=settings.allow_loopback)
    try:
        return str(check_url(url, policy))
    except (BadUrl, RefusedAddress) as error:
        raise invalid(field, "invalid_media_url", "{fault}", fault=str(error)) from None
