"""Erasing a contact: gone from the book at once, and then, bit by bit, from all that was kept.

What is left of a message is its state, its price and its times: the ledger still adds up. The
row of the erasure knows what to look for and how far it has come, so a worker that dies goes on
from there; when it is done it has forgotten the names too.
"""

from collections.abc import Callable

from sqlalchemy import delete, select

from core import lanes
from core.clock import now
from core.db import current_tenant_id, db, ring
from core.ids import new_id, new_uuid
from messaging import reading
from messaging.crm import cards, store_traces, tokens, traces, wishes
from messaging.crm.cards import Card
from messaging.crm.traces import Blobs, Sought
from messaging.models import Contact, ContactErasure
from tenants import audit
from tenants.audit import current_actor

LANE = "contacts"
STEPS = ("messages", "events", "hooks", "stores", "audit", "rest")

# Areas above this one add what they keep: a function of Sought, called once, in its own step.
ALSO: list[Callable[[Sought], None]] = []


def erase(contact_id: str) -> ContactErasure:
    """At once: out of the book. The rest is a job that can be watched."""
    card = cards.get(contact_id)
    reading.call_off(cards.names_of(card))
    erasure = ContactErasure(
        tenant_id=current_tenant_id(),
        id=new_id("era"),
        contact_id=card.id,
        names={
            "names": cards.names_of(card),
            "titles": sorted({card.title, card.contact.name, card.contact.profile_name} - {""}),
            "until": str(new_uuid()),
        },
        step=STEPS[0],
        author=current_actor().name,
    )
    db.session.add(erasure)
    delete_contact(card)
    audit.record("contacts.erased", traces.ERASED, erasure=erasure.id)
    lanes.mark_due(LANE, current_tenant_id())
    ring("jobs.contacts.drain")
    return erasure


def remove(contact_id: str) -> None:
    """Out of the book only: messages stay as they are, and writing again makes a new contact."""
    card = cards.get(contact_id)
    delete_contact(card)
    audit.record("contacts.removed", card.title, contact=card.id)


def delete_contact(card: Card) -> None:
    tenant_id = current_tenant_id()
    wishes.forget_blocked(card.id)
    with tokens.kept(card.id):
        db.session.execute(
            delete(Contact).where(Contact.tenant_id == tenant_id, Contact.id == card.id)
        )
        db.session.expunge(card.contact)


def get(erasure_id: str) -> ContactErasure | None:
    return db.session.get(ContactErasure, (current_tenant_id(), erasure_id))


def next_open() -> ContactErasure | None:
    return db.session.scalars(
        select(ContactErasure)
        .where(ContactErasure.tenant_id == current_tenant_id(), ContactErasure.done_at.is_(None))
        .order_by(ContactErasure.id)
        .limit(1)
        .with_for_update()
    ).first()


def work(erasure: ContactErasure, drop_blobs: Blobs) -> bool:
    """One batch of one step. True: there is more; False: only something in flight is waited for."""
    sought = Sought(
        contact_id=erasure.contact_id,
        names=list(erasure.names["names"]),
        titles=list(erasure.names["titles"]),
        until=str(erasure.names["until"]),
    )
    step = erasure.step
    if step == "messages":
        looked, found = traces.messages(sought, drop_blobs)
        if looked < traces.BATCH and traces.still_in_flight(sought):
            erasure.found += found
            return False
    elif step == "events":
        looked, found = traces.scan(erasure, sought, traces.EVENTS, *traces.OF_EVENTS)
    elif step == "hooks":
        looked, found = traces.scan(erasure, sought, traces.HOOKS, traces.BLANK_HOOKS)
        if looked < 0:
            return False
    elif step == "stores":
        looked, found = store_traces.events(erasure, traces.marks_of(sought), traces.BATCH)
        if looked < 0:
            return False
    elif step == "audit":
        looked, found = traces.scan(erasure, sought, traces.AUDIT, traces.BLANK_AUDIT)
    else:
        traces.the_rest(sought)
        for also in ALSO:
            also(sought)
        looked, found = 0, 0
    erasure.found += found
    if looked < traces.BATCH:
        _next_step(erasure)
    return True


def _next_step(erasure: ContactErasure) -> None:
    number = STEPS.index(erasure.step) + 1
    erasure.reached = ""
    if erasure.step == "messages":  # what was in flight has told of itself meanwhile
        erasure.names = {**erasure.names, "until": str(new_uuid())}
    if number < len(STEPS):
        erasure.step = STEPS[number]
        return
    erasure.step, erasure.names, erasure.done_at = "done", {}, now()
