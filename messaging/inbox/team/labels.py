"""Labels of conversations: what a conversation is about, such as "Complaint" or "Reservation".

Contact tags are different: they say who a person is, stay with the contact, and choose who gets a
campaign. A label belongs to one conversation.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select, text

from core.clock import now
from core.db import current_tenant_id, db, read_rows
from core.errors import Conflict, Invalid, NotFound, invalid
from core.ids import BadId, from_uuid, new_id, to_uuid
from core.live_updates import publish_update
from core.values.text import BadText, one_line
from messaging.models import Label
from tenants import audit

COLOURS = ("grey", "red", "orange", "green", "teal", "blue", "purple", "pink")
LONGEST_NAME = 40
MOST_LABELS = 50
MOST_OF_ONE = 10

LIST = select(Label.id, Label.name, Label.colour).order_by(Label.name_key)
EXISTS = text("SELECT id FROM conversations WHERE tenant_id = :tenant_id AND id = :id FOR UPDATE")
OF_CONVERSATION = text("""
SELECT label_id FROM conversation_labels
 WHERE tenant_id = :tenant_id AND conversation_id = :id
""")
ADD = text("""
INSERT INTO conversation_labels (tenant_id, label_id, conversation_id)
SELECT :tenant_id, id, CAST(:id AS uuid) FROM labels
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:labels AS uuid[]))
    ON CONFLICT DO NOTHING RETURNING label_id
""")
REMOVE = text("""
DELETE FROM conversation_labels
 WHERE tenant_id = :tenant_id AND conversation_id = :id
   AND label_id <> ALL(CAST(:labels AS uuid[]))
""")
UPDATE_CASE = text("""
UPDATE conversation_cases AS k SET label_ids = CAST(:labels AS uuid[])
  FROM conversations AS c
 WHERE c.tenant_id = :tenant_id AND c.id = :id AND k.tenant_id = :tenant_id AND k.id = c.case_id
""")


@dataclass(frozen=True)
class LabelName:
    id: str
    name: str
    colour: str


def list_labels() -> list[LabelName]:
    rows = db.session.execute(LIST.where(Label.tenant_id == current_tenant_id()))
    return [LabelName(row.id, row.name, row.colour) for row in rows]


def get(label_id: str) -> Label:
    found = db.session.get(Label, (current_tenant_id(), label_id)) if label_id else None
    if found is None:
        raise NotFound()
    return found


def save(name: str, colour: str, label_id: str = "") -> Label:
    """Create a label, or change one."""
    name, key = _checked_name(name)
    if colour not in COLOURS:
        raise invalid(
            "colour",
            "unknown_colour",
            "Choose one of these colours: {known}.",
            known=", ".join(COLOURS),
        )
    same = db.session.scalars(
        select(Label).where(Label.tenant_id == current_tenant_id(), Label.name_key == key)
    ).first()
    if same is not None and same.id != label_id:
        raise Conflict("label_exists", "There is already a label with this name.")
    if label_id:
        label = get(label_id)
        audit.record("inbox.label_changed", name, was=label.name, now=name)
        label.name, label.name_key, label.colour = name, key, colour
    else:
        if len(list_labels()) >= MOST_LABELS:
            raise Conflict(
                "too_many_labels", "There can be at most {most} labels.", most=MOST_LABELS
            )
        label = Label(
            tenant_id=current_tenant_id(),
            id=new_id("lbl"),
            name=name,
            name_key=key,
            colour=colour,
            created_at=now(),
        )
        db.session.add(label)
        audit.record("inbox.label_created", name)
    db.session.flush()
    return label


def remove(label_id: str) -> None:
    """Delete the label and take it from all conversations."""
    label = get(label_id)
    audit.record("inbox.label_deleted", label.name)
    db.session.delete(label)
    db.session.flush()


def set_labels(conversation_id: str, label_ids: Sequence[str]) -> bool:
    """Give a conversation exactly these labels. Returns False if it has them already."""
    labels = sorted({str(_uuid(one)) for one in label_ids})
    params = {
        "tenant_id": current_tenant_id(),
        "id": str(to_uuid("cnv", conversation_id)),
        "labels": labels,
    }
    if len(labels) > MOST_OF_ONE:
        raise invalid(
            "labels",
            "too_many_labels",
            "A conversation can have at most {most} labels.",
            most=MOST_OF_ONE,
        )
    known = {str(to_uuid("lbl", one.id)) for one in list_labels()}
    if not known.issuperset(labels):
        raise _unknown()
    if db.session.execute(EXISTS, params).first() is None:
        raise NotFound()
    before = {str(row.label_id) for row in read_rows(OF_CONVERSATION, params)}
    if before == set(labels):
        return False
    db.session.execute(REMOVE, params)
    db.session.execute(ADD, params)
    db.session.execute(UPDATE_CASE, params)
    publish_update("conversations.changed", id=conversation_id)
    return True


def add_label(conversation_id: str, label_id: str) -> bool:
    return set_labels(conversation_id, [*labels_of(conversation_id), label_id])


def labels_of(conversation_id: str) -> list[str]:
    where = {"tenant_id": current_tenant_id(), "id": str(to_uuid("cnv", conversation_id))}
    return [from_uuid("lbl", row.label_id) for row in read_rows(OF_CONVERSATION, where)]


def _uuid(label_id: str) -> object:
    try:
        return to_uuid("lbl", label_id)
    except BadId:
        raise _unknown() from None


def _unknown() -> Invalid:
    return invalid("labels", "unknown_label", "One of these labels does not exist any more.")


def _checked_name(written: str) -> tuple[str, str]:
    try:
        name = one_line(written)
    except BadText as error:
        raise invalid("name", error.code, "{fault}", fault=str(error)) from None
    if not name:
        raise invalid("name", "empty_name", "Enter a name.")
    if len(name) > LONGEST_NAME:
        raise invalid(
            "name",
            "long_name",
            "The text is too long. Use at most {most} characters.",
            most=LONGEST_NAME,
        )
    return name, name.casefold()
