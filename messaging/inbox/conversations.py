"""List conversations, newest first, and get one."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from sqlalchemy import TextClause, func, literal_column, select, text

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows
from core.errors import NotFound, invalid
from core.ids import BadId, from_uuid, to_uuid
from messaging import search_index
from messaging.contacts.cards import CardIdentity, address_on_line, addresses_in, identities_of
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Conversation

VIEWS = ("open", "mine", "unassigned", "unread", "snoozed", "closed", "all")
MOST_COUNTED = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

SELECT_CONVERSATIONS = """
SELECT c.id, c.line_id, c.contact_id, c.last_message_id, c.last_at, c.window_until, c.unread,
       c.assigned_to, c.closed_at, contacts.name, contacts.username, contacts.tags,
       contacts.blocked_at, contacts.opted_out_at, m.direction, m.kind, m.text, m.state,
       l.kind AS line_kind, c.held_by, c.draft, jsonb_exists(m.content, 'deleted_at') AS deleted,
       c.snoozed_until, c.returned_at, l.test AS line_test,
       ARRAY(SELECT g.label_id FROM conversation_labels AS g
              WHERE g.tenant_id = :tenant_id AND g.conversation_id = c.id) AS label_ids
  FROM conversations AS c
  JOIN lines AS l ON l.tenant_id = :tenant_id AND l.id = c.line_id
  JOIN contacts ON contacts.tenant_id = :tenant_id AND contacts.id = c.contact_id
  LEFT JOIN messages AS m ON m.tenant_id = :tenant_id AND m.id = c.last_message_id
 WHERE c.tenant_id = :tenant_id"""
ONE_CONVERSATION = text(f"{SELECT_CONVERSATIONS} AND c.id = :id")
CONDITIONS = {
    "open": "c.closed_at IS NULL AND c.snoozed_until IS NULL",
    "mine": "c.closed_at IS NULL AND c.snoozed_until IS NULL AND c.assigned_to = :me",
    "unassigned": "c.closed_at IS NULL AND c.snoozed_until IS NULL AND c.assigned_to IS NULL",
    "snoozed": "c.snoozed_until IS NOT NULL",
    "unread": "c.unread > 0",
    "closed": "c.closed_at IS NOT NULL",
    "all": "true",
}
HAS_LABEL = """EXISTS (SELECT 1 FROM conversation_labels AS f
        WHERE f.tenant_id = :tenant_id AND f.label_id = CAST(:label_id AS uuid)
          AND f.conversation_id = c.id)"""
# How many conversations are unread, counted up to MOST_COUNTED.
UNREAD_COUNT = (
    select(func.count())
    .select_from(
        select(Conversation.id)
        .where(Conversation.tenant_id == THIS_TENANT, Conversation.unread > 0)
        .limit(literal_column(str(MOST_COUNTED)))
        .subquery()
    )
    .scalar_subquery()
)


@dataclass(frozen=True)
class ConversationFilters:
    """Filters of the list. A `query` searches all conversations, whatever the view."""

    view: str = "open"
    line_id: int | None = None
    query: str = ""
    me: str = ""
    contact_id: str = ""
    label_id: str = ""
    line_ids: frozenset[int] | None = None
    """Only these lines, for a key that is limited to them."""


@dataclass(frozen=True)
class ConversationSummary:
    """A conversation with what its list entry and its header show."""

    id: str
    line_id: int
    contact_id: str
    last_at: datetime
    window_until: datetime | None
    unread: int
    assigned_to: str | None
    closed_at: datetime | None
    contact_name: str
    tags: list[str]
    blocked: bool
    opted_out: bool
    last_message_id: str
    last_direction: str
    last_kind: str
    last_text: str
    last_state: str
    last_deleted: bool = False
    """The sender has deleted the last message."""
    held_by: str = ""
    """meta_agent while the network's own agent answers."""
    snoozed_until: datetime | None = None
    returned_at: datetime | None = None
    """It came back from a snooze, and nobody has looked at it since."""
    label_ids: tuple[str, ...] = ()
    test: bool = False
    draft: str = ""
    """A suggested reply, shown in the reply box."""
    username: str = ""
    line_kind: str = "cloud"
    identities: tuple[CardIdentity, ...] = field(default=())
    former: tuple[CardIdentity, ...] = field(default=())
    """What the network has replaced; earlier messages are stored with it."""

    @property
    def phone(self) -> str:
        """As the network spells it; "" if there is none."""
        return next((one.spelling for one in self.identities if one.kind == "phone"), "")

    @property
    def address(self) -> str:
        """Where a reply goes: the phone, else an id that this line can send to."""
        kinds = DRIVERS[self.line_kind].address_kinds
        return address_on_line(self.identities, self.line_id, kinds)

    @property
    def places(self) -> list[str]:
        """Every address under which the contact's messages may be stored."""
        return addresses_in(self.identities)

    @property
    def former_places(self) -> list[str]:
        """Here, only messages that are known to be this contact's are theirs."""
        return sorted(set(addresses_in(self.former)) - set(self.places))

    @property
    def title(self) -> str:
        username = f"@{self.username}" if self.username and not self.phone else ""
        first = self.identities[0].spelling if self.identities else ""
        return self.contact_name or username or self.phone or first

    def window_left(self) -> timedelta | None:
        """Return the time left to reply; None if this line has no window, zero if it is closed."""
        if self.window_until is None:
            return None
        return max(self.window_until - now(), timedelta(0))

    @property
    def cursor(self) -> str:
        micros = (self.last_at - _EPOCH) // timedelta(microseconds=1)
        return f"{micros}.{self.id}"


def list_conversations(
    filters: ConversationFilters, after: str | None, limit: int
) -> list[ConversationSummary]:
    conditions, params = [CONDITIONS[filters.view]], _params(limit=limit)
    if filters.view == "mine":
        params["me"] = str(to_uuid("per", filters.me))
    if filters.query:
        found = search_index.find_conversations(filters.query)
        if not found:
            return []
        conditions = ["c.id = ANY(CAST(:found AS uuid[]))"]
        params["found"] = [UUID(str(one)) for one in found]
    if filters.line_id is not None:
        conditions.append("c.line_id = :line_id")
        params["line_id"] = filters.line_id
    if filters.line_ids is not None:
        conditions.append("c.line_id = ANY(:line_ids)")
        params["line_ids"] = sorted(filters.line_ids)
    if filters.contact_id:
        conditions.append("c.contact_id = :contact_id")
        params["contact_id"] = str(to_uuid("con", filters.contact_id))
    if filters.label_id:
        conditions.append(HAS_LABEL)
        params["label_id"] = str(to_uuid("lbl", filters.label_id))
    if after:
        params["last_at"], params["last_id"] = _read_cursor(after)
        conditions.append("(c.last_at, c.id) < (:last_at, :last_id)")
    filtered = "".join(f"\n   AND {one}" for one in conditions)
    query = f"{SELECT_CONVERSATIONS}{filtered}\n ORDER BY c.last_at DESC, c.id DESC LIMIT :limit"
    return _known(read_rows(_compiled(query), params))


@lru_cache(maxsize=256)
def _compiled(query: str) -> TextClause:
    """One statement for each combination of filters."""
    return text(query)


def get(conversation_id: str) -> ConversationSummary:
    params = _params(id=str(to_uuid("cnv", conversation_id)))
    found = _known(read_rows(ONE_CONVERSATION, params))
    if not found:
        raise NotFound()
    return found[0]


def conversations_of_contact(contact_id: str) -> list[ConversationSummary]:
    return list_conversations(ConversationFilters(view="all", contact_id=contact_id), None, 20)


def latest_of_contacts(contact_ids: Sequence[str]) -> dict[str, str]:
    """The id of the newest conversation of each contact; contacts without one are left out."""
    if not contact_ids:
        return {}
    query = select(Conversation.contact_id, Conversation.id).where(
        Conversation.tenant_id == current_tenant_id(), Conversation.contact_id.in_(contact_ids)
    )
    rows = db.session.execute(query.order_by(Conversation.last_at))
    return {row.contact_id: row.id for row in rows}


def unread_count() -> int:
    return int(db.session.scalar(select(UNREAD_COUNT)) or 0)


def _params(**more: Any) -> dict[str, Any]:
    return {"tenant_id": current_tenant_id(), **more}


def _read_cursor(after: str) -> tuple[datetime, str]:
    micros, _, public = after.partition(".")
    try:
        if not (micros.isascii() and micros.isdigit() and len(micros) <= 17):
            raise BadId("that is not the `next` of a page")
        return _EPOCH + timedelta(microseconds=int(micros)), str(to_uuid("cnv", public))
    except BadId:
        raise invalid(
            "after", "invalid_cursor", "Use the `next` value of the previous page for `after`."
        ) from None


def _known(rows: Sequence[Any]) -> list[ConversationSummary]:
    contacts = [from_uuid("con", row.contact_id) for row in rows]
    identities = identities_of(contacts)
    return [
        ConversationSummary(
            id=from_uuid("cnv", row.id),
            line_id=row.line_id,
            contact_id=contact_id,
            last_at=row.last_at,
            window_until=row.window_until,
            unread=row.unread,
            assigned_to=from_uuid("per", row.assigned_to) if row.assigned_to else None,
            closed_at=row.closed_at,
            contact_name=row.name,
            tags=row.tags,
            blocked=row.blocked_at is not None,
            opted_out=row.opted_out_at is not None,
            last_message_id=from_uuid("msg", row.last_message_id),
            last_direction=row.direction or "in",
            last_kind=row.kind or "text",
            last_text=row.text or "",
            last_state=row.state or "",
            last_deleted=bool(row.deleted),
            held_by=row.held_by or "",
            draft=row.draft,
            snoozed_until=row.snoozed_until,
            returned_at=row.returned_at,
            label_ids=tuple(sorted(from_uuid("lbl", one) for one in row.label_ids)),
            test=row.line_test,
            username=row.username,
            line_kind=row.line_kind,
            identities=tuple(identities[contact_id][0]),
            former=tuple(identities[contact_id][1]),
        )
        for row, contact_id in zip(rows, contacts, strict=True)
    ]
