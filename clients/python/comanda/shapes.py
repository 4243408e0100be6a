"""Responses as objects. Fields that a newer service adds are in `raw`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Self

Raw = dict[str, Any]


@dataclass(frozen=True)
class Sent:
    """An accepted message. `message_id` is the network's id, None until the network assigns it."""

    id: str
    message_id: str | None
    status: str
    cost_usd: Decimal
    phone: str
    instance_id: int
    reference: str | None
    test: bool
    warnings: list[str]
    raw: Raw = field(repr=False)

    @classmethod
    def of(cls, raw: Raw) -> Self:
        return cls(
            id=raw["id"],
            message_id=raw["message_id"],
            status=raw["status_code"],
            cost_usd=Decimal(raw["cost_usd"]),
            phone=raw["phone"],
            instance_id=raw["instance_id"],
            reference=raw.get("reference"),
            test=bool(raw.get("test")),
            warnings=list(raw.get("warnings") or []),
            raw=raw,
        )


@dataclass(frozen=True)
class Message:
    """An inbound or outbound message."""

    id: str
    message_id: str | None
    direction: str
    status: str
    phone: str
    type: str
    text: str
    instance_id: int
    cost_usd: Decimal
    created_at: datetime
    reference: str | None
    error: Raw | None
    media: Raw | None
    raw: Raw = field(repr=False)

    @classmethod
    def of(cls, raw: Raw) -> Self:
        return cls(
            id=raw["id"],
            message_id=raw["message_id"],
            direction=raw["direction"],
            status=raw["status_code"],
            phone=raw["phone"],
            type=raw["type"],
            text=raw["text"],
            instance_id=raw["instance_id"],
            cost_usd=Decimal(raw["cost_usd"]),
            created_at=datetime.fromisoformat(raw["created_at"]),
            reference=raw.get("reference"),
            error=raw.get("error"),
            media=raw.get("media"),
            raw=raw,
        )


@dataclass(frozen=True)
class Change:
    """A step in a message's timeline."""

    status: str
    at: datetime
    cause: str

    @classmethod
    def of(cls, raw: Raw) -> Self:
        return cls(raw["status_code"], datetime.fromisoformat(raw["at"]), raw["cause"])


@dataclass(frozen=True)
class Contact:
    id: str
    name: str
    phone: str | None
    language: str
    tags: list[str]
    opted_out: bool
    blocked: bool
    raw: Raw = field(repr=False)

    @classmethod
    def of(cls, raw: Raw) -> Self:
        return cls(
            id=raw["id"],
            name=raw["name"] or raw.get("profile_name", ""),
            phone=raw["phone"],
            language=raw["language"],
            tags=list(raw["tags"]),
            opted_out=raw["opted_out"],
            blocked=raw["blocked"],
            raw=raw,
        )


@dataclass(frozen=True)
class Template:
    """A template of a cloud line. `places` are the placeholders that `parameters` fills."""

    id: str
    name: str
    language: str
    category: str
    state: str
    reason: str
    body: str
    places: list[str]
    instance_ids: list[int]
    raw: Raw = field(repr=False)

    @classmethod
    def of(cls, raw: Raw) -> Self:
        return cls(
            id=raw["id"],
            name=raw["name"],
            language=raw["language"],
            category=raw["category"],
            state=raw["state"],
            reason=raw["reason"],
            body=raw["body"],
            places=list(raw["places"]),
            instance_ids=list(raw["instance_ids"]),
            raw=raw,
        )


@dataclass(frozen=True)
class Event:
    """An event; the same from the feed and from a webhook."""

    kind: str
    id: str
    occurred_at: datetime
    sequence: int | None
    data: Raw
    instance_id: int | None
    raw: Raw = field(repr=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Self:
        return cls(
            kind=raw["event"],
            id=raw["event_id"],
            occurred_at=datetime.fromisoformat(raw["occurred_at"]),
            sequence=raw.get("sequence"),
            data=dict(raw.get("data") or {}),
            instance_id=raw.get("instance_id"),
            raw=dict(raw),
        )
