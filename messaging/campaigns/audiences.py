"""Audiences: saved filters, and the contacts that match them now."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, literal, or_, select

from core.clock import now, today
from core.db import current_tenant_id, db
from core.errors import Conflict, NotFound
from core.ids import BadId, canonical_id
from core.values.network_address import PHONE
from messaging.campaigns import filters as asked
from messaging.campaigns import order_port
from messaging.campaigns.filters import AudienceFilters
from messaging.contacts import marketing_eligibility, search_tokens
from messaging.lines.drivers.registry import DRIVERS
from messaging.models import Audience, Contact, ContactToken, Conversation, Identity, Line
from tenants import accounts, audit
from tenants.people import clean_name

MOST = 200
WINDOW_CLOSED = "window_closed"


def list_audiences() -> list[Audience]:
    """Return all audiences by name; there are at most 200."""
    found = db.session.scalars(
        select(Audience).where(Audience.tenant_id == current_tenant_id()).limit(MOST)
    )
    return sorted(found, key=lambda one: (search_tokens.search_key(one.name), one.id))


def audience_page(after: str | None, limit: int) -> list[Audience]:
    """Return one page for the API, newest first."""
    query = (
        select(Audience)
        .where(Audience.tenant_id == current_tenant_id())
        .order_by(Audience.id.desc())
        .limit(limit)
    )
    return list(db.session.scalars(query.where(Audience.id < after) if after else query))


def get(audience_id: str) -> Audience:
    try:
        known = canonical_id("aud", audience_id)
    except BadId:
        raise NotFound() from None
    found = db.session.get(Audience, (current_tenant_id(), known))
    if found is None:
        raise NotFound()
    return found


def save(name: str, given: Mapping[str, Any]) -> Audience:
    audience = Audience(
        tenant_id=current_tenant_id(), name=clean_name(name), filters=checked_filters(given)
    )
    if len(list_audiences()) >= MOST:
        raise Conflict(
            "too_many", "You already have {most} audiences, which is the limit.", most=MOST
        )
    db.session.add(audience)
    audit.record("audiences.added", audience.name)
    db.session.flush()
    return audience


def change(audience_id: str, name: str | None, given: Mapping[str, Any] | None) -> Audience:
    audience = get(audience_id)
    before = audit.snapshot(audience)
    filters = audience.filters if given is None else checked_filters(given)
    audience.name = audience.name if name is None else clean_name(name)
    audience.filters, audience.changed_at = filters, now()
    audit.record_change("audiences.changed", audience.name, before, audience)
    return audience


def remove(audience_id: str) -> None:
    """Remove an audience. Campaigns keep a copy of their filters."""
    audience = get(audience_id)
    db.session.delete(audience)
    audit.record("audiences.removed", audience.name)


def checked_filters(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the filters as they are stored. Raises NotFound for a site of another account."""
    found = asked.parse_filters(given)
    if found.ordered.is_set:
        order_port.order_condition(literal(None), found.ordered, now())
    if found.ordered.site_id and found.ordered.site_id not in dict(order_port.list_sites()):
        raise NotFound("This restaurant does not exist.")
    return asked.filters_json(found)


def matching_contacts(filters: AudienceFilters) -> Select[Any]:
    """Select the matching contacts, before exclusions."""
    tenant_id, moment = current_tenant_id(), now()
    query = select(Contact.id).where(Contact.tenant_id == tenant_id)
    if filters.tags:
        query = query.where(_tagged(filters.tags))
    if filters.without_tags:
        query = query.where(~_tagged(filters.without_tags))
    if filters.languages:
        query = query.where(Contact.language.in_(filters.languages))
    if filters.birthday_within_days is not None:
        query = query.where(_birthday(filters.birthday_within_days))
    if filters.consent:
        query = query.where(Contact.consent_at.is_not(None))
    if filters.seen_within_days is not None:
        query = query.where(
            Contact.last_seen_at >= moment - timedelta(days=filters.seen_within_days)
        )
    if filters.not_messaged_days is not None:
        since = moment - timedelta(days=filters.not_messaged_days)
        query = query.where(or_(Contact.marketed_at.is_(None), Contact.marketed_at < since))
    if filters.ordered.is_set:
        query = query.where(order_port.order_condition(Contact.id, filters.ordered, moment))
    return query


def address_expression(line: Line | None) -> ColumnElement[str]:
    """SQL expression on a row of contacts: where a message on this line goes.

    The same choice as `contacts.cards.address_on_line`.
    """
    kinds = DRIVERS[line.kind].address_kinds if line is not None else {PHONE}
    not_phone = Identity.kind != PHONE
    other_line = func.coalesce(Identity.line_id, 0) != (line.id if line is not None else 0)
    return (
        select(Identity.spelling)
        .where(
            Identity.tenant_id == current_tenant_id(),
            Identity.contact_id == Contact.id,
            Identity.kind.in_(sorted(kinds)),
        )
        .order_by(
            not_phone,
            and_(not_phone, other_line),
            Identity.value.like("__.ENT.%"),
            case((not_phone, Identity.added_at)).desc().nulls_last(),
            Identity.value,
        )
        .limit(1)
        .scalar_subquery()
    )


def exclusion_expression(
    rest_days: int, line: Line | None, *, template: bool
) -> ColumnElement[str]:
    """SQL expression on a row of contacts: why this campaign leaves them out; "" if it does not."""
    moment = now()
    rest = timedelta(days=rest_days) if rest_days else None
    closed = None if line is None or template else _window_closed(line, moment)
    return marketing_eligibility.exclusion_expression(
        moment,
        rest,
        *(() if closed is None else ((closed, WINDOW_CLOSED),)),
        line_kind=line.kind if line is not None else None,
    )


def _window_closed(line: Line, moment: datetime) -> ColumnElement[bool] | None:
    """The real network accepts free text only within a day after the contact's last message."""
    if not DRIVERS[line.kind].has_reply_window or line.network == "simulator":
        return None
    return ~exists().where(
        Conversation.tenant_id == current_tenant_id(),
        Conversation.contact_id == Contact.id,
        Conversation.line_id == line.id,
        Conversation.window_until > moment,
    )


def _tagged(tags: tuple[str, ...]) -> ColumnElement[bool]:
    return Contact.id.in_(
        select(ContactToken.contact_id).where(
            ContactToken.tenant_id == current_tenant_id(),
            ContactToken.token.in_([f"#{search_tokens.tag_key(tag)}" for tag in tags]),
        )
    )


def _birthday(days: int) -> ColumnElement[bool]:
    """Match birthdays from today, in the business's time zone, over the turn of the year too."""
    first = today(accounts.account().time_zone or "UTC")
    last = first + timedelta(days=days)
    start, end = (day.month * 100 + day.day for day in (first, last))
    if end == 228 and (last + timedelta(days=1)).day == 1:
        end = 229  # in other years, 29 February is celebrated the day before
    if start <= end:
        return Contact.birthday.between(start, end)
    return and_(
        Contact.birthday.is_not(None), or_(Contact.birthday >= start, Contact.birthday <= end)
    )
