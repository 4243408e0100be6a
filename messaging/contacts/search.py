"""Search contacts; a page costs the same with ten thousand contacts and with a million.

Newest first follows the order of the tokens. Sorting by name and by last seen follows an index of
the contacts; a filtered result is loaded and sorted if it is not too large.
"""

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from phonenumbers import country_code_for_region
from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    exists,
    func,
    literal,
    select,
    text,
    union,
)
from sqlalchemy.orm import aliased

from core.clock import BadTime, parse_rfc3339, rfc3339
from core.db import THIS_TENANT, current_tenant_id, db
from core.errors import invalid
from core.ids import BadId, canonical_id
from core.values.phone import normalize_phone
from core.values.text import fold_case
from messaging.contacts import search_tokens
from messaging.models import Contact, ContactToken, Identity

SORTS = ("newest", "name", "seen")
MAX_SORTED = 500  # larger results are shown newest first
LONGEST_SEARCH = 80
# In token order a page ends the scan early. The planner often misjudges how many rows two common
# tokens share, and would read all of them.
PREFER_INDEX_ORDER = text(
    "SELECT set_config('enable_hashjoin', 'off', true),"
    " set_config('max_parallel_workers_per_gather', '0', true)"
)
_DIGITS = re.compile(r"[+\d\s().\-/\u00a0]{3,}")


@dataclass(frozen=True)
class ContactFilters:
    """None and empty values do not filter."""

    search: str = ""
    tags: Sequence[str] = ()
    opted_out: bool | None = None
    blocked: bool | None = None
    consent: bool | None = None
    has_phone: bool | None = None
    language: str = ""
    seen_since: datetime | None = None

    @property
    def empty(self) -> bool:
        return not self.tags and self == ContactFilters(tags=self.tags)


@dataclass(frozen=True)
class TokenQuery:
    """One way to match: all of these tokens, and conditions for what the tokens leave open."""

    tokens: tuple[str, ...]
    checks: tuple[ColumnElement[bool], ...] = ()


def search_contacts(
    filters: ContactFilters,
    *,
    sort: str = "newest",
    after: str | None = None,
    limit: int = 50,
    country: str | None = None,
) -> list[Contact]:
    """Return one page. `country` is assumed for numbers without a country code."""
    if sort == "newest" and filters.empty:
        return _newest_of_all(_id_after(after), limit)
    ways = _token_queries(filters, country)
    db.session.execute(PREFER_INDEX_ORDER)
    if sort == "newest":
        ids = _newest(ways, filters, _id_after(after), limit)
        return _load(ids)
    return _sorted(ways, filters, sort, after, limit)


def usable_sort(filters: ContactFilters, sort: str, country: str | None = None) -> str:
    """Return "newest" if the result is too large to sort, else `sort`."""
    ways = _token_queries(filters, country)
    if sort == "newest" or not any(way.tokens for way in ways):
        return sort
    db.session.execute(PREFER_INDEX_ORDER)
    found = _ids_of(ways, filters, None, MAX_SORTED + 1).subquery()
    many = (db.session.scalar(select(func.count()).select_from(found)) or 0) > MAX_SORTED
    return "newest" if many else sort


def cursor_of(contact: Contact, sort: str) -> str:
    if sort == "newest":
        return contact.id
    if sort == "name":
        place = contact.name_key
    else:
        place = rfc3339(contact.last_seen_at) if contact.last_seen_at else ""
    return base64.urlsafe_b64encode(json.dumps([place, contact.id]).encode()).decode()


def _token_queries(filters: ContactFilters, country: str | None) -> list[TokenQuery]:
    """Return the filters as tokens. A number may be the start or the end of a phone."""
    all_of = [f"#{search_tokens.tag_key(tag)}" for tag in filters.tags]
    marks = {"out": filters.opted_out, "blocked": filters.blocked, "agreed": filters.consent}
    all_of += [f"!{mark}" for mark, required in marks.items() if required]
    if filters.has_phone is False:
        all_of.append("!nophone")
    if filters.language:
        all_of.append(f"l{filters.language}")
    searched = _search_queries(filters.search[:LONGEST_SEARCH].replace("\0", " "), country)
    return [TokenQuery((*way.tokens, *all_of), way.checks) for way in searched]


def _search_queries(typed: str, country: str | None) -> list[TokenQuery]:
    typed = typed.strip()
    if not typed:
        return [TokenQuery(())]
    if typed.startswith("#") and len(typed) > 1:
        return [TokenQuery((f"#{search_tokens.tag_key(typed[1:].strip())}",))]
    if _DIGITS.fullmatch(typed) and sum(char.isdigit() for char in typed) >= 3:
        return _by_digits(typed, country)
    by_name = _by_name(typed)
    exact = TokenQuery((f"i{fold_case(typed.removeprefix('@'))}",))
    return [*by_name, exact] if " " not in typed else by_name


def _by_name(typed: str) -> list[TokenQuery]:
    words = search_tokens.search_key(typed).split()[: search_tokens.MOST_WORDS]
    if not words:
        return []
    queries, checks = [], []
    for word in sorted(words, key=len, reverse=True):
        step = max((one for one in search_tokens.WORD_STEPS if one <= len(word)), default=0)
        if step:
            queries.append(f"w{word[:step]}")
        if step != len(word):
            checks.append((literal(" ") + Contact.name_key).contains(f" {word}", autoescape=True))
    return [TokenQuery(tuple(dict.fromkeys(queries)), tuple(checks))]


def _by_digits(typed: str, country: str | None) -> list[TokenQuery]:
    """Match whole numbers in any spelling, the first digits, or the last ones."""
    digits = re.sub(r"\D", "", typed).lstrip("0")
    if len(digits) < 3:
        return []
    starts = {digits}
    whole = normalize_phone(typed, country)
    if whole:
        starts.add(whole)
    elif country and (code := _calling_code(country)):
        starts.add(f"{code}{digits}")  # as people in that country write it
    ways = []
    for start in sorted(starts):
        step = max(one for one in search_tokens.PREFIX_STEPS if one <= len(start))
        checks = () if step == len(start) else (_phone(Identity.value.startswith(start)),)
        ways.append(TokenQuery((f"p{start[:step]}",), checks))
    step = max((one for one in search_tokens.SUFFIX_STEPS if one <= len(digits)), default=0)
    if step:
        checks = () if step == len(digits) else (_phone(Identity.value.endswith(digits)),)
        ways.append(TokenQuery((f"s{digits[-step:]}",), checks))
    return ways


def _calling_code(country: str) -> str:
    code = country_code_for_region(country.upper())
    return str(code) if code else ""


def _phone(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(
        Identity.tenant_id == current_tenant_id(),
        Identity.contact_id == Contact.id,
        Identity.kind == "phone",
        condition,
    )


def _conditions(filters: ContactFilters) -> list[ColumnElement[bool]]:
    """Conditions that most contacts meet; they have no token and are read from the contact."""
    found: list[ColumnElement[bool]] = []
    for column, required in (
        (Contact.opted_out_at, filters.opted_out),
        (Contact.blocked_at, filters.blocked),
        (Contact.consent_at, filters.consent),
    ):
        if required is False:
            found.append(column.is_(None))
    if filters.has_phone:
        found.append(_phone(literal(True)))
    if filters.seen_since is not None:
        found.append(Contact.last_seen_at >= filters.seen_since)
    return found


NEWEST = (
    select(Contact)
    .where(Contact.tenant_id == THIS_TENANT)
    .order_by(Contact.id.desc())
    .limit(bindparam("most"))
    .execution_options(plan_once=True)
)


def _newest_of_all(after: str | None, limit: int) -> list[Contact]:
    query = NEWEST.where(Contact.id < after) if after else NEWEST
    return list(db.session.scalars(query, {"most": limit}))


def _newest(
    ways: list[TokenQuery], filters: ContactFilters, after: str | None, limit: int
) -> list[str]:
    """Return the ids of one page."""
    if not ways:
        return []
    return list(db.session.scalars(_ids_of(ways, filters, after, limit)))


def _ids_of(
    ways: list[TokenQuery], filters: ContactFilters, after: str | None, limit: int
) -> Select[str]:
    queries = [_ids(way, filters, after, limit) for way in ways]
    if len(queries) == 1:
        return queries[0]
    every = union(*(select(query.subquery().c.id) for query in queries)).subquery()
    return select(every.c.id).order_by(every.c.id.desc()).limit(limit)


def _ids(way: TokenQuery, filters: ContactFilters, after: str | None, limit: int) -> Select[str]:
    """Select ids by the first token, or by the contacts if there is none."""
    tenant_id, conditions = current_tenant_id(), [*_conditions(filters), *way.checks]
    if not way.tokens:
        query = select(Contact.id.label("id")).where(Contact.tenant_id == tenant_id, *conditions)
        if after:
            query = query.where(Contact.id < after)
        return query.order_by(Contact.id.desc()).limit(limit)
    first, *more = way.tokens
    lead = aliased(ContactToken, name="lead")
    query = select(lead.contact_id.label("id")).where(
        lead.tenant_id == tenant_id, lead.token == first, _has(lead.contact_id, more)
    )
    if conditions:
        query = query.join(
            Contact, and_(Contact.tenant_id == tenant_id, Contact.id == lead.contact_id)
        ).where(*conditions)
    if after:
        query = query.where(lead.contact_id < after)
    return query.order_by(lead.contact_id.desc()).limit(limit)


def _has(contact_id: Any, tokens: Sequence[str]) -> ColumnElement[bool]:
    found = []
    for number, token in enumerate(tokens):
        beside = aliased(ContactToken, name=f"beside{number}")
        found.append(
            exists().where(
                beside.tenant_id == current_tenant_id(),
                beside.token == token,
                beside.contact_id == contact_id,
            )
        )
    return and_(literal(True), *found)


def _sorted(
    ways: list[TokenQuery], filters: ContactFilters, sort: str, after: str | None, limit: int
) -> list[Contact]:
    if not ways:
        return []
    column: Any = Contact.name_key if sort == "name" else Contact.last_seen_at
    query = select(Contact).where(Contact.tenant_id == current_tenant_id(), *_conditions(filters))
    if sort == "seen":
        query = query.where(Contact.last_seen_at.is_not(None))
    if any(way.tokens for way in ways):
        found = _ids_of(ways, filters, None, MAX_SORTED).subquery()
        query = query.where(Contact.id.in_(select(found.c.id)))
    else:
        query = query.where(*(check for way in ways for check in way.checks))
    place = _place_after(after, sort)
    if place is not None:
        value, contact_id = place
        here = func.row(column, Contact.id)
        there = func.row(literal(value, column.type), literal(contact_id, Contact.id.type))
        query = query.where(here > there if sort == "name" else here < there)
    order = (column, Contact.id) if sort == "name" else (column.desc(), Contact.id.desc())
    return list(db.session.scalars(query.order_by(*order).limit(limit)))


def _load(ids: list[str]) -> list[Contact]:
    if not ids:
        return []
    query = select(Contact).where(Contact.tenant_id == current_tenant_id(), Contact.id.in_(ids))
    found = {one.id: one for one in db.session.scalars(query)}
    return [found[one] for one in ids if one in found]


def _id_after(after: str | None) -> str | None:
    if not after:
        return None
    try:
        return canonical_id("con", after)
    except BadId:
        raise _bad_cursor() from None


def _place_after(after: str | None, sort: str) -> tuple[Any, str] | None:
    if not after:
        return None
    try:
        place, contact_id = json.loads(base64.urlsafe_b64decode(after.encode()))
        value = str(place) if sort == "name" else parse_rfc3339(place)
        if "\0" in str(value):
            raise _bad_cursor()
        return value, canonical_id("con", contact_id)
    except (ValueError, TypeError, AttributeError, BadTime, BadId):
        raise _bad_cursor() from None


def _bad_cursor() -> Exception:
    return invalid(
        "after", "invalid_cursor", "Use the `next` value of the previous page for `after`."
    )
