"""What a step does outside of its run: a message, a tag, a conversation for the team."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, NotFound
from core.i18n.catalogs import N_, PORTAL_TEXTS
from core.ids import from_uuid, to_uuid
from messaging.automations import store_orders
from messaging.contacts import cards as contact_cards
from messaging.contacts import repository as contact_repository
from messaging.contacts.validation import ContactInput
from messaging.inbox import composed, conversation_actions
from messaging.inbox.composed import ComposedCard
from messaging.journeys import ports, reasons
from messaging.journeys.engine import ChangeTag, Facts, GiveToPerson, Send, Visit
from messaging.journeys.ports import LatestOrder
from messaging.journeys.validation import choice_card
from messaging.lines import repository as line_repository
from messaging.lines.capabilities import check_capability
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from messaging.messages.kinds.interactive.requests import LocationRequestFields
from messaging.models import Journey, JourneyRun, Line
from messaging.templates.placeholders import event_values
from tenants import accounts
from tenants.plans.catalog import TenantFacts, current_tenant_facts

TEST_TAG = "test_tag."
LATEST_ORDER_AGE = timedelta(days=30)
STORE_STATES = {
    store_orders.CREATED: N_("has been received and is being prepared"),
    store_orders.FULFILLED: N_("has been shipped"),
    store_orders.CANCELLED: N_("was cancelled"),
}

READ_TALK = text("""
SELECT id, window_until, assigned_to FROM conversations
 WHERE tenant_id = :tenant_id AND line_id = :line_id AND contact_id = :contact_id
""")


class CannotSend(Exception):
    """The message of a step cannot be sent; the run fails with this stored reason."""

    def __init__(self, because: str) -> None:
        super().__init__(because)
        self.because = because


@dataclass
class RunFacts:
    """What the steps of one transaction need, read once."""

    engine: Facts
    line: Line
    tenant: TenantFacts
    address: str
    window_until: datetime | None
    conversation_id: str


def json_text(values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)


def obstacle(run: JourneyRun) -> str:
    """Why a run does not go on: the journey was deleted or paused meanwhile."""
    journey = db.session.execute(
        select(Journey.live, Journey.removed_at).where(
            Journey.tenant_id == current_tenant_id(), Journey.id == run.journey_id
        )
    ).first()
    if journey is None or journey.removed_at is not None:
        return reasons.JOURNEY_REMOVED
    return "" if journey.live else reasons.JOURNEY_PAUSED


def read_facts(
    run: JourneyRun, moment: datetime, *, orders: bool = False, menu: bool = False
) -> RunFacts:
    """Orders and the link of the menu are read only if the steps need them."""
    try:
        card = contact_cards.get(run.contact_id)
    except NotFound:
        raise CannotSend(reasons.NOT_REACHABLE) from None
    line = line_repository.get(run.line_id)
    talk = db.session.execute(
        READ_TALK,
        {
            "tenant_id": current_tenant_id(),
            "line_id": line.id,
            "contact_id": str(to_uuid("con", run.contact_id)),
        },
    ).first()
    name, tenant = card.contact.name, current_tenant_facts()
    values = {
        "customer.name": name,
        "customer.first_name": name.split(" ")[0],
        "customer.last_name": name.partition(" ")[2],
        "shop.name": tenant.name,
        "menu.link": ports.menu_link(line.id) if menu else "",
    }
    latest = _latest_order(card, test=line.test) if orders else None
    if latest is not None and latest.placed_at >= now() - LATEST_ORDER_AGE:
        values |= {
            "latest_order.number": latest.number,
            "latest_order.state": latest.state,
            "latest_order.total": latest.total,
        }
    tags = _tags(card.contact.tags, run)
    facts = Facts(moment, tags, latest is not None, values)
    address = contact_cards.address_on_line(
        card.identities, line.id, DRIVERS[line.kind].address_kinds
    )
    window = talk.window_until if talk is not None else None
    talk_id = from_uuid("cnv", talk.id) if talk is not None else ""
    return RunFacts(facts, line, tenant, address, window, talk_id)


def _latest_order(card: contact_cards.ContactCard, *, test: bool) -> LatestOrder | None:
    """The last order at the restaurant or in a store, whichever is newer. Stores have no test
    mode.
    """
    locale, source = accounts.account().locale, ports.orders()
    found = [source.latest(card.contact.id, locale, test=test)] if source is not None else []
    phones = [one.value for one in card.identities if one.kind == "phone"]
    order = None if test else store_orders.latest_order(phones)
    if order is not None:
        values = event_values(order.data, "", "", locale)
        found.append(
            LatestOrder(
                values.get("order.number", ""),
                PORTAL_TEXTS.gettext(locale, STORE_STATES[order.kind]),
                values.get("order.total", ""),
                order.placed_at,
            )
        )
    known = [one for one in found if one is not None]
    return max(known, key=lambda one: one.placed_at, default=None)


def apply(run: JourneyRun, visit: Visit, facts: RunFacts) -> str | None:
    """Apply the effect of a visit in the open transaction. Returns the id of its message."""
    effect = visit.effect
    if isinstance(effect, Send):
        return _send(effect, facts)
    if isinstance(effect, ChangeTag) and not run.test:
        _change_tag(run.contact_id, effect)
    elif isinstance(effect, GiveToPerson):
        _give_to_person(run, effect, facts)
    return None


def message_of(effect: Send, address: str) -> MessageDraft:
    """The message of a step. Raises Invalid."""
    if effect.template is not None:
        name, language, parameters = effect.template
        content = {"name": name, "language": language, "parameters": list(parameters)}
        return MessageDraft("template", address, content=content, category="utility")
    if effect.kind == "location_request":
        fields = LocationRequestFields.model_validate({"body": effect.text})
        return MessageDraft(
            effect.kind, address, fields.message_text(), composed.content_of(fields)
        )
    card = None
    if effect.choices:
        card = choice_card(effect.kind, list(effect.choices), effect.list_button)
    elif effect.link_url:
        card = ComposedCard("link_button", link_text=effect.link_text, link_url=effect.link_url)
    if card is None:
        return MessageDraft("text", address, effect.text)
    message_fields = composed.message_fields(card, effect.text)
    content = composed.content_of(message_fields)
    return MessageDraft(card.kind, address, message_fields.message_text(), content)


def _send(effect: Send, facts: RunFacts) -> str:
    line = facts.line
    if not line.enabled:
        raise Conflict("line_disabled", "This line is turned off.")
    if not facts.address:
        raise CannotSend(reasons.NOT_REACHABLE)
    draft = message_accept.check_template_draft(message_of(effect, facts.address), line)
    check_capability(line.kind, draft.kind, draft.content)
    closed = facts.window_until is None or facts.window_until <= now()
    if DRIVERS[line.kind].has_reply_window and draft.kind != "template" and closed:
        raise CannotSend(reasons.WINDOW_CLOSED)
    return message_accept.accept_message(draft, line, facts.tenant).id


def keep_test_tag(values: dict[str, str], effect: ChangeTag) -> None:
    """A run on the test line does not change the contact: its tags stay in the run."""
    values[f"{TEST_TAG}{effect.tag}"] = "" if effect.remove else "yes"


def _tags(known: Sequence[str], run: JourneyRun) -> frozenset[str]:
    tags = set(known)
    for name, value in run.values.items() if run.test else ():
        if name.startswith(TEST_TAG):
            tags = tags | {name[len(TEST_TAG) :]} if value else tags - {name[len(TEST_TAG) :]}
    return frozenset(tags)


def _change_tag(contact_id: str, effect: ChangeTag) -> None:
    tags = list(contact_cards.get_contact(contact_id).tags)
    has = effect.tag in tags
    if effect.remove and has:
        tags.remove(effect.tag)
    elif not effect.remove and not has:
        tags.append(effect.tag)
    else:
        return
    contact_repository.change(contact_id, ContactInput(tags=tags))


def _give_to_person(run: JourneyRun, effect: GiveToPerson, facts: RunFacts) -> None:
    journey = db.session.get(Journey, (current_tenant_id(), run.journey_id))
    name = journey.name if journey is not None else ""
    note = effect.note or name
    conversation_actions.add_system_note(facts.line.id, run.contact_id, note)
    if not facts.conversation_id:
        return
    conversation_actions.reopen(facts.conversation_id)
    if effect.member:
        conversation_actions.assign(facts.conversation_id, effect.member)
    conversation_actions.mark_unread(facts.conversation_id)
