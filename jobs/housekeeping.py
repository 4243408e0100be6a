"""What the clock asks for: the sweep that finds unheard work, and the nightly tidying."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta

from flask import current_app
from sqlalchemy import Connection, NullPool, create_engine, select

from core import lanes, partitions
from core.blobs import BlobError, Blobs
from core.clock import now
from core.db import db, global_scope, ring, tenant_scope
from core.logs import logger
from core.mail import Mail
from core.rings import hear
from core.settings import Settings
from jobs import (
    automations,
    campaigns,
    contacts,
    deliveries,
    hooks,
    loyalty,
    media,
    orders,
    payments,
    printing,
    templates,
    troubles,
)
from messaging import automation_book, connections, hook_book, sending, store_events
from printing import agents as print_agents
from printing import reading as print_jobs
from restaurant import carts, photos
from tenants import forgetting, idempotency, people
from tenants.accounts import every_tenant, forget_facts
from tenants.erasing import erase_tenant

log = logger(__name__)


def sweep() -> None:
    """Ring for work that is due and that no bell announced, as after a loss of Redis."""
    hear("jobs.housekeeping.sweep")
    with global_scope():
        if db.session.scalar(select(Mail.id).where(Mail.due_at <= now()).limit(1)):
            ring("jobs.mail.drain")
        if lanes.wake_due(sending.LANE):
            ring("jobs.sends.drain")
        hooks.sweep()
        orders.sweep()
        loyalty.sweep()
        printing.sweep()
        payments.sweep()
        deliveries.sweep()
        media.sweep()
        templates.sweep()
        troubles.sweep()
        contacts.sweep()
        automations.sweep()
        campaigns.sweep()


def make_months() -> None:
    """The partitions of the months ahead, made as the role that owns the tables."""
    hear("jobs.housekeeping.make_months")
    with _as_owner() as connection:
        partitions.ensure(connection, now())


def turn_days() -> list[str]:
    """Days ahead for the request log; the days it is no longer kept for are dropped whole."""
    hear("jobs.housekeeping.turn_days")
    settings: Settings = current_app.extensions["comanda"]
    moment = now()
    with _as_owner() as connection:
        partitions.ensure_days(connection, moment)
        kept_since = moment - timedelta(days=settings.request_log_days)
        gone = partitions.drop_days_before(connection, "api_calls", kept_since)
    log.info("days turned", dropped=len(gone))
    return gone


@contextmanager
def _as_owner() -> Iterator[Connection]:
    """As the role that owns the tables, over a connection of its own."""
    settings: Settings = current_app.extensions["comanda"]
    url = settings.migration_database_url or settings.database_url
    with create_engine(url, poolclass=NullPool).begin() as connection:
        yield connection


def tidy() -> dict[str, int]:
    """Drop what has outlived its promise. One transaction for each tenant."""
    hear("jobs.housekeeping.tidy")
    moment = now()
    settings: Settings = current_app.extensions["comanda"]
    kinds = ("tokens", "idempotency_keys", "hooks", "hook_keys", "runs", "photos", "carts", "audit")
    gone = dict.fromkeys(kinds, 0)
    with global_scope():
        gone["tokens"] = people.forget_old_tokens(moment - timedelta(days=30))
        carts.forget_visitor_keys()
    gone |= _forget_people()
    for tenant_id in every_tenant(because="idempotency keys are kept 7 days"):
        with tenant_scope(tenant_id):
            gone["idempotency_keys"] += idempotency.forget_old(moment - idempotency.KEPT)
            gone["hook_keys"] += connections.forget_old_keys()
            gone["runs"] += automation_book.forget_old()
            store_events.forget_old_links()
            print_agents.forget_old_codes()
            print_jobs.forget_old()
            gone["carts"] += carts.forget_abandoned()
        gone["hooks"] += _forget_hooks(tenant_id, settings)
        gone["photos"] += _forget_photos(tenant_id)
        gone["audit"] += _until_few(tenant_scope, tenant_id, forgetting.audit)
    log.info("tidied", **gone)
    return gone


def _forget_people() -> dict[str, int]:
    """What nobody needs any more about people who sign in, or who signed up and never came."""
    gone = {
        "sign_ins": _until_few(global_scope, None, forgetting.sign_ins),
        "person_events": _until_few(global_scope, None, forgetting.person_events),
        "mails": _until_few(global_scope, None, forgetting.mails),
        "unverified": 0,
    }
    with global_scope():
        strangers = forgetting.unverified()
    for person_id in strangers:
        with global_scope():
            alone = forgetting.tenants_of_alone(person_id)
        for tenant_id in alone:
            with tenant_scope(tenant_id):
                if people.get_unverified(person_id) is not None:
                    erase_tenant()
            forget_facts(tenant_id)
        with global_scope():
            gone["unverified"] += forgetting.forget_person(person_id)
    return gone


def _until_few(
    scope: Callable[..., AbstractContextManager[object]],
    tenant_id: int | None,
    step: Callable[[], int],
) -> int:
    """In small steps, each its own transaction."""
    gone = 0
    while True:
        with scope() if tenant_id is None else scope(tenant_id):
            done = step()
        gone += done
        if done < forgetting.AT_ONCE:
            return gone


def _forget_photos(tenant_id: int) -> int:
    """Files of photos that were replaced. Outside the transaction that says which are in use."""
    blobs: Blobs = current_app.extensions["blobs"]
    try:
        if not (kept := photos.listed(blobs, tenant_id)):
            return 0
        with tenant_scope(tenant_id):
            unused = photos.unused(kept)
        for key in unused:
            blobs.delete(key)
    except (BlobError, OSError) as error:
        log.warning("photos not removed", tenant_id=tenant_id, error=type(error).__name__)
        return 0
    return len(unused)


def _forget_hooks(tenant_id: int, settings: Settings) -> int:
    """Bodies first, then what is left of them; in small steps, each its own transaction."""
    gone = 0
    steps = (
        (hook_book.drop_bodies, timedelta(days=settings.hook_body_days)),
        (hook_book.drop, timedelta(days=settings.hook_days)),
    )
    for step, kept in steps:
        while True:
            with tenant_scope(tenant_id):
                done = step(kept)
            gone += done
            if done < hook_book.AT_ONCE:
                break
    return gone
