"""The satisfaction question after a conversation was closed, and the customer's answer.

It is decided once for each closing: when it is due, the question is sent or the reason why not is
stored. It is an ordinary message inside the 24-hour window, so it costs nothing.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db, read_rows
from core.errors import DomainError
from core.i18n.catalogs import N_, PORTAL_TEXTS
from core.ids import BadId, from_uuid, to_uuid
from core.live_updates import publish_update
from messaging.inbox import composed, conversation_actions, replies
from messaging.inbox import conversations as inbox_conversations
from messaging.inbox.conversations import ConversationSummary
from messaging.inbox.team import settings as team_settings
from messaging.lines.capabilities import capabilities
from messaging.lines.drivers.base import InboundMessage
from messaging.messages import accept as message_accept
from messaging.messages.accept import MessageDraft
from messaging.messages.inbound.cases import RATING_PREFIX, is_rating_answer
from messaging.messages.kinds.interactive.buttons import ButtonsFields
from messaging.messages.kinds.interactive.choice_list import ListFields
from messaging.models import Line
from tenants import accounts
from tenants.plans.catalog import current_tenant_facts
from webhooks.events import publish_webhook_event

DEFAULT_QUESTION = N_("How satisfied are you with this conversation?")
FACES = ((3, "🙂"), (2, "😐"), (1, "🙁"))
NUMBERS = tuple((number, f"{number} {'★' * number}") for number in range(5, 0, -1))
BEST = {"faces": 3, "numbers": 5}
TOO_LATE = timedelta(hours=1)
ANSWERED_WITHIN = timedelta(days=7)
AT_ONCE = 20

CLAIM = text("""
UPDATE conversation_cases SET ask_at = NULL, asked_at = :now
 WHERE tenant_id = :tenant_id AND id = ANY (ARRAY(
       SELECT id FROM conversation_cases
        WHERE tenant_id = :tenant_id AND ask_at <= :now
        ORDER BY ask_at LIMIT :most FOR UPDATE SKIP LOCKED))
RETURNING id, conversation_id, closed_at
""")
RECORD_ASKED = text("""
UPDATE conversation_cases SET ask_result = :result, scale = :scale
 WHERE tenant_id = :tenant_id AND id = :id
""")
NEXT_QUESTION = text("""
SELECT min(ask_at) FROM conversation_cases WHERE tenant_id = :tenant_id AND ask_at IS NOT NULL
""")
# The first answer counts; a second tap changes nothing.
RATE = text("""
UPDATE conversation_cases AS k SET rating = :rating, rated_at = :now
  FROM conversations AS c
 WHERE k.tenant_id = :tenant_id AND k.id = :id AND k.ask_result = 'asked' AND k.rating IS NULL
   AND k.asked_at >= :since AND c.tenant_id = :tenant_id AND c.id = k.conversation_id
   AND c.line_id = :line_id
RETURNING k.conversation_id, k.scale
""")
LATEST = text("""
SELECT rating, scale, rated_at FROM conversation_cases
 WHERE tenant_id = :tenant_id AND conversation_id = :id AND rating IS NOT NULL
 ORDER BY id DESC LIMIT 1
""")


@dataclass(frozen=True)
class Rating:
    rating: int
    scale: str
    at: datetime


def ask_due() -> int:
    """Send the questions that are due, or record why not. Returns how many were decided."""
    wanted = team_settings.get()
    params = {"tenant_id": current_tenant_id(), "now": now(), "most": AT_ONCE}
    due = db.session.execute(CLAIM, params).all()
    for row in due:
        talk = inbox_conversations.get(from_uuid("cnv", row.conversation_id))
        result = _ask(talk, from_uuid("cse", row.id), row.closed_at, wanted)
        scale = wanted.rating if result == "asked" else ""
        db.session.execute(
            RECORD_ASKED,
            {
                "tenant_id": current_tenant_id(),
                "id": str(row.id),
                "result": result,
                "scale": scale,
            },
        )
    return len(due)


def _ask(
    talk: ConversationSummary,
    case_id: str,
    closed_at: datetime,
    wanted: team_settings.TeamSettings,
) -> str:
    if not wanted.asks_on(talk.line_id):
        return "turned_off"
    if talk.closed_at is None or talk.last_at > closed_at:
        return "newer_message"
    if talk.opted_out:
        return "opted_out"
    if now() - closed_at > TOO_LATE:
        return "too_late"
    line = replies.conversation_line(talk)
    if hurdle := replies.reply_obstacle(talk, line):
        return hurdle
    if line is None or capabilities(line.kind).get(_kind(wanted.rating), "no") == "no":
        return "no_buttons"
    try:
        return _send(talk, case_id, line, wanted)
    except DomainError as error:
        return error.code[:60]


def _send(
    talk: ConversationSummary, case_id: str, line: Line, wanted: team_settings.TeamSettings
) -> str:
    question = wanted.rating_text or default_question(accounts.account().locale)
    choices = FACES if wanted.rating == "faces" else NUMBERS
    options = [
        {"id": f"{RATING_PREFIX}{case_id}:{number}", "title": title} for number, title in choices
    ]
    fields: Any
    if wanted.rating == "faces":
        fields = ButtonsFields.model_validate({"body": question, "buttons": options})
    else:
        fields = ListFields.model_validate(
            {"body": question, "button": "1 – 5", "sections": [{"rows": options}]}
        )
    draft = MessageDraft(
        _kind(wanted.rating), talk.address, fields.message_text(), composed.content_of(fields)
    )
    accepted = message_accept.accept_message(draft, line, current_tenant_facts())
    publish_update("conversations.changed", id=talk.id, message=accepted.id)
    return "asked"


def _kind(scale: str) -> str:
    return "buttons" if scale == "faces" else "list"


def default_question(locale: str) -> str:
    return PORTAL_TEXTS.text(locale, DEFAULT_QUESTION)


def next_due() -> datetime | None:
    found: datetime | None = db.session.scalar(NEXT_QUESTION, {"tenant_id": current_tenant_id()})
    return found


def may_answer(message: InboundMessage) -> bool:
    return is_rating_answer(message)


def record_answer(line: Line, message: InboundMessage) -> bool:
    """Store the rating. True: nobody needs to answer this message."""
    case_id, _, number = str(message.content.get("id"))[len(RATING_PREFIX) :].rpartition(":")
    try:
        uuid = to_uuid("cse", case_id)
    except BadId:
        return False
    if not (number.isascii() and number.isdigit() and 1 <= int(number[:2]) <= BEST["numbers"]):
        return False
    moment = now()
    row = db.session.execute(
        RATE,
        {
            "tenant_id": current_tenant_id(),
            "id": str(uuid),
            "rating": int(number),
            "now": moment,
            "since": moment - ANSWERED_WITHIN,
            "line_id": line.id,
        },
    ).first()
    if row is None:
        return True
    talk = inbox_conversations.get(from_uuid("cnv", row.conversation_id))
    conversation_actions.add_event_note(talk.id, "rated", text=f"{number}/{BEST[row.scale]}")
    publish_webhook_event(
        "conversations.rated",
        conversation_actions.event_about(
            talk, line.test, rating=int(number), best=BEST[row.scale], case_id=case_id
        ),
    )
    return True


def latest_rating(conversation_id: str) -> Rating | None:
    where = {"tenant_id": current_tenant_id(), "id": str(to_uuid("cnv", conversation_id))}
    found = next(iter(read_rows(LATEST, where)), None)
    return Rating(found.rating, found.scale, found.rated_at) if found else None
