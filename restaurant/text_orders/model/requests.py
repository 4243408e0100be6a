"""Messages that wait for the language model: claimed, asked without an open transaction, settled.

A model that is slow, down or over its budget never blocks an order: the rules answer instead.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from psycopg2.extras import Json
from sqlalchemy import delete, select, text
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.ids import to_uuid
from core.queue import lanes
from messaging.inbox import conversation_actions
from messaging.lines import repository as line_repository
from messaging.messages.content import other_party
from messaging.models import Line, MediaFile
from restaurant.chat.senders import Sender, sender_of_contact
from restaurant.chat_texts import chat_text
from restaurant.models import ModelRequest
from restaurant.sites import sites
from restaurant.text_orders import proposals, reaction
from restaurant.text_orders.model import settings as model_settings
from restaurant.text_orders.model.answers import RefusedAnswer, checked_answer
from restaurant.text_orders.model.port import LARGEST_VOICE_NOTE
from restaurant.text_orders.model.settings import ModelAccess
from restaurant.text_orders.reaction import ModelReading
from restaurant.text_orders.reading.menu_words import MenuWords
from restaurant.text_orders.reading.tokens import LONGEST_TEXT
from webhooks.events import publish_webhook_event

LANE = "text_orders"
ORDER, VOICE = "order", "voice"
LEASE = timedelta(seconds=75)
"""Longer than the longest timeout of a model."""
FILE_WAIT, MOST_FILE_TRIES = timedelta(seconds=4), 15
MOST_TRIES = 3
STORE_TRANSCRIPT = text("""
UPDATE messages SET content = content || CAST(:more AS jsonb), changed_at = :now
 WHERE tenant_id = :tenant_id AND id = CAST(:id AS uuid)
RETURNING network_id, phone, kind, direction, test
""")


@dataclass(frozen=True)
class Work:
    """What a call needs: plain values, no database row."""

    message_id: str
    kind: str
    tries: int
    text: str
    access: ModelAccess | None
    """None: over the budget, so the rules answer."""
    menu: MenuWords | None = None
    cart: tuple[dict[str, Any], ...] = ()
    texts: tuple[str, ...] = ()
    blob_key: str = ""
    mime_type: str = ""
    language: str = "tr"


def request_reading(line: Line, contact_id: str, message_id: str, kind: str, words: str) -> None:
    """In the transaction that stored the message."""
    db.session.execute(
        insert(ModelRequest)
        .values(
            tenant_id=current_tenant_id(),
            message_id=message_id,
            line_id=line.id,
            contact_id=contact_id,
            kind=kind,
            text=words[:LONGEST_TEXT],
            tries=0,
            due_at=now(),
            created_at=now(),
        )
        .on_conflict_do_nothing()
    )
    lanes.mark_due(LANE, current_tenant_id())
    notify_workers("jobs.restaurant.text_orders.drain")


def claim() -> Work | None:
    query = (
        select(ModelRequest)
        .where(ModelRequest.tenant_id == current_tenant_id(), ModelRequest.due_at <= now())
        .order_by(ModelRequest.due_at)
        .limit(1)
        .with_for_update()
    )
    request = db.session.scalars(query).first()
    if request is None:
        return None
    request.tries += 1
    request.due_at = now() + LEASE
    if request.kind == VOICE:
        return _voice_work(request)
    return _order_work(request)


def next_due() -> Any:
    query = select(ModelRequest.due_at).where(ModelRequest.tenant_id == current_tenant_id())
    return db.session.scalars(query.order_by(ModelRequest.due_at).limit(1)).first()


def settle_order(work: Work, answer: Any, failed: str, seconds: float) -> bool:
    """Answer the guest from the model's answer, or from the rules if there is none."""
    request = _take(work)
    if request is None:
        return False
    line = line_repository.get(request.line_id)
    sender = sender_of_contact(line, request.contact_id)
    if sender is None or sender.blocked:
        return False
    reading: ModelReading | None = None
    if answer is not None and work.menu is not None:
        try:
            reading = ModelReading(*checked_answer(work.menu, answer, work.texts))
        except RefusedAnswer as refused:
            failed = refused.reason
    _note_step(line, sender, failed, seconds, reading)
    answered = reaction.answer_now(line, sender, request.text, request.message_id, reading)
    if answered:
        conversation_actions.mark_answered_automatically(request.message_id)
    return answered


def settle_voice(work: Work, transcript: str, failed: str, seconds: float) -> bool:
    """Store the transcript, publish it, and read it like a written message."""
    request = _take(work)
    if request is None:
        return False
    line = line_repository.get(request.line_id)
    sender = sender_of_contact(line, request.contact_id)
    if not transcript:
        if failed and sender is not None:
            _note_step(line, sender, failed, seconds, None)
        return False
    _publish_transcript(line, request, transcript)
    if sender is None or sender.blocked or len(transcript) > LONGEST_TEXT:
        return False
    request_reading(line, request.contact_id, request.message_id, ORDER, transcript)
    return True


def _order_work(request: ModelRequest) -> Work:
    line = line_repository.get(request.line_id)
    proposal = proposals.find_open(line, request.contact_id)
    places = [one for one in sites.sites_of_line(line) if one.orders_in_words]
    if proposal is not None:
        places = [one for one in places if one.id == proposal.site_id]
    menu = proposals.menu_now(places[0]) if places else None
    access = None
    if menu is not None and request.tries <= MOST_TRIES:
        access = model_settings.take_from_budget()
    return Work(
        request.message_id,
        ORDER,
        request.tries,
        request.text,
        access,
        menu.words if menu is not None else None,
        tuple(proposal.items) if proposal is not None else (),
        (*(proposal.texts if proposal is not None else ()), request.text),
    )


def _voice_work(request: ModelRequest) -> Work | None:
    """None while the file is being downloaded, or if there is nothing to transcribe."""
    file = db.session.get(MediaFile, (current_tenant_id(), request.message_id))
    waits = file is not None and file.state not in ("kept", "failed")
    if waits and request.tries <= MOST_FILE_TRIES:
        request.due_at = now() + FILE_WAIT
        return None
    if file is None or file.state != "kept" or not file.blob_key or not _is_small(file):
        db.session.delete(request)
        return None
    access = model_settings.take_from_budget()
    if access is None or not access.transcription_model:
        db.session.delete(request)
        return None
    line = line_repository.get(request.line_id)
    places = sites.sites_of_line(line)
    return Work(
        request.message_id,
        VOICE,
        request.tries,
        "",
        access,
        blob_key=file.blob_key,
        mime_type=file.mime_type or "",
        language=places[0].languages[0] if places else "tr",
    )


def _is_small(file: MediaFile) -> bool:
    return (file.size or 0) <= LARGEST_VOICE_NOTE


def _take(work: Work) -> ModelRequest | None:
    """The request, which is done now. None if another worker has it: `tries` is the fence."""
    query = (
        delete(ModelRequest)
        .where(
            ModelRequest.tenant_id == current_tenant_id(),
            ModelRequest.message_id == work.message_id,
            ModelRequest.tries == work.tries,
        )
        .returning(ModelRequest)
    )
    return db.session.scalars(query, execution_options={"synchronize_session": False}).first()


def _note_step(
    line: Line, sender: Sender, failed: str, seconds: float, reading: ModelReading | None
) -> None:
    """Every step is in the timeline of the conversation, for the team."""
    language = sites.sites_of_line(line)[0].languages[0] if sites.sites_of_line(line) else "en"
    took = f"{seconds:.1f}"
    if reading is not None:
        count = str(sum(one.quantity for one in reading.draft.items))
        note = chat_text(language, "words_note_model", count=count, seconds=took)
    else:
        note = chat_text(language, "words_note_rules", reason=failed or "budget", seconds=took)
    conversation_actions.add_system_note(line.id, sender.contact_id, note)


def _publish_transcript(line: Line, request: ModelRequest, transcript: str) -> None:
    row = db.session.execute(
        STORE_TRANSCRIPT,
        {
            "tenant_id": current_tenant_id(),
            "id": str(to_uuid("msg", request.message_id)),
            "more": Json({"transcript": transcript}),
            "now": now(),
        },
    ).first()
    if row is None:
        return
    data: dict[str, Any] = {
        **other_party(row.direction, row.phone),
        "direction": row.direction,
        "message_id": row.network_id,
        "id": request.message_id,
        "timestamp": int(now().timestamp()),
        "type": row.kind,
        "change": "transcribed",
        "text": "",
        "earlier_texts": [],
        "transcript": transcript,
    }
    if row.test:
        data["test"] = True
    publish_webhook_event("messages.updated", {"instance_id": line.id, "data": data})
    note = chat_text(
        sites.sites_of_line(line)[0].languages[0] if sites.sites_of_line(line) else "en",
        "words_note_transcript",
        text=transcript,
    )
    conversation_actions.add_system_note(line.id, request.contact_id, note)
