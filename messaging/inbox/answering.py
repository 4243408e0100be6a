"""Answers written by members: the same way out as the API's, and once however often it is asked."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid, NotFound, invalid
from core.ids import to_uuid
from core.news import tell
from core.texts import BadText, clean
from messaging import lines_book, reading, sending, template_check
from messaging.inbox import words
from messaging.inbox.files import Kept
from messaging.inbox.listing import Known
from messaging.models import Line
from messaging.sending import Draft
from tenants import idempotency
from tenants.audit import current_actor
from tenants.idempotency import CutOff, StoredAnswer
from tenants.plans import known_facts

LONGEST_TEXT, LONGEST_CAPTION = 4096, 1024

# Whoever answers has read what came before.
ANSWERED = text("""
UPDATE conversations SET last_message_id = :message_id, last_at = :now, closed_at = NULL,
       unread = 0, assigned_to = coalesce(assigned_to, CAST(:person_id AS uuid))
 WHERE tenant_id = :tenant_id AND id = :id
""")


@dataclass(frozen=True)
class Answer:
    """As the door hands it over; `once` is made with the form and stays with it."""

    once: str
    text: str = ""
    reply_to: str = ""
    file: Kept | None = None
    place: tuple[float, float, str] | None = None
    template: tuple[str, str, list[str]] | None = None


def obstacle(talk: Known, line: Line | None) -> str:
    """Why nothing can be sent in this conversation: a word the page explains. Empty: it can."""
    if line is None:
        return "line_removed"
    if not line.enabled:
        return "line_disabled"
    if talk.blocked:
        return "blocked"
    if not talk.address:
        return "no_address"
    left = talk.window_left()
    if line.kind == "cloud" and (left is None or not left):
        return "window_closed"
    return ""


def line_of(talk: Known) -> Line | None:
    try:
        return lines_book.get(talk.line_id)
    except NotFound:
        return None


def send(talk: Known, answer: Answer) -> str:
    """The message's id; the first one's when this answer was sent before."""
    line = line_of(talk)
    hurdle = obstacle(talk, line)
    if line is None or (hurdle and not (hurdle == "window_closed" and answer.template)):
        raise Conflict(hurdle or "line_removed", "Nothing can be sent in this conversation now.")
    known = idempotency.begin(f"inbox:{answer.once}"[:255], _fingerprint(talk, answer))
    if isinstance(known, StoredAnswer):
        return known.body
    if isinstance(known, CutOff):
        return known.made
    draft = template_check.checked(_draft(talk, answer), line)
    ticket = sending.accept(draft, line, known_facts())
    idempotency.finish(f"inbox:{answer.once}"[:255], StoredAnswer(200, {}, ticket.id))
    _note(talk, ticket.id)
    words.learn(talk.id, words.words_of(draft.text))
    tell("conversations.changed", id=talk.id, message=ticket.id)
    return ticket.id


def _draft(talk: Known, answer: Answer) -> Draft:
    content: dict[str, Any] = sending.signed()
    if answer.reply_to:
        quoted = reading.get(answer.reply_to)
        if quoted.line_id == talk.line_id and quoted.network_id:
            content["reply_to"] = quoted.network_id
    if answer.template is not None:
        name, language, parameters = answer.template
        content |= {
            "name": _said(name, "template", 512),
            "language": _said(language, "language", 15),
            "parameters": [_said(one, "parameters", 1024) for one in parameters],
        }
        return Draft("template", talk.address, content=content, category="utility")
    if answer.place is not None:
        latitude, longitude, name = answer.place
        if abs(latitude) > 90 or abs(longitude) > 180:
            raise invalid("place", "invalid_place", "That place is not on the map.")
        content |= {"latitude": latitude, "longitude": longitude}
        if name.strip():
            content["name"] = _said(name, "place", 200)
        return Draft("location", talk.address, content=content)
    if answer.file is not None:
        caption = _said(answer.text, "text", LONGEST_CAPTION) if answer.text.strip() else ""
        content |= answer.file.as_content()
        return Draft(answer.file.kind, talk.address, text=caption, content=content)
    return Draft("text", talk.address, _said(answer.text, "text", LONGEST_TEXT), content)


def _said(written: str, field: str, most: int) -> str:
    try:
        said = clean(written)
    except BadText as error:
        raise invalid(field, error.code, "{fault}", fault=str(error)) from None
    if not said:
        raise invalid(field, f"empty_{field}", "Write something first.")
    if len(said) > most:
        raise Invalid(f"long_{field}", "That is too long: at most {most} characters.", most=most)
    return said


def _note(talk: Known, message_id: str) -> None:
    actor = current_actor()
    db.session.execute(
        ANSWERED,
        {
            "tenant_id": current_tenant_id(),
            "id": str(to_uuid("cnv", talk.id)),
            "message_id": str(to_uuid("msg", message_id)),
            "person_id": str(to_uuid("per", actor.id)) if actor.kind == "person" else None,
            "now": now(),
        },
    )


def _fingerprint(talk: Known, answer: Answer) -> str:
    parts = (talk.id, answer.text, answer.place, answer.template, answer.file is None)
    return sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()
