"""What the clock asks for: the sweep that finds unheard work, and the nightly tidying."""

from collections.abc import Callable
from datetime import timedelta

from flask import current_app
from sqlalchemy import select

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
    exports,
    hooks,
    loyalty,
    media,
    orders,
    payments,
    printing,
    rounds,
    templates,
    troubles,
)
from messaging import automation_book, connections, hook_book, sending, store_events
from printing import agents as print_agents
from printing import reading as print_jobs
from restaurant import carts, photos
from tenants import forgetting, idempotency, people
from tenants.accounts import forget_facts
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
        exports.sweep()
        rounds.sweep()


def make_months() -> list[str]:
    """Make the partitions of the months ahead."""
    hear("jobs.housekeeping.make_months")
    return partitions.make_all(partitions.TABLES, now())


def turn_days() -> list[str]:
    """Make the request log's days ahead and drop the days it is no longer kept for."""
    hear("jobs.housekeeping.turn_days")
    settings: Settings = current_app.extensions["comanda"]
    moment = now()
    kept_since = moment - timedelta(days=settings.request_log_days)
    partitions.make_all(partitions.DAILY, moment)
    gone = partitions.drop_all(partitions.DAILY, kept_since)
    log.info("days turned", dropped=len(gone))
    return gone


def tidy() -> dict[str, int]:
    """Drop what has outlived its promise, in a round over all tenants."""
    hear("jobs.housekeeping.tidy")
    kinds = ("tokens", "idempotency_keys", "hooks", "hook_keys", "runs", "photos", "carts", "audit")
    gone = dict.fromkeys(kinds, 0)
    with global_scope():
        gone["tokens"] = people.forget_old_tokens(now() - timedelta(days=30))
        carts.forget_visitor_keys()
    gone |= _forget_people()
    rounds.go("jobs.housekeeping.tidy", lambda tenant_id: _tidy(tenant_id, gone))
    log.info("tidied", **gone)
    return gone


def _forget_people() -> dict[str, int]:
    """What nobody needs any more about people who sign in, or who signed up and never came."""
    gone = {
        "sign_ins": _until_few(forgetting.sign_ins),
        "person_events": _until_few(forgetting.person_events),
        "mails": _until_few(forgetting.mails),
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


def _until_few(step: Callable[[], int]) -> int:
    """In small steps, each its own transaction."""
    gone = 0
    while True:
        with global_scope():
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


def _tidy(tenant_id: int, gone: dict[str, int]) -> bool:
    """The small things at once; then audit entries and hooks, of which there are many, one step
    at a time: bodies of hooks first, then what is left of them."""
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(tenant_id):
        gone["idempotency_keys"] += idempotency.forget_old(now() - idempotency.KEPT)
        gone["hook_keys"] += connections.forget_old_keys()
        gone["runs"] += automation_book.forget_old()
        store_events.forget_old_links()
        print_agents.forget_old_codes()
        print_jobs.forget_old()
        gone["carts"] += carts.forget_abandoned()
    gone["photos"] += _forget_photos(tenant_id)
    with tenant_scope(tenant_id):
        dropped = forgetting.audit()
    gone["audit"] += dropped
    more = dropped >= forgetting.AT_ONCE
    for step, days in (
        (hook_book.drop_bodies, settings.hook_body_days),
        (hook_book.drop, settings.hook_days),
    ):
        with tenant_scope(tenant_id):
            done = step(timedelta(days=days))
        gone["hooks"] += done
        more = more or done >= hook_book.AT_ONCE
    return more
