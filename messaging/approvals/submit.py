"""An app asks to send a message: it is refused, sent, or held until a person decides.

A held message is a row of `held_messages` and not of `messages`, so that sending never sees it.
"""

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

from sqlalchemy import select

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.errors import Conflict, Forbidden
from core.ids import new_id
from core.live_updates import publish_update
from core.queue import lanes
from core.values.network_address import address_country
from messaging.approvals import events, policies
from messaging.contacts import identities
from messaging.contacts.identities import check_not_blocked
from messaging.costs import rates as message_rates
from messaging.inbox import conversations, replies
from messaging.inbox.conversations import ConversationSummary
from messaging.lines.capabilities import check_capability
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages import accept as message_accept
from messaging.messages.accept import AcceptedMessage, MessageDraft
from messaging.models import Conversation, HeldMessage, Line
from messaging.templates.validation import MARKETING
from tenants import audit
from tenants.plans.catalog import TenantFacts

LANE = "approvals"


@dataclass(frozen=True)
class SendingApp:
    """The app or key that asks, and the person who connected it."""

    key_id: str
    name: str
    for_person: str


def submit_message(
    app: SendingApp,
    draft: MessageDraft,
    line: Line,
    facts: TenantFacts,
    *,
    always_hold: bool = False,
) -> AcceptedMessage:
    """Check the message as if it were sent now, then hold it or send it, as the app's policy says.

    Runs in the tenant's transaction. Raises a DomainError if the message could not be sent, or the
    policy does not allow it.
    """
    draft = message_accept.check_template_draft(draft, line)
    check_capability(line.kind, draft.kind, draft.content)
    check_not_blocked(draft.phone)
    policy = policies.policy_of(app.key_id)
    contact_id = identities.find_by_address(draft.phone)
    talk = conversation_on_line(contact_id, line)
    _check_policy(policy, draft, contact_id)
    check_window(draft.kind, line, talk)
    country = address_country(draft.phone) or "other"
    usd = message_rates.tenant_rates().quote(line, draft.phone, country, draft.category, now())
    policies.reserve(app.key_id, policy, usd)
    automatic = policy.mode == policies.AUTOMATIC_IN_WINDOW and is_window_open(talk)
    if automatic and not always_hold:
        accepted = message_accept.accept_message(draft, line, facts)
        if talk is not None:
            replies.record_reply(talk, accepted.id)
            publish_update("conversations.changed", id=talk.id, message=accepted.id)
        audit.record("approvals.sent_automatically", draft.phone, message=accepted.id)
        return accepted
    return _hold(app, draft, line, policy, usd, talk)


def _hold(
    app: SendingApp,
    draft: MessageDraft,
    line: Line,
    policy: policies.Policy,
    usd: Decimal,
    talk: ConversationSummary | None,
) -> AcceptedMessage:
    moment = now()
    held = HeldMessage(
        tenant_id=current_tenant_id(),
        id=new_id("msg"),
        key_id=app.key_id,
        app_name=app.name,
        for_person=app.for_person,
        line_id=line.id,
        conversation_id=talk.id if talk else None,
        kind=draft.kind,
        phone=draft.phone,
        text=draft.text,
        content=draft.content,
        category=draft.category,
        reference=draft.reference,
        quoted_usd=usd,
        test=line.test,
        created_at=moment,
        expires_at=moment + timedelta(hours=policy.hold_hours),
    )
    db.session.add(held)
    events.publish_held(held)
    lanes.mark_due(LANE, current_tenant_id())
    audit.record("approvals.requested", draft.phone, message=held.id)
    publish_update("approvals.changed", id=held.id, state="held")
    notify_workers("jobs.approvals.drain")
    return AcceptedMessage(held.id, line.id, draft.phone, "held", usd, draft.reference, line.test)


def conversation_on_line(contact_id: str | None, line: Line) -> ConversationSummary | None:
    if contact_id is None:
        return None
    found = conversations.conversations_of_contact(contact_id)
    return next((one for one in found if one.line_id == line.id), None)


def is_window_open(talk: ConversationSummary | None) -> bool:
    """True if the customer wrote in the last 24 hours, on a line whose network has that rule."""
    return talk is not None and bool(talk.window_left())


def check_window(kind: str, line: Line, talk: ConversationSummary | None) -> None:
    """Raise Conflict if the network would refuse the message because the customer is silent."""
    limited = DRIVERS[line.kind].has_reply_window and kind != "template"
    if limited and not is_window_open(talk):
        raise Conflict(
            "window_closed",
            "The customer has not written in the last 24 hours. Only a template can be sent.",
        )


def _check_policy(policy: policies.Policy, draft: MessageDraft, contact_id: str | None) -> None:
    if policy.no_marketing and draft.category == MARKETING:
        raise Forbidden("app_may_not_advertise", "This app may not send marketing messages.")
    if policy.only_who_wrote and not _has_written(contact_id):
        raise Forbidden(
            "recipient_never_wrote", "This app may only send to people who have written before."
        )


def _has_written(contact_id: str | None) -> bool:
    if contact_id is None:
        return False
    query = select(Conversation.id).where(
        Conversation.tenant_id == current_tenant_id(), Conversation.contact_id == contact_id
    )
    return db.session.scalars(query.limit(1)).first() is not None
