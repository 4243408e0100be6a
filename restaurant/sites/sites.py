"""A tenant's restaurants: open, change, pause, close and find them."""

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.exc import IntegrityError

from core import live_updates, lookups
from core.clock import now, zone
from core.db import THIS_TENANT, current_tenant_id, db, savepoint
from core.errors import Conflict, NotFound, invalid
from core.ids import short_code
from core.security import signed_urls
from core.values.text import fold_case
from messaging.lines import repository as line_repository
from messaging.models import Line
from restaurant.models import Order, Site, Station
from restaurant.sites import hours, service_charges
from restaurant.sites import validation as site_validation
from tenants import audit
from tenants.people import clean_name
from tenants.plans import limits as plan_limits

LOOKUP, HOST_LOOKUP = "site", "site_host"
DEFAULT_STATIONS = (("kitchen", "Kitchen"), ("bar", "Bar"))
DEFAULT_NOTIFIED_STATES = ("sent_to_kitchen", "ready", "out_for_delivery", "cancelled", "late")
SITES = select(Site).where(Site.tenant_id == THIS_TENANT)
ALL_SITES = SITES.order_by(Site.id).execution_options(plan_once=True)
OPEN_SITES = (
    SITES.where(Site.closed_at.is_(None))
    .order_by(Site.name, Site.id)
    .execution_options(plan_once=True)
)
# Whether the tenant has a restaurant.
ANY_OPEN = exists(Site.id).where(Site.tenant_id == THIS_TENANT, Site.closed_at.is_(None))


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
    """Create a restaurant with a kitchen and a bar and default settings."""
    plan_limits.check_limit("sites", len(listed()))
    site = Site(
        tenant_id=current_tenant_id(),
        name=clean_name(name),
        slug=site_validation.check_slug(slug),
        prefix=site_validation.check_field("prefix", prefix),
        currency=site_validation.check_field("currency", currency),
        time_zone=site_validation.check_field("time_zone", time_zone),
        country=site_validation.check_field("country", country),
        languages=site_validation.check_field("languages", languages),
        order_types=["dine_in", "takeaway"],
        payment_methods=["pos_at_table", "cash"],
        told_states=list(DEFAULT_NOTIFIED_STATES),
        hours={},
        special_days=[],
        welcome={},
        tip_percents=[],
    )
    try:
        with savepoint():
            db.session.add(site)
            db.session.flush()
            lookups.add_lookup(LOOKUP, site.slug, site.id)
    except IntegrityError as error:
        raise Conflict(
            "site_taken", "Another restaurant already uses this address or order prefix."
        ) from error
    for position, (code, label) in enumerate(DEFAULT_STATIONS):
        db.session.add(
            Station(
                tenant_id=site.tenant_id, site_id=site.id, code=code, name=label, position=position
            )
        )
    audit.record("sites.opened", site.name, site_id=site.id)
    return site


def suggest_slug_and_prefix(name: str) -> tuple[str, str]:
    """A slug and an order prefix for a name: Lokanta Mavi → lokanta-mavi, LOK."""
    plain = fold_case(name.replace("ı", "i").replace("İ", "I").replace("ß", "ss"))
    words = re.findall(
        "[a-z0-9]+", unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    )
    slug = "-".join(words)[:36].strip("-")
    prefix = "".join(words).lstrip("0123456789")[:3].upper()
    return (
        slug if len(slug) > 2 else f"menu-{short_code(6).lower()}",
        prefix if len(prefix) > 1 else "ORD",
    )


def get(site_id: str) -> Site:
    site = db.session.get(Site, (current_tenant_id(), site_id))
    if site is None or site.closed_at is not None:
        raise NotFound()
    return site


def get_including_closed(site_id: str) -> Site:
    return db.session.get_one(Site, (current_tenant_id(), site_id))


def listed() -> list[Site]:
    return list(db.session.scalars(OPEN_SITES))


def list_including_closed() -> list[Site]:
    """Oldest first; includes closed sites, because their orders stay readable."""
    return list(db.session.scalars(ALL_SITES))


def of_order(order: Order) -> Site:
    """The order's site, which may be closed."""
    return db.session.get_one(Site, (order.tenant_id, order.site_id))


def check_currency_and_languages(currency: str, languages: list[str]) -> tuple[str, list[str]]:
    return site_validation.check_field("currency", currency), site_validation.check_field(
        "languages", languages
    )


def find_by_slug(slug: str) -> tuple[int, str] | None:
    """Runs in a global transaction. Returns the tenant id and site id of a slug, or None."""
    return lookups.find_lookup(LOOKUP, slug)


def find_by_host(host: str) -> tuple[int, str] | None:
    return lookups.find_lookup(HOST_LOOKUP, host)


def change(site_id: str, values: Mapping[str, Any]) -> Site:
    """All fields are validated before any is written."""
    site = get(site_id)
    unknown = set(values) - site_validation.CHANGEABLE
    if unknown:
        raise invalid(min(unknown), "unknown_field", "This restaurant setting does not exist.")
    clean = {field: site_validation.check_field(field, value) for field, value in values.items()}
    before = audit.snapshot(site)
    changed = {field: value for field, value in clean.items() if getattr(site, field) != value}
    service_charges.check_service_charge(site, changed)
    site_validation.check_kitchen_minutes(
        changed.get("kitchen_warn_minutes", site.kitchen_warn_minutes),
        changed.get("kitchen_late_minutes", site.kitchen_late_minutes),
    )
    if "host" in clean:
        changed.pop("host", None)
        changed |= _request_host(site, clean["host"])
    for field, value in changed.items():
        setattr(site, field, value)
    if changed:
        try:
            with savepoint():
                db.session.flush()
        except IntegrityError as error:
            raise Conflict(
                "site_taken", "Another restaurant already uses this order prefix."
            ) from error
        audit.record_change("sites.changed", site.name, before, site, site_id=site.id)
    return site


def pause(site_id: str, until: datetime | None) -> Site:
    """Stop taking orders until then; None resumes."""
    site = get(site_id)
    if until is not None and not now() < until <= now() + timedelta(days=31):
        raise invalid("until", "invalid_time", "Orders can be paused for at most one month.")
    site.paused_until = until
    live_updates.publish_update("orders.paused" if until else "orders.resumed", site=site.id)
    act = "sites.paused" if until else "sites.resumed"
    audit.record(act, site.name, until=until.isoformat() if until else None)
    return site


def close_site(site_id: str) -> None:
    """The orders stay readable; the slug can be used again."""
    site = get(site_id)
    lookups.remove_lookup(LOOKUP, site.slug)
    if site.host:
        lookups.remove_lookup(HOST_LOOKUP, site.host)
    site.closed_at = now()
    # Slugs are unique in a tenant, including closed sites; a new site may need this one.
    site.slug = f"{site.slug}-{short_code(6).lower()}"
    audit.record("sites.closed", site.name, site_id=site.id)


def line_of(site: Site) -> Line | None:
    """The line that customers write to: the site's own, else the tenant's default or test line."""
    if site.line_id is not None:
        try:
            return line_repository.get(site.line_id)
        except NotFound:
            pass
    return line_repository.default_line(test=False) or line_repository.default_line(test=True)


def sites_of_line(line: Line) -> list[Site]:
    """The open sites whose customers write to this line."""
    found = ((site, line_of(site)) for site in listed())
    return [site for site, site_line in found if site_line is not None and site_line.id == line.id]


def why_no_orders(site: Site, moment: datetime) -> str:
    """Why the site takes no orders: paused, closed or no_menu. Empty if it takes orders."""
    if site.menu_id is None:
        return "no_menu"
    if site.paused_until is not None and site.paused_until > moment:
        return "paused"
    open_now = hours.is_open(site.hours, site.time_zone, moment, site.special_days)
    return "" if open_now else "closed"


def next_opening(site: Site) -> datetime | None:
    """The next opening, in the site's time zone, if it is closed now."""
    at = hours.next_opening(site.hours, site.time_zone, now(), site.special_days)
    return at.astimezone(zone(site.time_zone)) if at else None


def why_no_orders_now(site: Site) -> str:
    return why_no_orders(site, now())


def _request_host(site: Site, host: str) -> dict[str, str]:
    """The fields to change. A new host name needs the operator's confirmation; until then the old
    one is served."""
    if host in (site.host, site.host_pending):
        return {"host_pending": ""} if host == site.host and site.host_pending else {}
    if not host:
        lookups.remove_lookup(HOST_LOOKUP, site.host)
        return {"host": "", "host_pending": ""}
    if signed_urls.is_own_host(host):
        raise invalid("host", "host_not_yours", "This domain belongs to Comanda.")
    found = lookups.find_lookup(HOST_LOOKUP, host)
    if found is not None and found != (current_tenant_id(), site.id):
        raise Conflict("host_taken", "Another restaurant already uses this domain.")
    return {"host_pending": host}


def pending_hosts() -> list[Site]:
    query = select(Site).where(Site.tenant_id == current_tenant_id(), Site.host_pending != "")
    return list(db.session.scalars(query.where(Site.closed_at.is_(None))))


def confirm_host(site: Site) -> None:
    """Serve the pending host name. The operator has checked that it belongs to the restaurant."""
    host = site.host_pending
    if site.host:
        lookups.remove_lookup(HOST_LOOKUP, site.host)
    try:
        with savepoint():
            lookups.add_lookup(HOST_LOOKUP, host, site.id)
    except IntegrityError as error:
        raise Conflict("host_taken", "Another restaurant already uses this domain.") from error
    before = audit.snapshot(site)
    site.host, site.host_pending = host, ""
    audit.record_change(
        "sites.changed", site.name, before, site, shown=frozenset({"host"}), site_id=site.id
    )
