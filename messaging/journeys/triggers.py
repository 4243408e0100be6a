"""What starts a run: messages, orders, events of stores and forms, tags, and programs.

Customers who wait for an answer get the first steps in the transaction of their message. Everything
else is started by a worker, so that an order or a form never waits for a journey.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select, text

from core.clock import now, zone
from core.db import current_tenant_id, db
from core.errors import DomainError, invalid
from core.ids import from_uuid, new_id, to_uuid
from core.values.text import strip_accents
from messaging.automations import store_events
from messaging.contacts import cards as contact_cards
from messaging.contacts import identities as contact_identities
from messaging.journeys import engine, reasons, repository, runs
from messaging.journeys.definition import Hours
from messaging.journeys.repository import LiveJourney
from messaging.journeys.runs import NewRun
from messaging.journeys.stops import stop_runs
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage
from messaging.models import Contact, JourneyRun, Line, StoreEvent
from messaging.templates.placeholders import event_values
from tenants import accounts
from tenants.plans.catalog import current_tenant_facts

NEEDS_PERSON = "needs_person"
"""A reaction that answered and gave the conversation to a person: it stays unread."""
LONGEST_KEYWORD = 100
BY_MESSAGE = ("ad", "first_message", "out_of_hours")
"""The first one that fits answers: who comes from an ad usually writes for the first time, and
gets the answer to the ad."""
_NO_ANSWERS = ("reaction", "unsupported", "request_welcome", "order")

# The conversation is younger than the message that created it.
WHO_WROTE = text("""
SELECT messages.contact_id, conversations.id > messages.id AS is_first
  FROM messages
  JOIN conversations ON conversations.tenant_id = messages.tenant_id
   AND conversations.line_id = messages.line_id
   AND conversations.contact_id = messages.contact_id
 WHERE messages.tenant_id = :tenant_id AND messages.id = :message_id
   AND conversations.tenant_id = :tenant_id
""")
WAITS = text("""
SELECT journey_runs.id FROM messages
  JOIN journey_runs ON journey_runs.tenant_id = messages.tenant_id
   AND journey_runs.contact_id = messages.contact_id
   AND journey_runs.line_id = messages.line_id
 WHERE messages.tenant_id = :tenant_id AND messages.id = :message_id
   AND journey_runs.tenant_id = :tenant_id AND journey_runs.state = 'running'
   AND journey_runs.waits = 'reply'
 ORDER BY journey_runs.changed_at DESC, journey_runs.id DESC LIMIT 1
""")


@dataclass(frozen=True)
class Sender:
    contact_id: str
    is_first: bool


def may_be_answer(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    return message.kind not in _NO_ANSWERS


def answer(line: Line, message: InboundMessage, message_id: str) -> object:
    """The answer to the question that a run waits with. In the message's transaction."""
    params = {"tenant_id": current_tenant_id(), "message_id": str(to_uuid("msg", message_id))}
    row = db.session.execute(WAITS, params).first()
    if row is None:
        return False
    run = runs.waiting_for_reply(from_uuid("jrn", row.id))
    if run is None:
        return False
    reply = reply_of(message, message_id)
    step = repository.version_of_run(run).get(run.step)
    if not engine.is_answer(step, reply) and _keyword_journeys(line, message):
        return False
    if not runs.take_reply(run, reply):
        return False
    handed = run.because in (reasons.HANDED_OVER, reasons.ANSWER_NOT_UNDERSTOOD)
    return NEEDS_PERSON if run.state != engine.RUNNING and handed else True


def may_be_keyword(message: InboundMessage) -> bool:
    return 0 < len(message.text) <= LONGEST_KEYWORD and may_be_answer(message)


def start_for_keyword(line: Line, message: InboundMessage, message_id: str) -> object:
    for journey in _keyword_journeys(line, message):
        sender = _sender(message_id)
        if sender is not None:
            return _start_for_message(journey, line, message, message_id, sender, "")
    return False


def start_for_message(line: Line, message: InboundMessage, message_id: str) -> object:
    """A first message, a message outside of the hours, or one that came from an ad."""
    found = repository.live_journeys(*BY_MESSAGE)
    fitting = [one for one in found if _is_for(one, line)]
    if not fitting:
        return False
    sender = _sender(message_id)
    if sender is None:
        return False
    moment = _local_now()
    for journey in sorted(fitting, key=lambda one: BY_MESSAGE.index(_kind(one))):
        cause = _message_cause(journey, line, message, sender, moment)
        if cause is not None and (
            done := _start_for_message(journey, line, message, message_id, sender, cause)
        ):
            return done
    return False


def reply_of(message: InboundMessage, message_id: str) -> engine.Reply:
    latitude, longitude = message.content.get("latitude"), message.content.get("longitude")
    return engine.Reply(
        message.kind,
        message.text,
        str(message.content.get("id") or "") if message.kind == "button" else "",
        float(latitude) if latitude is not None else None,
        float(longitude) if longitude is not None else None,
        message_id,
    )


def start_for_order(
    contact_id: str | None,
    line_id: int | None,
    order_id: str,
    state: str,
    values: dict[str, str],
    *,
    test: bool,
) -> int:
    """An order of the restaurant has a new state. A test order starts a run on the test line."""
    if contact_id is None:
        return 0
    started = 0
    for journey in repository.live_journeys("order_state"):
        when = journey.definition.when
        if state in when.states:
            line = journey.definition.line_id or line_id or _default_line_id()
            if test:
                line = _default_line_id(test=True)
            cause = f"order:{order_id}:{state}"
            if line is not None:
                started += _start(journey, NewRun(contact_id, line, cause, values, test=test))
    return started


def start_for_store_event(event: StoreEvent) -> int:
    """An order, a cart or a form of a connection. An order ends the runs of its carts."""
    if event.kind == "order.created":
        _stop_runs_of_carts(event)
    trigger = _store_trigger(event.kind)
    if not trigger or event.data.get("over"):
        return 0
    if trigger == "cart" and store_events.has_order(event):
        return 0
    found = [
        one
        for one in repository.live_journeys(trigger)
        if one.definition.when.connection_id in ("", event.connection_id)
        and (trigger != "store_order" or event.kind in one.definition.when.states)
    ]
    if not found:
        return 0
    contact_id = _contact_of_event(event)
    if contact_id is None:
        return 0
    facts, locale = current_tenant_facts(), accounts.account().locale
    values = event_values(event.data, event.phone, facts.name, locale)
    values["store.event"] = event.id
    cause = f"{event.connection_id}:{event.cause}:{trigger}"
    if trigger == "cart":
        cause = _cart_cause(event.connection_id, event.subject)
    started = 0
    for journey in found:
        line_id = journey.definition.line_id or _default_line_id()
        if line_id is not None:
            started += _start(journey, NewRun(contact_id, line_id, cause, values))
    return started


def start_for_tags(contact_id: str, added: Iterable[str]) -> int:
    """A person, a program or a journey has added tags to a contact."""
    names, started = {strip_accents(one) for one in added}, 0
    if not names:
        return 0
    for journey in repository.live_journeys("tag"):
        line_id = journey.definition.line_id or _default_line_id()
        if strip_accents(journey.definition.when.tag) in names and line_id is not None:
            cause = f"tag:{contact_id}:{now().isoformat()}"
            started += _start(journey, NewRun(contact_id, line_id, cause, {}))
    return started


def start_by_program(
    journey_id: str,
    contact_id: str,
    values: Mapping[str, str],
    *,
    line_id: int | None = None,
    test: bool = False,
) -> str:
    """Start a run for a contact; with `test`, on the test line. Raises Conflict and Invalid."""
    journey = repository.live_journey(journey_id)
    contact = contact_cards.get_contact(contact_id)
    if contact.blocked_at is not None:
        raise contact_identities.contact_blocked_error()
    if contact.opted_out_at is not None:
        raise invalid(
            "contact_id",
            "recipient_opted_out",
            "This contact has opted out of marketing messages.",
        )
    route = line_repository.route_for(
        line_id or journey.definition.line_id, test=test, allowed=None
    )
    given = {f"api.{name}": value for name, value in values.items()}
    new = NewRun(contact.id, route.id, f"api:{new_id('jrn')}", given, test=test)
    run_id = runs.start_later(journey, new)
    if run_id is None:
        raise invalid("contact_id", "already_running", "This contact is already in this journey.")
    return run_id


def _start(journey: LiveJourney, new: NewRun) -> bool:
    """Start a run with a worker, unless the contact may not get marketing messages."""
    contact = db.session.get(Contact, (current_tenant_id(), new.contact_id))
    if contact is None or contact.blocked_at is not None:
        return False
    if _kind(journey) in ("cart", "tag", "date") and contact.opted_out_at is not None:
        return False
    return runs.start_later(journey, new) is not None


def _start_for_message(
    journey: LiveJourney,
    line: Line,
    message: InboundMessage,
    message_id: str,
    sender: Sender,
    cause: str,
) -> object:
    stop_runs(sender.contact_id, reasons.OTHER_JOURNEY, line_id=line.id, only_questions=True)
    name = message.sender_name
    values = {"customer.name": name, "customer.first_name": name.split(" ")[0]} if name else {}
    cause = cause or f"message:{message_id}"
    new = NewRun(sender.contact_id, line.id, cause, values, test=line.test)
    run_id = runs.start_now(journey, new)
    if run_id is None:
        return False
    run = db.session.get(JourneyRun, (current_tenant_id(), run_id))
    handed = run is not None and run.because == reasons.HANDED_OVER
    return NEEDS_PERSON if handed else True


def _keyword_journeys(line: Line, message: InboundMessage) -> list[LiveJourney]:
    if not may_be_keyword(message):
        return []
    said = {_folded(message.text), _folded(str(message.content.get("id") or ""))} - {""}
    return [
        one
        for one in repository.live_journeys("keyword")
        if _is_for(one, line) and said & {_folded(word) for word in one.definition.when.words}
    ]


def _message_cause(
    journey: LiveJourney, line: Line, message: InboundMessage, sender: Sender, moment: datetime
) -> str | None:
    """The cause of a run, "" for the message itself; None: the journey does not begin now."""
    when, hours = journey.definition.when, journey.definition.hours
    if when.kind == "ad":
        referral = message.content.get("referral")
        ad = str(referral.get("source_id") or "") if isinstance(referral, dict) else None
        return "" if ad is not None and when.ad in ("", ad) else None
    if when.kind == "first_message":
        return f"first:{sender.contact_id}:{line.id}" if sender.is_first else None
    if engine.is_open(hours, moment):
        return None
    return f"away:{sender.contact_id}:{line.id}:{_closed_period(hours, moment)}"


def _closed_period(hours: Hours, moment: datetime) -> str:
    """The date of the last opening: an away message is sent once until the next one."""
    hour, minute = (int(part) for part in hours.opens.split(":"))
    return (moment - timedelta(hours=hour, minutes=minute)).date().isoformat()


def _sender(message_id: str) -> Sender | None:
    params = {"tenant_id": current_tenant_id(), "message_id": str(to_uuid("msg", message_id))}
    row = db.session.execute(WHO_WROTE, params).first()
    return Sender(from_uuid("con", row.contact_id), row.is_first) if row is not None else None


def _kind(journey: LiveJourney) -> str:
    return journey.definition.when.kind


def _local_now() -> datetime:
    return now().astimezone(zone(accounts.account().time_zone))


def _is_for(journey: LiveJourney, line: Line) -> bool:
    """Every journey can be tried on the test line, whichever line it is for."""
    return line.test or journey.definition.line_id in (None, line.id)


def _default_line_id(*, test: bool = False) -> int | None:
    try:
        return line_repository.route_for(None, test=test, allowed=None).id
    except DomainError:
        return None


def _store_trigger(kind: str) -> str:
    if kind.startswith("checkout."):
        return "cart"
    if kind == "form.submitted":
        return "form"
    return "store_order" if kind.startswith("order.") and kind != "order.updated" else ""


def _contact_of_event(event: StoreEvent) -> str | None:
    if named := str(event.data.get("contact_id") or ""):
        return named
    if not event.phone:
        return None
    found = contact_identities.find_by_address(event.phone)
    if found is not None:
        return found
    name = str(event.data.get("customer", {}).get("name", ""))
    return contact_identities.find_or_create(event.phone, "", name, event.at).id


def _cart_cause(connection_id: str, subject: str) -> str:
    return f"cart:{connection_id}:{subject}"[:200]


def _stop_runs_of_carts(order: StoreEvent) -> None:
    subjects = store_events.checkouts_of(order)
    if not subjects:
        return
    causes = [_cart_cause(order.connection_id, one) for one in subjects]
    found = db.session.scalars(
        select(JourneyRun)
        .where(
            JourneyRun.tenant_id == current_tenant_id(),
            JourneyRun.cause.in_(causes),
            JourneyRun.state == engine.RUNNING,
        )
        .order_by(JourneyRun.id)
        .with_for_update()
    )
    for run in found:
        runs.stop(run, reasons.ORDERED)


def _folded(typed: str) -> str:
    return " ".join(strip_accents(typed).split()).strip(".!?, ")
