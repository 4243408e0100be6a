"""Neutral events of stores and forms, and how untrusted bodies are read."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from core.adapters import SetupStep
from core.i18n.catalogs import N_
from core.security.signing import constant_time_equal, hmac_base64
from core.values.text import BadText, normalize_text, one_line
from webhooks.inbound import reasons

MAX_DEPTH = 40
MAX_VALUE_LENGTH = 500
MAX_ITEMS = 100
ORDER_EVENTS = ("order.created", "order.updated", "order.fulfilled", "order.cancelled")
CHECKOUT_EVENTS = ("checkout.created", "checkout.updated")
EVENTS = (*ORDER_EVENTS, *CHECKOUT_EVENTS, "form.submitted")

HeaderFacts = dict[str, str]


class UnreadableBody(ValueError):
    """A body with a valid signature that still cannot be used. The message is a stored reason."""


@dataclass(frozen=True)
class PhoneHint:
    """A phone as somebody typed it, the country of the address beside it, and where it was
    found.
    """

    written: str
    country: str
    place: str


@dataclass(frozen=True)
class ParsedEvent:
    """`cause` identifies what an automation runs for once; `links` connect an order to its
    checkout.
    """

    kind: str
    subject: str
    cause: str
    data: dict[str, Any]
    phones: tuple[PhoneHint, ...] = ()
    links: tuple[str, ...] = ()
    over: bool = False
    """A checkout that the store itself reports as completed."""


@dataclass(frozen=True)
class ParseResult:
    events: tuple[ParsedEvent, ...] = ()
    nothing: str = ""
    """The stored reason why there are no events, if that is expected."""


@dataclass(frozen=True)
class StoreAccess:
    """How a store's own API is reached."""

    url: str
    """https and the host, without a path."""
    key: str
    secret: str = ""


@dataclass(frozen=True)
class OrderRequest:
    """One request to a store, or to a tenant's own service."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    error_in: Callable[[dict[str, Any]], str] | None = None
    """Finds an error in a response with status 200."""


@dataclass(frozen=True)
class Platform:
    """What an adapter module defines. The registry lists the adapters by their code."""

    title: str
    summary: str
    setup_steps: tuple[SetupStep, ...]
    verify: Callable[[str, Mapping[str, str], bytes], bool]
    """(secret, headers, body): whether the platform sent these bytes."""
    facts: Callable[[Mapping[str, str]], HeaderFacts]
    """The headers that are stored beside the body."""
    dedupe_keys: Callable[[HeaderFacts, bytes], tuple[str, ...]]
    """A repeated post has at least one of the same keys."""
    parse: Callable[[HeaderFacts, bytes], ParseResult]
    """Raises UnreadableBody."""
    hook_title: str = ""
    """The name in the list of received hooks, where it differs from the title."""
    icon: str = "bag"
    is_ping: Callable[[bytes], bool] = lambda _body: False
    """A request that only tests the address; it is answered without a check."""
    new_secret: Callable[[], str] | None = None
    """Makes the secret that is pasted there. None: the platform has its own."""
    secret_required: bool = True
    secret_hint: str = N_("Every incoming request must include it.")
    secret_error: Callable[[str], str] = lambda _secret: ""
    """The sentence for a secret that cannot be used, or an empty one."""
    update_order: Callable[[StoreAccess, str, str, str], list[OrderRequest]] | None = None
    """(access, order id, confirm or cancel, tag): the requests that change an order there. None:
    the platform's orders cannot be changed from here."""
    complete: Callable[[ParsedEvent, Mapping[str, str], str], ParsedEvent] | None = None
    """(event, the tenant's field mapping, country): fills in what the tenant's mapping names.
    None: the platform's events have fixed fields."""


@dataclass
class FormAnswer:
    """One completed field of a form."""

    key: str
    label: str
    value: str
    type: str = ""


def ignored_topic(topic: str) -> str:
    """The stored reason."""
    if not topic:
        return reasons.TOPIC_MISSING
    return reasons.with_values(reasons.TOPIC_IGNORED, topic=topic)


def read_object(body: bytes) -> dict[str, Any]:
    """Parse JSON; numbers with a decimal point stay text. Raises UnreadableBody."""
    try:
        value = json.loads(body, parse_constant=_refuse_constant, parse_float=str)
    except UnicodeDecodeError:
        raise UnreadableBody(reasons.BODY_NOT_UTF8) from None
    except RecursionError:
        raise UnreadableBody(reasons.BODY_TOO_DEEP) from None
    except ValueError:
        raise UnreadableBody(reasons.BODY_NOT_JSON) from None
    if not isinstance(value, dict):
        raise UnreadableBody(reasons.BODY_NOT_OBJECT)
    check_texts(value)
    return value


def check_texts(value: Any) -> None:
    """Raises UnreadableBody. Not recursive: a body that is nested too deeply must not break the
    check.
    """
    parts = [(value, 1)]
    while parts:
        part, depth = parts.pop()
        if isinstance(part, str):
            try:
                normalize_text(part)
            except BadText as error:
                raise UnreadableBody(
                    reasons.with_values(reasons.BODY_NOT_STORED, error=str(error))
                ) from None
        elif isinstance(part, dict | list):
            if depth > MAX_DEPTH:
                raise UnreadableBody(reasons.BODY_TOO_DEEP)
            inner = [*part, *part.values()] if isinstance(part, dict) else part
            parts.extend((one, depth + 1) for one in inner)


def text_of(value: Any, most: int = MAX_VALUE_LENGTH) -> str:
    """A single value as one line of text; empty for objects, lists, booleans and None."""
    if isinstance(value, bool) or value is None:
        return ""
    if isinstance(value, str | int):
        return one_line(str(value), most)
    return ""


def value_at(value: Any, *path: str) -> Any:
    """The value at a path; None if the body has another structure."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """The objects in a value, which may not be a list."""
    if isinstance(value, list):
        yield from (one for one in value[:MAX_ITEMS] if isinstance(one, dict))


def customer_fields(*sources: Any) -> dict[str, str]:
    """Name and e-mail address from the first source that has them."""
    found = {"first_name": "", "last_name": "", "name": "", "email": ""}
    for source in sources:
        for name in found:
            found[name] = found[name] or text_of(value_at(source, name), 120)
    whole = " ".join(filter(None, (found["first_name"], found["last_name"])))
    found["name"] = whole or found["name"]
    found["first_name"] = found["first_name"] or found["name"].partition(" ")[0]
    return found


def item_list(value: Any, name: str, quantity: str = "quantity") -> list[dict[str, str]]:
    return [
        {
            "name": text_of(value_at(one, name), 120),
            "quantity": text_of(value_at(one, quantity), 12) or "1",
        }
        for one in objects_in(value)
        if text_of(value_at(one, name), 120)
    ]


def country_code(value: Any) -> str:
    """``TR``, or empty."""
    code = text_of(value, 8).upper()
    return code if len(code) == 2 and code.isascii() and code.isalpha() else ""


def phone_hints(*places: tuple[str, Any, Any]) -> tuple[PhoneHint, ...]:
    """(place, text, country beside it); empty ones are left out."""
    return tuple(
        PhoneHint(text_of(written, 60), country_code(where), place)
        for place, written, where in places
        if text_of(written, 60)
    )


def has_base64_signature(secret: str, headers: Mapping[str, str], header: str, body: bytes) -> bool:
    """True if the header holds the body's HMAC-SHA256 in base64."""
    given = lowercase_headers(headers).get(header, "")
    return bool(secret) and constant_time_equal(given, hmac_base64(secret, body))


def lowercase_headers(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def body_hash(*parts_: bytes) -> str:
    """A key for a body without an id. It is valid only for a while."""
    return "hash:" + sha256(b"\0".join(parts_)).hexdigest()


def signed(topic: str, body: bytes) -> str:
    """A key for a body that differs for every event. It is valid as long as it is stored."""
    return f"body:{topic}:{sha256(body).hexdigest()}"


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
