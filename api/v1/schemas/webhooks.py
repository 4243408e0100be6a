"""Request and response models of webhooks."""

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from api.paging import PageQuery
from api.schemas import MomentWithOffset
from core.clock import rfc3339
from webhooks.custom_headers import unpack_headers
from webhooks.delivery.reasons import DELIVERY_REASONS
from webhooks.endpoints import state_of
from webhooks.event_types import EVENT_TYPES
from webhooks.models import Endpoint, WebhookAttempt, WebhookDelivery

EVENTS = "`*` for all, or names: " + ", ".join(EVENT_TYPES)
MAX_WAIT_SECONDS = 25  # deploy/nginx.conf drops silent API calls after 35
EXAMPLE_ID = "ep_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"


class EndpointPath(BaseModel):
    endpoint_id: str = Field(max_length=64)


class DeliveryPath(BaseModel):
    delivery_id: str = Field(max_length=64)


class DeliveryQuery(PageQuery):
    endpoint_id: str | None = Field(None, max_length=64)
    event_id: str | None = Field(None, max_length=64)
    event: str | None = Field(None, max_length=64, description="Only events of this type.")
    state: Literal["waiting", "sending", "delivered", "failed", "cancelled"] | None = None
    since: MomentWithOffset | None = None
    until: MomentWithOffset | None = None


class FeedQuery(BaseModel):
    after: int = Field(
        0,
        ge=0,
        le=2**63 - 1,
        description="The last sequence number you have; 0 to start at the beginning.",
    )
    limit: int = Field(50, ge=1, le=200, description="The maximum number of results.")
    wait: int = Field(
        0,
        ge=0,
        le=MAX_WAIT_SECONDS,
        description=(
            "Seconds to wait for an event if there is none yet. If too many requests wait already,"
            " the response comes at once, with `Retry-After`."
        ),
    )


class EventFilterShape(BaseModel):
    """A condition on an event's body."""

    field: str = Field(
        max_length=200,
        description="The field, with dots for inner fields.",
        examples=["data.type"],
    )
    op: Literal["==", "in", ">"] = Field(description="`in` needs a list.", examples=["in"])
    value: str | float | bool | list[str | float | bool | None] | None = Field(
        description="A text, a number, true, false, null, or a list of them.",
        examples=[["text", "image"]],
    )


LINES = "Only events of these lines, and events that belong to no line. Empty: of all lines."
FILTERS = "Only events for which all conditions hold. An event without the field is left out."
HEADERS = "Headers of your own for every delivery, such as a token. Values are not shown again."
ORDERED = (
    "`true`: an event waits until the earlier ones of the same customer or order were delivered"
    " or given up."
)


class EndpointAddress(BaseModel):
    url: str = Field(
        max_length=2048,
        description="http or https, on the public internet.",
        examples=["https://example.com/comanda"],
    )
    events: list[str] = Field(
        description=EVENTS, max_length=50, examples=[["messages.upsert", "messages.read"]]
    )


class NewEndpoint(EndpointAddress):
    description: str | None = Field(
        None,
        max_length=200,
        examples=["Our CRM"],
        description="A note for your team, such as what the endpoint is for.",
    )
    instance_ids: list[int] | None = Field(None, max_length=200, description=LINES, examples=[[7]])
    filters: list[EventFilterShape] | None = Field(None, max_length=10, description=FILTERS)
    headers: dict[str, str] | None = Field(
        None, max_length=10, description=HEADERS, examples=[{"X-Gateway-Token": "s3cret"}]
    )
    ordered: bool | None = Field(None, description=ORDERED, examples=[False])


class EndpointChange(BaseModel):
    url: str | None = Field(
        None, max_length=2048, description="The address that events are posted to."
    )
    events: list[str] | None = Field(None, description=EVENTS, max_length=50)
    description: str | None = Field(
        None, max_length=200, description="A note for your team, such as what the endpoint is for."
    )
    instance_ids: list[int] | None = Field(None, max_length=200, description=LINES, examples=[[7]])
    filters: list[EventFilterShape] | None = Field(None, max_length=10, description=FILTERS)
    headers: dict[str, str] | None = Field(
        None, max_length=10, description=HEADERS, examples=[{"X-Gateway-Token": "s3cret"}]
    )
    ordered: bool | None = Field(None, description=ORDERED, examples=[False])
    enabled: bool | None = Field(
        None, description="`false`: gets no more events; waiting deliveries are cancelled."
    )


class RotateRequest(BaseModel):
    overlap_hours: float = Field(
        24, ge=0, le=168, description="How long both secrets sign webhook deliveries."
    )

    @model_validator(mode="before")
    @classmethod
    def accept_missing_body(cls, body: Any) -> Any:
        return {} if body is None else body


class ReplayRequest(BaseModel):
    since: MomentWithOffset = Field(description="RFC 3339", examples=["2026-03-01T10:00:00Z"])
    until: MomentWithOffset | None = Field(None, description="RFC 3339; now by default.")
    endpoint_id: str | None = Field(
        None, max_length=64, description="All endpoints by default.", examples=[EXAMPLE_ID]
    )
    only_missed: bool = Field(
        False, description="Skip events that were already delivered to the endpoint."
    )


class EndpointShape(BaseModel):
    id: str = Field(examples=[EXAMPLE_ID])
    url: str = Field(
        examples=["https://example.com/comanda"],
        description="The address that events are posted to.",
    )
    events: list[str] = Field(examples=[["*"]])
    description: str = Field(description="A note for your team, such as what the endpoint is for.")
    instance_ids: list[int] = Field(description=LINES, examples=[[7]])
    filters: list[EventFilterShape] = Field(description=FILTERS)
    header_names: list[str] = Field(
        description="The names of your own headers.", examples=[["X-Gateway-Token"]]
    )
    ordered: bool = Field(description=ORDERED, examples=[False])
    enabled: bool
    health: str = Field(
        description="new, well, shaky (the last try failed), failing or off", examples=["well"]
    )
    disabled_because: str | None = Field(description="person, gone or failing")
    failing_since: str | None
    last_success_at: str | None
    old_secret_until: str | None = Field(
        description="Until when the previous secret also signs deliveries."
    )
    test: bool = Field(description="`true`: gets only test mode events.")
    created_at: str
    warnings: list[str] = Field(default_factory=list)


class EndpointWithSecret(EndpointShape):
    secret: str = Field(
        description="Shown only in this response.",
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    )


class EndpointPage(BaseModel):
    data: list[EndpointShape]
    next: None


class DeliveryShape(BaseModel):
    id: str = Field(examples=["dlv_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    endpoint_id: str = Field(examples=[EXAMPLE_ID])
    event_id: str = Field(examples=["evt_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    event: str = Field(examples=["messages.upsert"])
    sequence: int
    cause: str = Field(description="event, replay or test", examples=["event"])
    state: str = Field(description="waiting, sending, delivered, failed or cancelled")
    attempts: int
    next_attempt_at: str | None
    status: int | None = Field(description="The endpoint's last response.", examples=[200])
    error: str | None
    created_at: str


class AttemptShape(BaseModel):
    number: int
    at: str
    duration_ms: int
    status: int | None = Field(
        description="The HTTP status of the endpoint's response. Null: no response."
    )
    error: str | None
    answer: str = Field(description="The first bytes of the response body.")


class DeliveryWithAttempts(DeliveryShape):
    tries: list[AttemptShape]
    body: dict[str, Any] | None = Field(description="null when the event is no longer kept.")


class DeliveryPage(BaseModel):
    data: list[DeliveryShape]
    next: str | None = Field(description="The value for `?after=` if there are more results.")


class ReplayAnswer(BaseModel):
    replayed: int = Field(description="How many deliveries are sent now.")
    warnings: list[str] = Field(default_factory=list)


class EventShape(BaseModel):
    """The body of a webhook. The event's own fields are next to these."""

    model_config = ConfigDict(json_schema_extra={"additionalProperties": True})

    event: str = Field(examples=["messages.upsert"])
    event_id: str = Field(examples=["evt_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"])
    occurred_at: str = Field(examples=["2026-03-01T10:00:00.123456Z"])
    sequence: int = Field(examples=[1041])


class EventPage(BaseModel):
    data: list[EventShape]
    next: str | None = Field(
        description="The value for `?after=` if there are more results.", examples=["1041"]
    )
    last_sequence: int = Field(
        description="The number of the newest event, to start with new events only.",
        examples=[1041],
    )


def endpoint_json(endpoint: Endpoint) -> dict[str, Any]:
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "events": endpoint.events,
        "description": endpoint.description,
        "instance_ids": endpoint.line_ids or [],
        "filters": endpoint.filters,
        "header_names": list(unpack_headers(endpoint.headers)),
        "ordered": endpoint.ordered,
        "enabled": endpoint.enabled,
        "health": state_of(endpoint),
        "disabled_because": endpoint.disabled_because or None,
        "failing_since": _when(endpoint.failing_since),
        "last_success_at": _when(endpoint.last_success_at),
        "old_secret_until": _when(endpoint.old_secret_until),
        "test": endpoint.test,
        "created_at": rfc3339(endpoint.created_at),
    }


def delivery_json(delivery: WebhookDelivery) -> dict[str, Any]:
    return {
        "id": delivery.id,
        "endpoint_id": delivery.endpoint_id,
        "event_id": delivery.event_id,
        "event": delivery.type,
        "sequence": delivery.sequence,
        "cause": delivery.cause,
        "state": delivery.state,
        "attempts": delivery.attempt,
        "next_attempt_at": _when(delivery.due_at) if delivery.state == "waiting" else None,
        "status": delivery.status,
        "error": delivery.error and DELIVERY_REASONS.english(delivery.error),
        "created_at": rfc3339(delivery.created_at),
    }


def attempt_json(attempt: WebhookAttempt) -> dict[str, Any]:
    return {
        "number": attempt.number,
        "at": rfc3339(attempt.at),
        "duration_ms": attempt.millis,
        "status": attempt.status,
        "error": attempt.error and DELIVERY_REASONS.english(attempt.error),
        "answer": attempt.answer,
    }


def _when(moment: datetime | None) -> str | None:
    return rfc3339(moment) if moment else None
