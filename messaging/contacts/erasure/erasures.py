"""Erase a contact: delete the contact at once, then all its stored data step by step.

A message keeps its state, price and times, so that the ledger still adds up. The erasure row holds
what to look for and how far it has come, so that another worker can continue after a crash. When it
is done, the names are deleted from it too.
"""

from collections.abc import Callable

from sqlalchemy import delete, select

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.ids import new_id, new_uuid
from core.queue import lanes
from messaging.contacts import cards as contact_cards
from messaging.contacts import consent as contact_consent
from messaging.contacts import search_tokens
from messaging.contacts.cards import ContactCard
from messaging.contacts.erasure import conversation_data, personal_data, store_data
from messaging.contacts.erasure.personal_data import DeleteBlobs, ErasureTarget
from messaging.messages import queries as message_queries
from messaging.models import Contact, ContactErasure
from tenants import audit
from tenants.audit import current_actor

LANE = "contacts"
STEPS = ("messages", "events", "hooks", "stores", "audit", "rest")

# Other packages add their own steps: a function of ErasureTarget, called once in the last step.
MORE_STEPS: list[Callable[[ErasureTarget], None]] = []


def start_erasure(contact_id: str) -> ContactErasure:
    """Delete the contact now. A job erases the rest; its progress is visible."""
    card = contact_cards.get(contact_id)
    message_queries.cancel_waiting_messages(contact_cards.addresses_of(card))
    erasure = ContactErasure(
        tenant_id=current_tenant_id(),
        id=new_id("era"),
        contact_id=card.id,
        names={
            "names": contact_cards.addresses_of(card),
            "titles": sorted({card.title, *_names(card.contact)} - {""}),
            "until": str(new_uuid()),
        },
        step=STEPS[0],
        author=current_actor().name,
    )
    db.session.add(erasure)
    delete_contact_row(card)
    audit.record("contacts.erased", personal_data.ERASED_NAME, erasure=erasure.id)
    lanes.mark_due(LANE, current_tenant_id())
    notify_workers("jobs.contacts.drain")
    return erasure


def _names(contact: Contact) -> tuple[str, ...]:
    return contact.name, contact.profile_name, contact.username


def delete_contact_only(contact_id: str) -> None:
    """Delete the contact only. Messages stay, and a new message from them creates a new contact."""
    card = contact_cards.get(contact_id)
    delete_contact_row(card)
    audit.record("contacts.removed", card.title, contact=card.id)


def delete_contact_row(card: ContactCard) -> None:
    tenant_id = current_tenant_id()
    contact_consent.delete_blocked_phones(card.id)
    conversation_data.end_waiting(card.id)
    with search_tokens.updating_tokens(card.id):
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


def run_step(erasure: ContactErasure, drop_blobs: DeleteBlobs) -> bool:
    """Run one batch of the current step.

    Returns True if there is more to do, False if it has to wait for something in progress.
    """
    target = ErasureTarget(
        contact_id=erasure.contact_id,
        names=list(erasure.names["names"]),
        titles=list(erasure.names["titles"]),
        until=str(erasure.names["until"]),
    )
    step = erasure.step
    if step == "messages":
        scanned, found = personal_data.blank_messages(target, drop_blobs)
        if scanned < personal_data.BATCH and personal_data.has_messages_in_flight(target):
            erasure.found += found
            return False
    elif step == "events":
        scanned, found = personal_data.scan_table(
            erasure, target, personal_data.EVENTS, *personal_data.BLANK_EVENT_STATEMENTS
        )
    elif step == "hooks":
        scanned, found = personal_data.scan_table(
            erasure, target, personal_data.HOOKS, personal_data.BLANK_HOOKS
        )
        if scanned < 0:
            return False
    elif step == "stores":
        scanned, found = store_data.erase_store_events(
            erasure, personal_data.search_patterns(target), personal_data.BATCH
        )
        if scanned < 0:
            return False
    elif step == "audit":
        scanned, found = personal_data.scan_table(
            erasure, target, personal_data.AUDIT, personal_data.BLANK_AUDIT
        )
    else:
        personal_data.erase_remaining(target)
        for also in MORE_STEPS:
            also(target)
        scanned, found = 0, 0
    erasure.found += found
    if scanned < personal_data.BATCH:
        _next_step(erasure)
    return True


def _next_step(erasure: ContactErasure) -> None:
    number = STEPS.index(erasure.step) + 1
    erasure.reached = ""
    if erasure.step == "messages":  # messages that were in flight have caused more events since
        erasure.names = {**erasure.names, "until": str(new_uuid())}
    if number < len(STEPS):
        erasure.step = STEPS[number]
        return
    erasure.step, erasure.names, erasure.done_at = "done", {}, now()
