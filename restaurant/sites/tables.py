"""Areas and tables, and the token that proves that a guest sits at a table."""

import hmac
import re
from urllib.parse import urlencode

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from core.db import current_tenant_id, db, savepoint
from core.errors import Conflict, Invalid, NotFound, invalid
from core.ids import new_token
from core.values.text import one_line
from restaurant.models import Area, Site, Table
from tenants import audit

MOST_AT_ONCE = 200
LONGEST_NUMBER = 12
_RANGE = re.compile(r"([^0-9]*)([0-9]{1,4})\s*(?:-|–|\.\.|…)\s*([0-9]{1,4})")


def add_area(site: Site, name: str) -> Area:
    made = Area(tenant_id=current_tenant_id(), site_id=site.id, name=_area_name(name))
    db.session.add(made)
    db.session.flush()
    return made


def areas(site_id: str) -> list[Area]:
    query = select(Area).where(Area.tenant_id == current_tenant_id(), Area.site_id == site_id)
    return list(db.session.scalars(query.order_by(Area.position, Area.name)))


def add_tables(
    site: Site, numbers: str, *, area_id: str | None = None, seats: int = 4
) -> list[Table]:
    """Accepts `12`, `1-20`, `T1-T8`, or several of these separated by commas."""
    parsed = _numbers(numbers)
    if area_id is not None and not any(area.id == area_id for area in areas(site.id)):
        raise NotFound()
    made = [
        Table(
            tenant_id=current_tenant_id(),
            site_id=site.id,
            area_id=area_id,
            number=number,
            seats=seats,
            token=new_token(),
            position=position,
        )
        for position, number in enumerate(parsed, len(listed(site.id)))
    ]
    try:
        with savepoint():
            db.session.add_all(made)
            db.session.flush()
    except IntegrityError as error:
        raise Conflict("table_taken", "One of these tables already exists.") from error
    audit.record("tables.added", site.name, numbers=", ".join(parsed[:20]), count=len(parsed))
    return made


def listed(site_id: str) -> list[Table]:
    query = select(Table).where(Table.tenant_id == current_tenant_id(), Table.site_id == site_id)
    return list(db.session.scalars(query.order_by(Table.position, Table.number)))


def get(table_id: str) -> Table:
    table = db.session.get(Table, (current_tenant_id(), table_id))
    if table is None:
        raise NotFound()
    return table


def by_number(site_id: str, number: str) -> Table | None:
    query = select(Table).where(
        Table.tenant_id == current_tenant_id(),
        Table.site_id == site_id,
        Table.number == one_line(number)[:LONGEST_NUMBER],
    )
    return db.session.scalars(query).first()


def find_by_code(site_id: str, number: str, token: str) -> Table | None:
    """The table of a printed code, even if the table's number has changed since."""
    table = by_number(site_id, number)
    if token and (table is None or not token_matches(table, token)):
        return next((one for one in listed(site_id) if token_matches(one, token)), table)
    return table


def change(table_id: str, *, number: str, seats: int, area_id: str | None) -> Table:
    """The printed code stays valid."""
    table = get(table_id)
    before = audit.snapshot(table)
    parsed = _numbers(number)
    if len(parsed) != 1:
        raise invalid("number", "one_table", "Enter one table number, such as 12.")
    if area_id is not None and not any(area.id == area_id for area in areas(table.site_id)):
        raise NotFound()
    try:
        with savepoint():
            table.number, table.seats, table.area_id = parsed[0], seats, area_id
            db.session.flush()
    except IntegrityError as error:
        raise Conflict("table_taken", "Another table already has this number.") from error
    audit.record_change("tables.changed", table.number, before, table, table_id=table.id)
    return table


def area(area_id: str) -> Area:
    found = db.session.get(Area, (current_tenant_id(), area_id))
    if found is None:
        raise NotFound()
    return found


def rename_area(area_id: str, name: str) -> Area:
    found = area(area_id)
    before = audit.snapshot(found)
    found.name = _area_name(name)
    audit.record_change(
        "areas.renamed", found.name, before, found, shown=audit.NAMED, area_id=area_id
    )
    return found


def token_matches(table: Table, token: str) -> bool:
    return hmac.compare_digest(table.token.encode(), token.encode())


def rotate_token(table_id: str) -> Table:
    """Invalidate the printed code of this table."""
    table = get(table_id)
    table.token = new_token()
    audit.record("tables.code_renewed", table.number, table_id=table.id)
    return table


def remove(table_id: str) -> None:
    table = get(table_id)
    audit.record("tables.removed", table.number, table_id=table.id)
    db.session.delete(table)


def table_url(base: str, site: Site, table: Table, menu_domain: str = "") -> str:
    """The URL in the printed code."""
    return f"{menu_url(base, site, menu_domain)}?{table_query(table)}"


def table_query(table: Table) -> str:
    """The part of a menu's URL that seats a guest at this table."""
    return urlencode({"table": table.number, "k": table.token})


def menu_url(base: str, site: Site, menu_domain: str = "") -> str:
    if site.host:
        return f"https://{site.host}/menu"
    if menu_domain:
        return f"https://{site.slug}.{menu_domain}/menu"
    return f"{base.rstrip('/')}/r/{site.slug}/menu"


def _area_name(name: str) -> str:
    name = one_line(name, 60)
    if not name:
        raise invalid("name", "name_missing", "Enter a name for the area.")
    return name


def _numbers(text: str) -> list[str]:
    parsed: list[str] = []
    for part in text.replace(";", ",").replace("\n", ",").split(","):
        piece = one_line(part)
        if not piece:
            continue
        found = _RANGE.fullmatch(_without_second_prefix(piece))
        if found is None:
            parsed.append(piece)
            continue
        first, last = int(found[2]), int(found[3])
        if not first <= last < first + MOST_AT_ONCE:
            raise invalid(
                "numbers", "invalid_range", "A range must be in ascending order, "
                                            "with at most {most} tables.",
                most=MOST_AT_ONCE,
            )  # fmt: skip
        parsed += [f"{found[1]}{number}" for number in range(first, last + 1)]
    if not parsed:
        raise invalid("numbers", "table_missing", "Enter table numbers, such as 12 or 1-20.")
    if len(parsed) > MOST_AT_ONCE:
        raise invalid(
            "numbers", "too_many", "You can add at most {most} tables at once.", most=MOST_AT_ONCE
        )
    if any(len(number) > LONGEST_NUMBER for number in parsed):
        raise invalid("numbers", "too_long", "A table number can have at most 12 characters.")
    if len(set(parsed)) != len(parsed):
        raise Invalid("table_taken", "The same table number appears twice.")
    return parsed


def _without_second_prefix(piece: str) -> str:
    """T1-T8 means T1-8."""
    found = re.fullmatch(r"([^0-9]+)([0-9]+)(\s*(?:-|–|\.\.|…)\s*)\1([0-9]+)", piece)
    return f"{found[1]}{found[2]}{found[3]}{found[4]}" if found else piece
