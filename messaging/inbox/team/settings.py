"""A tenant's settings of the shared inbox."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import invalid
from core.values.text import BadText, normalize_text
from messaging.lines import repository as line_repository
from messaging.messages.inbound.cases import wake_inbox
from messaging.models import InboxSettings
from tenants import audit

ASSIGNMENTS = ("off", "round_robin")
RATINGS = ("off", "faces", "numbers")
MIN_RETURN, MAX_RETURN = 2, 24 * 60
LONGEST_QUESTION = 600

# Conversations that came in while nobody was assigned automatically stay as they are.
FORGET_QUEUE = text("""
UPDATE conversations SET queued_at = NULL WHERE tenant_id = :tenant_id AND queued_at IS NOT NULL
""")


@dataclass(frozen=True)
class TeamSettings:
    assignment: str = "off"
    return_minutes: int | None = None
    rating: str = "off"
    rating_text: str = ""
    rating_lines: tuple[int, ...] = ()

    def asks_on(self, line_id: int) -> bool:
        return self.rating != "off" and (not self.rating_lines or line_id in self.rating_lines)


def get() -> TeamSettings:
    stored = db.session.scalars(
        select(InboxSettings).where(InboxSettings.tenant_id == current_tenant_id())
    ).first()
    if stored is None:
        return TeamSettings()
    return TeamSettings(
        assignment=stored.assignment,
        return_minutes=stored.return_minutes,
        rating=stored.rating,
        rating_text=stored.rating_text,
        rating_lines=tuple(stored.rating_lines),
    )


def save(wanted: TeamSettings) -> TeamSettings:
    """Check and store. Turning assignment on begins with the next message."""
    checked = _checked(wanted)
    before = get()
    if checked == before:
        return checked
    values: dict[str, Any] = {
        "assignment": checked.assignment,
        "return_minutes": checked.return_minutes,
        "rating": checked.rating,
        "rating_text": checked.rating_text,
        "rating_lines": list(checked.rating_lines),
        "changed_at": now(),
    }
    stored = insert(InboxSettings).values(tenant_id=current_tenant_id(), **values)
    db.session.execute(
        stored.on_conflict_do_update(index_elements=[InboxSettings.tenant_id], set_=values)
    )
    if checked.assignment != before.assignment:
        db.session.execute(FORGET_QUEUE, {"tenant_id": current_tenant_id()})
    if checked.assignment != "off":
        wake_inbox()
    audit.record(
        "inbox.settings_changed",
        "inbox",
        was=f"{before.assignment}, {before.rating}",
        now=f"{checked.assignment}, {checked.rating}",
    )
    return checked


def lock() -> str:
    """Lock the settings, so that one worker at a time assigns conversations. Returns the mode."""
    row = db.session.execute(
        select(InboxSettings.assignment)
        .where(InboxSettings.tenant_id == current_tenant_id())
        .with_for_update()
    ).first()
    return row.assignment if row is not None else "off"


def _checked(wanted: TeamSettings) -> TeamSettings:
    if wanted.assignment not in ASSIGNMENTS:
        raise invalid("assignment", "unknown_assignment", "Choose how conversations are assigned.")
    if wanted.rating not in RATINGS:
        raise invalid("rating", "unknown_rating", "Choose how customers rate a conversation.")
    minutes = wanted.return_minutes
    if minutes is not None and not MIN_RETURN <= minutes <= MAX_RETURN:
        raise invalid(
            "return_minutes",
            "invalid_minutes",
            "Enter a number of minutes from {least} to {most}, or leave it blank.",
            least=MIN_RETURN,
            most=MAX_RETURN,
        )
    try:
        question = normalize_text(wanted.rating_text)
    except BadText as error:
        raise invalid("rating_text", error.code, "{fault}", fault=str(error)) from None
    if len(question) > LONGEST_QUESTION:
        raise invalid(
            "rating_text",
            "long_text",
            "The text is too long. Use at most {most} characters.",
            most=LONGEST_QUESTION,
        )
    known = {line.id for line in line_repository.list_lines()}
    return TeamSettings(
        assignment=wanted.assignment,
        return_minutes=minutes,
        rating=wanted.rating,
        rating_text=question,
        rating_lines=tuple(sorted(set(wanted.rating_lines) & known)),
    )
