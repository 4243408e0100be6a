"""Custom contact fields that a tenant defines, such as allergies or a favourite table."""

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation

from sqlalchemy import func, select, update

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db
from core.errors import Conflict, NotFound, invalid
from core.values.text import BadText, normalize_text, one_line
from messaging.contacts.search_tokens import search_key
from messaging.models import ContactField
from tenants import audit

KINDS = ("text", "number", "date", "choice")
MOST_FIELDS, MOST_CHOICES = 30, 50
LONGEST_NAME, LONGEST_VALUE = 60, 500
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})")
_LOCAL_DATE = re.compile(r"(\d{1,2})[./](\d{1,2})[./](\d{4})")


FIELDS = (
    select(ContactField)
    .where(ContactField.tenant_id == THIS_TENANT, ContactField.removed_at.is_(None))
    .order_by(ContactField.position, ContactField.id)
    .execution_options(plan_once=True)
)


def list_fields() -> list[ContactField]:
    """Return the fields in use, in their order."""
    return list(db.session.scalars(FIELDS))


def add(name: str, kind: str, choices: list[str]) -> ContactField:
    there = list_fields()
    if len(there) >= MOST_FIELDS:
        raise Conflict(
            "too_many_fields",
            "You already have {count} custom fields, which is the limit.",
            count=len(there),
        )
    if kind not in KINDS:
        raise invalid("kind", "invalid_kind", "Choose the type of the field.")
    field = ContactField(
        tenant_id=current_tenant_id(),
        name=_name(name, there),
        kind=kind,
        choices=_choices(kind, choices),
        position=1 + max((one.position for one in there), default=0),
    )
    db.session.add(field)
    db.session.flush()
    audit.record("contacts.field_added", field.name, kind=kind)
    return field


def change(field_id: str, name: str, choices: list[str]) -> ContactField:
    """Change name and choices. The kind stays: existing values would not fit another."""
    field = get(field_id)
    others = [one for one in list_fields() if one.id != field.id]
    before = audit.snapshot(field)
    field.name, field.choices = _name(name, others), _choices(field.kind, choices)
    audit.record_change("contacts.field_changed", field.name, before, field)
    return field


def remove(field_id: str) -> None:
    field = get(field_id)
    db.session.execute(
        update(ContactField)
        .where(ContactField.tenant_id == current_tenant_id(), ContactField.id == field.id)
        .values(removed_at=now())
    )
    audit.record("contacts.field_removed", field.name)


def get(field_id: str) -> ContactField:
    field = db.session.get(ContactField, (current_tenant_id(), field_id))
    if field is None or field.removed_at is not None:
        raise NotFound()
    return field


def count() -> int:
    query = select(func.count()).where(
        ContactField.tenant_id == current_tenant_id(), ContactField.removed_at.is_(None)
    )
    return db.session.scalar(query) or 0


def checked_values(given: Mapping[str, object], fields: list[ContactField]) -> dict[str, str]:
    """Return the normalized values by field id. `given` names a field by its id or its name."""
    by_name = {search_key(field.name): field for field in fields} | {f.id: f for f in fields}
    values: dict[str, str] = {}
    for name, value in given.items():
        field = by_name.get(name) or by_name.get(search_key(name))
        if field is None:
            raise invalid(
                "fields", "unknown_field", "There is no field called “{name}”.", name=name[:80]
            )
        values[field.id] = parse_value(field, value)
    return values


def parse_value(field: ContactField, value: object) -> str:
    """Return the value as it is stored; "" clears it."""
    if value is None:
        return ""
    if isinstance(value, bool | dict | list):
        raise _invalid_value(field, "“{field}” must be text or a number.")
    try:
        text = normalize_text(str(value))
    except BadText:
        raise _invalid_value(field, "“{field}” contains an invalid character.") from None
    if not text:
        return ""
    if len(text) > LONGEST_VALUE:
        raise _invalid_value(field, "“{field}” is longer than 500 characters.")
    if field.kind == "number":
        return _number(field, text)
    if field.kind == "date":
        return _date(field, text)
    if field.kind == "choice":
        choice = next((one for one in field.choices if search_key(one) == search_key(text)), None)
        if choice is None:
            raise _invalid_value(field, "“{field}” does not have this choice.")
        return choice
    return text


def _number(field: ContactField, text: str) -> str:
    written = text.replace(" ", "").replace("\u00a0", "")
    if "," in written and "." not in written:
        written = written.replace(",", ".")
    try:
        number = Decimal(written)
    except InvalidOperation:
        raise _invalid_value(field, "“{field}” must be a number.") from None
    if not number.is_finite() or abs(number) >= Decimal(10) ** 15:
        raise _invalid_value(field, "“{field}” must be a number.")
    return f"{number.normalize():f}"


def _date(field: ContactField, text: str) -> str:
    day = parse_date(text)
    if day is None:
        raise _invalid_value(field, "“{field}” must be a date, such as 2026-04-23 or 23.04.2026.")
    return day.isoformat()


def parse_date(text: str) -> date | None:
    if found := _DATE.fullmatch(text):
        year, month, day = found.groups()
    elif found := _LOCAL_DATE.fullmatch(text):
        day, month, year = found.groups()
    else:
        return None
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None


def _invalid_value(field: ContactField, sentence: str) -> Exception:
    return invalid("fields", "invalid_value", sentence, field=field.name)


def _name(name: str, others: list[ContactField]) -> str:
    cleaned = one_line(name, LONGEST_NAME)
    if not search_key(cleaned):
        raise invalid("name", "empty_name", "Enter a field name that contains letters.")
    if search_key(cleaned) in {search_key(one.name) for one in others}:
        raise invalid("name", "name_taken", "A field with this name already exists.")
    return cleaned


def _choices(kind: str, choices: list[str]) -> list[str]:
    if kind != "choice":
        return []
    named = {search_key(text): text for one in choices if search_key(text := one_line(one, 80))}
    if not named:
        raise invalid("choices", "no_choices", "Enter the choices, one per line.")
    if len(named) > MOST_CHOICES:
        raise invalid("choices", "too_many_choices", "A field can have at most 50 choices.")
    return list(named.values())
