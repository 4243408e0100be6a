"""Saved replies. `{name}` is replaced by the customer's name when one is inserted."""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, select

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import Conflict, NotFound, invalid
from core.values.text import BadText, fold_case, normalize_text
from messaging.inbox.composed import CHOICE_KINDS, ComposedCard, message_fields
from messaging.models import QuickReply
from tenants import audit

MOST = 200
LONGEST = 4096
PLACEHOLDERS = ("name", "first_name", "phone", "business", "member")
_SHORTCUT = re.compile(r"[\w-]{1,32}")
_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


QUICK_REPLIES = (
    select(QuickReply)
    .where(QuickReply.tenant_id == THIS_TENANT)
    .order_by(QuickReply.shortcut)
    .limit(MOST)
)


def list_quick_replies() -> Sequence[Any]:
    """The columns of all quick replies, by shortcut."""
    return read_rows(QUICK_REPLIES)


def get(reply_id: str) -> QuickReply:
    found = db.session.get(QuickReply, (current_tenant_id(), reply_id))
    if found is None:
        raise NotFound()
    return found


def save(
    shortcut: str, body: str, reply_id: str = "", *, card: ComposedCard | None = None
) -> QuickReply:
    """Create a quick reply, or change the one with `reply_id`.

    A `card` adds buttons or a list below the text.
    """
    shortcut, body = _shortcut(shortcut), _text(body)
    content = _card_content(card, body)
    reply = get(reply_id) if reply_id else None
    other = db.session.scalar(
        select(QuickReply.id).where(
            QuickReply.tenant_id == current_tenant_id(), QuickReply.shortcut == shortcut
        )
    )
    if other is not None and (reply is None or other != reply.id):
        raise invalid("shortcut", "taken", "Another quick reply uses this shortcut.")
    if reply is None:
        if len(list_quick_replies()) >= MOST:
            raise Conflict(
                "too_many", "You already have {most} quick replies, which is the limit.", most=MOST
            )
        reply = QuickReply(
            tenant_id=current_tenant_id(), shortcut=shortcut, text=body, content=content
        )
        db.session.add(reply)
        audit.record("inbox.quick_reply_added", f"/{shortcut}")
    else:
        before = audit.snapshot(reply)
        reply.shortcut, reply.text, reply.changed_at = shortcut, body, now()
        reply.content = content
        audit.record_change(
            "inbox.quick_reply_changed",
            f"/{shortcut}",
            before,
            reply,
            shown=frozenset({"shortcut"}),
        )
    db.session.flush()
    return reply


def remove(reply_id: str) -> None:
    reply = get(reply_id)
    db.session.execute(
        delete(QuickReply).where(
            QuickReply.tenant_id == current_tenant_id(), QuickReply.id == reply.id
        )
    )
    audit.record("inbox.quick_reply_removed", f"/{reply.shortcut}")


def fill_quick_reply(body: str, values: dict[str, str]) -> str:
    """Replace known placeholders; other text in braces stays unchanged."""
    return _PLACEHOLDER.sub(lambda hole: values.get(hole[1], hole[0]), body)


def _card_content(card: ComposedCard | None, body: str) -> dict[str, Any]:
    if card is None or card.kind not in CHOICE_KINDS:
        return {}
    message_fields(card, body)  # raises Invalid for what could not be sent
    return card.as_json()


def _shortcut(written: str) -> str:
    shortcut = fold_case(written.strip().lstrip("/")).replace("\u0131", "i")
    if not _SHORTCUT.fullmatch(shortcut):
        raise invalid(
            "shortcut", "invalid_shortcut", "A shortcut must be 1 to 32 letters, digits, _ or -."
        )
    return shortcut


def _text(written: str) -> str:
    try:
        body = normalize_text(written)
    except BadText as error:
        raise invalid("text", error.code, "{fault}", fault=str(error)) from None
    if not body or len(body) > LONGEST:
        raise invalid("text", "invalid_text", "Enter 1 to 4096 characters.")
    unknown = [hole for hole in _PLACEHOLDER.findall(body) if hole not in PLACEHOLDERS]
    if unknown:
        raise invalid(
            "text",
            "unknown_placeholder",
            "{hole} does not exist. Available: {known}.",
            hole="{" + unknown[0][:40] + "}",
            known=", ".join("{" + name + "}" for name in PLACEHOLDERS),
        )
    return body
