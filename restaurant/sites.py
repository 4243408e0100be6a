"""A tenant's restaurants: opened, changed, paused, found by their address."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import available_timezones

from babel import Locale, UnknownLocaleError
from phonenumbers import SUPPORTED_REGIONS
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from core import lookups
from core.clock import now
from core.db import current_tenant_id, db, savepoint
from core.errors import Conflict, NotFound, invalid
from core.ids import short_code
from core.money import BadMoney, places
from core.phone import BadPhone, check_phone
from messaging import lines_book
from messaging.models import Line
from restaurant import hours
from restaurant.models import Order, Site, Station
from restaurant.moves import ORDER_TYPES, PAYMENT_METHODS, STATES
from tenants import audit
from tenants.people import clean_name

LOOKUP, HOST_LOOKUP = "site", "site_host"
FIRST_STATIONS = (("kitchen", "Kitchen"), ("bar", "Bar"))
TOLD = ("sent_to_kitchen", "ready", "out_for_delivery", "cancelled")
_SLUG = re.compile(r"[a-z0-9](?:[a-z0-9-]{1,38}[a-z0-9])")
_PREFIX = re.compile(r"[A-Z][A-Z0-9]{1,5}")
_HOST = re.compile(r"(?=.{4,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\.[a-z]{2,}")
_TONE = re.compile(r"[0-9a-f]{6}")
CHANGEABLE = frozenset(
    {
        "name", "host", "prefix", "currency", "time_zone", "country", "languages", "address",
        "phone", "latitude", "longitude", "line_id", "hours", "day_starts", "order_types",
        "payment_methods", "tax_included", "service_percent", "tip_percents", "told_states",
        "accept_minutes", "manager_phone", "table_orders_per_hour", "phone_orders_per_hour",
        "address_orders_per_hour", "newcomer_limit", "tone", "welcome", "menu_id", "logo",
    }
)  # fmt: skip


def open_site(
    name: str,
    *,
    slug: str,
    prefix: str,
    currency: str,
    time_zone: str,
    country: str,
    languages: list[str],
) -> Site:
    """A new restaurant with a kitchen and a bar, everything else at its usual value."""
    site = Site(
        tenant_id=current_tenant_id(),
        name=clean_name(name),
        slug=_slug(slug),
        prefix=_checked("prefix", prefix),
        currency=_checked("currency", currency),
        time_zone=_checked("time_zone", time_zone),
        country=_checked("country", country),
        languages=_checked("languages", languages),
        order_types=["dine_in", "takeaway"],
        payment_methods=["pos_at_table", "cash"],
        told_states=list(TOLD),
        hours={},
        welcome={},
        tip_percents=[],
    )
    try:
        with savepoint():
            db.session.add(site)
            db.session.flush()
            lookups.publish(LOOKUP, site.slug, site.id)
    except IntegrityError as error:
        raise Conflict(
            "site_taken", "Another restaurant has this address or this order prefix already."
        ) from error
    for position, (code, label) in enumerate(FIRST_STATIONS):
        db.session.add(
            Station(
                tenant_id=site.tenant_id, site_id=site.id, code=code, name=label, position=position
            )
        )
    audit.record("sites.opened", site.name, site_id=site.id)
    return site


def get(site_id: str) -> Site:
    site = db.session.get(Site, (current_tenant_id(), site_id))
    if site is None or site.closed_at is not None:
        raise NotFound()
    return site


def listed() -> list[Site]:
    query = select(Site).where(Site.tenant_id == current_tenant_id(), Site.closed_at.is_(None))
    return list(db.session.scalars(query.order_by(Site.name, Site.id)))


def every() -> list[Site]:
    """Closed ones too, for the orders they had."""
    return list(db.session.scalars(select(Site).where(Site.tenant_id == current_tenant_id())))


def of_order(order: Order) -> Site:
    """Also when it is closed by now."""
    return db.session.get_one(Site, (order.tenant_id, order.site_id))


def checked_money_and_languages(currency: str, languages: list[str]) -> tuple[str, list[str]]:
    return _checked("currency", currency), _checked("languages", languages)


def find(slug: str) -> tuple[int, str] | None:
    """In a global transaction: the tenant and the site behind an address."""
    return lookups.find(LOOKUP, slug)


def find_host(host: str) -> tuple[int, str] | None:
    return lookups.find(HOST_LOOKUP, host)


def change(site_id: str, values: Mapping[str, Any]) -> Site:
    """Every field is checked before any is written."""
    site = get(site_id)
    unknown = set(values) - CHANGEABLE
    if unknown:
        raise invalid(min(unknown), "unknown_field", "A restaurant has no such setting.")
    clean = {field: _checked(field, value) for field, value in values.items()}
    changed = {field: value for field, value in clean.items() if getattr(site, field) != value}
    if "host" in changed:
        _move_host(site, changed["host"])
    for field, value in changed.items():
        setattr(site, field, value)
    if changed:
        try:
            with savepoint():
                db.session.flush()
        except IntegrityError as error:
            raise Conflict("site_taken", "Another restaurant has this order prefix.") from error
        audit.record("sites.changed", site.name, site_id=site.id, fields=sorted(changed))
    return site


def pause(site_id: str, until: datetime | None) -> Site:
    """No orders until then; None takes orders again."""
    site = get(site_id)
    if until is not None and not now() < until <= now() + timedelta(days=31):
        raise invalid("until", "invalid_time", "Orders can be paused for up to a month.")
    site.paused_until = until
    act = "sites.paused" if until else "sites.resumed"
    audit.record(act, site.name, until=until.isoformat() if until else None)
    return site


def close_site(site_id: str) -> None:
    """Its orders stay readable; its address is free again."""
    site = get(site_id)
    lookups.withdraw(LOOKUP, site.slug)
    if site.host:
        lookups.withdraw(HOST_LOOKUP, site.host)
    site.closed_at = now()
    # Addresses are one in a tenant, closed sites included; a new one may want this one's.
    site.slug = f"{site.slug}-{short_code(6).lower()}"
    audit.record("sites.closed", site.name, site_id=site.id)


def line_of(site: Site) -> Line | None:
    """Where its customers write to: its own line, or the tenant's default, or the test line."""
    if site.line_id is not None:
        try:
            return lines_book.get(site.line_id)
        except NotFound:
            pass
    return lines_book.default_line(test=False) or lines_book.default_line(test=True)


def takes_orders(site: Site, moment: datetime) -> str:
    """Empty when it does, else why not: paused, closed or no_menu."""
    if site.menu_id is None:
        return "no_menu"
    if site.paused_until is not None and site.paused_until > moment:
        return "paused"
    return "" if hours.is_open(site.hours, site.time_zone, moment) else "closed"


def why_no_orders_now(site: Site) -> str:
    return takes_orders(site, now())


def _move_host(site: Site, host: str) -> None:
    if site.host:
        lookups.withdraw(HOST_LOOKUP, site.host)
    if host:
        try:
            with savepoint():
                lookups.publish(HOST_LOOKUP, host, site.id)
        except IntegrityError as error:
            raise Conflict("host_taken", "Another restaurant uses this host name.") from error


def _slug(value: str) -> str:
    if not _SLUG.fullmatch(value):
        raise invalid(
            "slug", "invalid_slug", "An address is 3 to 40 small letters, digits and dashes."
        )
    return value


def _checked(field: str, value: Any) -> Any:
    check = _CHECKS.get(field)
    return check(field, value) if check else value


def _name(_field: str, value: Any) -> str:
    return clean_name(str(value))


def _prefix(field: str, value: Any) -> str:
    text = str(value).strip().upper()
    if not _PREFIX.fullmatch(text):
        raise invalid(
            field, "invalid_prefix", "An order prefix is 2 to 6 letters and digits, such as ORD."
        )
    return text


def _host(field: str, value: Any) -> str:
    text = str(value or "").strip().lower()
    if text and not _HOST.fullmatch(text):
        raise invalid(field, "invalid_host", "A host name looks like menu.example.com.")
    return text


def _currency(field: str, value: Any) -> str:
    text = str(value).strip().upper()
    try:
        places(text)
    except BadMoney as error:
        raise invalid(field, "invalid_currency", "A currency is a code such as TRY.") from error
    return text


def _time_zone(field: str, value: Any) -> str:
    if value not in available_timezones():
        raise invalid(field, "invalid_time_zone", "A time zone is a name such as Europe/Istanbul.")
    return str(value)


def _country(field: str, value: Any) -> str:
    text = str(value).strip().upper()
    if text not in SUPPORTED_REGIONS:
        raise invalid(field, "invalid_country", "A country is a code of two letters, such as TR.")
    return text


def _languages(field: str, value: Any) -> list[str]:
    wanted = list(dict.fromkeys(str(one).strip().lower() for one in value or ()))
    for one in wanted:
        try:
            Locale.parse(one)
        except (UnknownLocaleError, ValueError) as error:
            raise invalid(
                field, "invalid_language", "A language is a code such as tr or en."
            ) from error
    if not 1 <= len(wanted) <= 12:
        raise invalid(field, "invalid_language", "Give between one and twelve languages.")
    return wanted


def _phone(field: str, value: Any) -> str:
    text = str(value or "").strip().removeprefix("+")
    if text:
        try:
            check_phone(text)
        except BadPhone as error:
            raise invalid(field, "invalid_phone", str(error)) from error
    return text


def _among(known: tuple[str, ...], least: int) -> Any:
    def check(field: str, value: Any) -> list[str]:
        wanted = [one for one in known if one in (value or ())]
        if len(wanted) != len(set(value or ())) or len(wanted) < least:
            raise invalid(field, "invalid_choice", "Choose among the offered values.")
        return wanted

    return check


def _between(low: Decimal | int, high: Decimal | int) -> Any:
    def check(field: str, value: Any) -> Any:
        if value is None or not low <= value <= high:
            raise invalid(
                field, "out_of_range", "Give a number from {low} to {high}.", low=low, high=high
            )
        return value

    return check


def _degrees(most: int) -> Any:
    def check(field: str, value: Any) -> Any:
        return None if value is None else _between(Decimal(-most), Decimal(most))(field, value)

    return check


def _tone(field: str, value: Any) -> str:
    text = str(value or "").strip().lower().removeprefix("#")
    if text and not _TONE.fullmatch(text):
        raise invalid(field, "invalid_colour", "A colour is six hex digits, such as c2410c.")
    return text


def _line_id(field: str, value: Any) -> int | None:
    if value is None:
        return None
    try:
        return lines_book.get(int(value)).id
    except NotFound as error:
        raise invalid(field, "unknown_instance", "There is no line with this id.") from error


_CHECKS: dict[str, Any] = {
    "name": _name,
    "prefix": _prefix,
    "host": _host,
    "currency": _currency,
    "time_zone": _time_zone,
    "country": _country,
    "languages": _languages,
    "phone": _phone,
    "manager_phone": _phone,
    "line_id": _line_id,
    "hours": lambda _field, value: hours.checked(value or {}),
    "day_starts": lambda field, value: hours.checked_clock(field, str(value)),
    "order_types": _among(ORDER_TYPES, 1),
    "payment_methods": _among(PAYMENT_METHODS, 1),
    "told_states": _among(STATES, 0),
    "service_percent": _between(Decimal(0), Decimal(50)),
    "accept_minutes": _between(1, 120),
    "table_orders_per_hour": _between(1, 1000),
    "phone_orders_per_hour": _between(1, 1000),
    "address_orders_per_hour": _between(1, 10_000),
    "latitude": _degrees(90),
    "longitude": _degrees(180),
    "tone": _tone,
}
