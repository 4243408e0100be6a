"""Approval in a member's own chat: held messages arrive there with two buttons.

A member connects a phone by sending a code from it, so that nobody can enter another person's
number. A tap counts only from that phone, and only while the member may reply to customers.
"""

import re
import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import and_, delete, select

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, savepoint
from core.errors import DomainError, NotFound
from core.i18n.catalogs import N_, PORTAL_TEXTS
from core.values.phone import phone_variants
from messaging.approvals import decisions, submit
from messaging.contacts import cards as contact_cards
from messaging.contacts import identities
from messaging.inbox import composed
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage
from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from messaging.messages.kinds.interactive.base import LONGEST_BODY
from messaging.messages.kinds.interactive.buttons import ButtonsFields
from messaging.messages.kinds.registry import is_written
from messaging.models import ApprovalChat, HeldMessage, Line
from tenants import audit
from tenants.audit import Actor, acting_as
from tenants.models import Member, Person
from tenants.plans.catalog import current_tenant_facts
from tenants.rights import role_may

RIGHT = "inbox.reply"
CODE_LIFETIME = timedelta(minutes=30)
NOTIFIED_AT_ONCE = 50
CODE = re.compile(r"\s*OK-(\d{8})\s*")
BUTTON = re.compile(r"approval:(yes|no):(msg_\w{26,36})")

MEMBERS = (
    select(ApprovalChat, Person.id, Person.name, Person.locale, Member.role)
    .join(Member, and_(Member.tenant_id == THIS_TENANT, Member.person_id == ApprovalChat.person_id))
    .join(Person, Person.id == ApprovalChat.person_id)
    .where(ApprovalChat.tenant_id == THIS_TENANT)
)


def start_connecting(person_id: str, line: Line) -> ApprovalChat:
    """Return the chat with a new code, valid for half an hour. An earlier phone is disconnected."""
    chat = db.session.merge(
        ApprovalChat(
            tenant_id=current_tenant_id(),
            person_id=person_id,
            line_id=line.id,
            code=f"{secrets.randbelow(10**8):08d}",
            code_expires_at=now() + CODE_LIFETIME,
            phone=None,
            connected_at=None,
        )
    )
    db.session.flush()
    return chat


def chat_of(person_id: str) -> ApprovalChat | None:
    return db.session.get(ApprovalChat, (current_tenant_id(), person_id))


def disconnect(person_id: str) -> None:
    gone = db.session.execute(
        delete(ApprovalChat)
        .where(ApprovalChat.tenant_id == current_tenant_id(), ApprovalChat.person_id == person_id)
        .returning(ApprovalChat.person_id)
    )
    if gone.first() is not None:
        audit.record("approvals.chat_disconnected", audit.current_actor().name)


def may_answer(message: InboundMessage) -> bool:
    """Cheap, and asked of every message."""
    tapped = BUTTON.fullmatch(str(message.content.get("id") or ""))
    return tapped is not None or (is_written(message.kind) and bool(CODE.fullmatch(message.text)))


def answer(line: Line, message: InboundMessage) -> bool:
    """Runs in the transaction that stored the message. False if it has nothing to do with this."""
    tapped = BUTTON.fullmatch(str(message.content.get("id") or ""))
    if tapped is not None:
        return _decide_by_tap(line, message, *tapped.groups())
    code = CODE.fullmatch(message.text)
    return code is not None and _connect(line, message, code[1])


def notify_members() -> int:
    """Send the messages that were held since the last time to the chats of members."""
    waiting = db.session.scalars(
        select(HeldMessage)
        .where(
            HeldMessage.tenant_id == current_tenant_id(),
            HeldMessage.state == "held",
            HeldMessage.notified_at.is_(None),
        )
        .order_by(HeldMessage.id)
        .limit(NOTIFIED_AT_ONCE)
    ).all()
    if not waiting:
        return 0
    chats = _connected_chats()
    names = contact_cards.names_by_phone(one.phone for one in waiting)
    for held in waiting:
        held.notified_at = now()
        for row in chats:
            _ask(held, row, names.get(held.phone, ("", ""))[1] or f"+{held.phone}")
    return len(waiting)


def _connect(line: Line, message: InboundMessage, code: str) -> bool:
    found = db.session.execute(MEMBERS.where(ApprovalChat.code == code)).first()
    if found is None or not message.sender_phone:
        return False
    chat, _, name, locale, role = found
    usable = chat.phone is None and chat.line_id == line.id and chat.code_expires_at > now()
    if not usable or not role_may(role, RIGHT):
        return False
    chat.phone, chat.connected_at = message.sender_phone, now()
    with acting_as(Actor("person", chat.person_id, name)):
        audit.record("approvals.chat_connected", name)
    _write(
        line,
        chat.phone,
        PORTAL_TEXTS.text(
            locale, N_("Connected. Messages that need your approval will arrive here.")
        ),
    )
    return True


def _decide_by_tap(line: Line, message: InboundMessage, choice: str, message_id: str) -> bool:
    row = _member_of_phone(line, message.sender_phone)
    if row is None:
        return False
    chat, person_id, name, locale, _ = row
    with acting_as(Actor("person", person_id, name)):
        try:
            with savepoint():
                if choice == "yes":
                    decisions.approve(message_id)
                else:
                    decisions.reject(message_id)
            done = N_("Approved and sent.") if choice == "yes" else N_("Rejected. It is not sent.")
            text = PORTAL_TEXTS.text(locale, done)
        except DomainError as refusal:
            why = PORTAL_TEXTS.text(locale, refusal.plural or refusal.template, **refusal.values)
            text = PORTAL_TEXTS.text(locale, N_("Nothing was sent. {why}"), why=why)
    _write(line, str(chat.phone), text)
    return True


def _member_of_phone(line: Line, phone: str) -> Any:
    """The member whose connected phone this is, if they may decide now."""
    if not phone:
        return None
    rows = db.session.execute(
        MEMBERS.where(
            ApprovalChat.line_id == line.id,
            ApprovalChat.phone.in_(phone_variants(phone)),
        ).order_by(ApprovalChat.connected_at.desc())
    )
    return next((row for row in rows if role_may(row.role, RIGHT)), None)


def _connected_chats() -> Sequence[Any]:
    rows = db.session.execute(MEMBERS.where(ApprovalChat.phone.is_not(None)))
    return [row for row in rows if role_may(row.role, RIGHT)]


def _ask(held: HeldMessage, row: Any, recipient: str) -> None:
    """Send one request to one chat, if the line can write there now. The page shows it anyway."""
    chat, _, _, locale, _ = row
    try:
        line = line_repository.get(chat.line_id)
    except NotFound:
        return
    if line.test != held.test or not line.enabled:
        return
    heading = PORTAL_TEXTS.text(
        locale,
        N_("{app} (for {person}) wants to send this to {recipient}:"),
        app=held.app_name,
        person=held.for_person,
        recipient=recipient,
    )
    body = f"{heading}\n\n{held.text or held.kind}"
    fields = ButtonsFields.model_validate(
        {
            "body": body if len(body) <= LONGEST_BODY else f"{body[: LONGEST_BODY - 1]}…",
            "buttons": [
                {
                    "id": f"approval:yes:{held.id}",
                    "title": PORTAL_TEXTS.text(locale, N_("Approve")),
                },
                {"id": f"approval:no:{held.id}", "title": PORTAL_TEXTS.text(locale, N_("Reject"))},
            ],
        }
    )
    _write(line, chat.phone, fields.message_text(), "buttons", composed.content_of(fields))


def _write(
    line: Line, phone: str, text: str, kind: str = "text", content: dict[str, Any] | None = None
) -> None:
    talk = submit.conversation_on_line(identities.find_by_address(phone), line)
    try:
        submit.check_window(kind, line, talk)
        message_accept.accept_message(
            MessageDraft(kind, phone, text, content or {}), line, current_tenant_facts()
        )
    except DomainError:
        return  # the member finds the message on the page
