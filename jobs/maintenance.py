"""Scheduled maintenance: the sweep that finds work without a wake-up, and the nightly clean-up."""

from collections.abc import Callable
from datetime import timedelta

from flask import current_app
from sqlalchemy import select

from core.clock import now
from core.db import db, global_scope, notify_workers, tenant_scope
from core.logs import logger
from core.mail import Mail
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings
from core.sql import partitions
from core.storage.blobs import BlobError, Blobs
from jobs import approvals, automations, campaigns, contacts, inbox, journeys, media, printing, push
from jobs.engine import all_tenants
from jobs.inbound import hooks as inbound_hooks
from jobs.lines import alerts as line_alert_jobs
from jobs.lines import template_sync as template_sync_jobs
from jobs.restaurant import loyalty as loyalty_jobs
from jobs.restaurant import orders as order_jobs
from jobs.restaurant import payments as payment_jobs
from jobs.restaurant import text_orders as text_order_jobs
from jobs.tenants import exports as tenant_exports
from jobs.webhooks import worker as webhook_worker
from messaging.approvals import decisions as held_messages
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations import store_events
from messaging.inbox.team import scheduled_replies
from messaging.journeys import queries as journey_queries
from messaging.lines import send_lane
from printing import agents as print_agents
from printing import queries as print_jobs
from restaurant.menus import photos
from restaurant.orders import carts
from restaurant.orders.pace import capacity
from restaurant.tabs import sessions as tab_sessions
from restaurant.text_orders import proposals
from tenants import idempotency, people
from tenants.accounts import drop_tenant_cache
from tenants.apps import clients as oauth_clients
from tenants.apps import grants as app_grants
from tenants.data import sign_in_retention
from tenants.data.erasure import erase_tenant
from tenants.partners import requests as partner_requests
from tenants.push import notifications as push_notifications
from webhooks.inbound import hook_log

log = logger(__name__)


def sweep() -> None:
    """Wake workers for due work whose wake-up was lost, for example with Redis."""
    acknowledge_wakeup("jobs.maintenance.sweep")
    with global_scope():  # in a short transaction, because sends share these rows
        if lanes.promote_later_due(send_lane.LANE):
            notify_workers("jobs.sending.worker.drain")
    with global_scope():
        if db.session.scalar(select(Mail.id).where(Mail.due_at <= now()).limit(1)):
            notify_workers("jobs.mail.drain")
        inbound_hooks.sweep()
        order_jobs.sweep()
        loyalty_jobs.sweep()
        printing.sweep()
        payment_jobs.sweep()
        text_order_jobs.sweep()
        webhook_worker.sweep()
        media.sweep()
        template_sync_jobs.sweep()
        line_alert_jobs.sweep()
        contacts.sweep()
        approvals.sweep()
        inbox.sweep()
        push.sweep()
        automations.sweep()
        journeys.sweep()
        campaigns.sweep()
        tenant_exports.sweep()
        all_tenants.resume_interrupted()


def create_month_partitions() -> list[str]:
    """Create the partitions of the months ahead."""
    acknowledge_wakeup("jobs.maintenance.create_month_partitions")
    return partitions.make_all(partitions.TABLES, now())


def rotate_day_partitions() -> list[str]:
    """Create the request log's partitions for the days ahead and drop expired ones."""
    acknowledge_wakeup("jobs.maintenance.rotate_day_partitions")
    settings: Settings = current_app.extensions["comanda"]
    moment = now()
    kept_since = moment - timedelta(days=settings.request_log_days)
    partitions.make_all(partitions.DAILY_TABLES, moment)
    deleted = partitions.drop_all(partitions.DAILY_TABLES, kept_since)
    log.info("daily partitions rotated", dropped=len(deleted))
    return deleted


def delete_expired() -> dict[str, int]:
    """Delete what is past its retention period, in a round over all tenants."""
    acknowledge_wakeup("jobs.maintenance.delete_expired")
    kinds = (
        "tokens",
        "idempotency_keys",
        "hooks",
        "hook_keys",
        "runs",
        "photos",
        "carts",
        "slots",
        "audit",
    )
    deleted = dict.fromkeys(kinds, 0)
    with global_scope():
        deleted["tokens"] = people.delete_old_tokens(now() - timedelta(days=30))
        carts.delete_visitor_keys()
        oauth_clients.delete_unused()
        partner_requests.delete_old()
    deleted |= _delete_old_signups()
    all_tenants.run_step(
        "jobs.maintenance.delete_expired",
        lambda tenant_id: _delete_expired_of_tenant(tenant_id, deleted),
    )
    log.info("maintenance finished", **deleted)
    return deleted


def _delete_old_signups() -> dict[str, int]:
    """Delete old sign-ins, e-mails and events of people, and sign-ups that were never verified."""
    deleted = {
        "sign_ins": _repeat_until_done(sign_in_retention.delete_old_sign_ins),
        "person_events": _repeat_until_done(sign_in_retention.delete_old_person_events),
        "mails": _repeat_until_done(sign_in_retention.delete_old_emails),
        "unverified": 0,
    }
    with global_scope():
        strangers = sign_in_retention.unverified_people()
    for person_id in strangers:
        with global_scope():
            alone = sign_in_retention.tenants_with_no_one_else(person_id)
        for tenant_id in alone:
            with tenant_scope(tenant_id):
                if people.get_unverified(person_id) is not None:
                    erase_tenant()
            drop_tenant_cache(tenant_id)
        with global_scope():
            deleted["unverified"] += sign_in_retention.delete_unverified_person(person_id)
    return deleted


def _repeat_until_done(step: Callable[[], int]) -> int:
    """In small steps, each in its own transaction."""
    deleted = 0
    while True:
        with global_scope():
            done = step()
        deleted += done
        if done < sign_in_retention.BATCH_SIZE:
            return deleted


def _delete_replaced_photos(tenant_id: int) -> int:
    """Delete files of replaced photos, outside the transaction that finds the ones in use."""
    blobs: Blobs = current_app.extensions["blobs"]
    try:
        if not (stored := photos.listed(blobs, tenant_id)):
            return 0
        with tenant_scope(tenant_id):
            unused = photos.unused(stored)
        for key in unused:
            blobs.delete(key)
    except (BlobError, OSError) as error:
        log.warning("photo deletion failed", tenant_id=tenant_id, error=type(error).__name__)
        return 0
    return len(unused)


def _delete_expired_of_tenant(tenant_id: int, deleted: dict[str, int]) -> bool:
    """Small tables at once; then one step each of the large ones: audit entries, bodies of hooks,
    hooks. True: there is more.
    """
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(tenant_id):
        deleted["idempotency_keys"] += idempotency.delete_old(now() - idempotency.KEY_LIFETIME)
        deleted["hook_keys"] += store_connections.delete_old_keys()
        deleted["runs"] += automation_definitions.delete_old_runs()
        journey_queries.delete_old_runs()
        store_events.delete_old_links()
        print_agents.delete_old_codes()
        held_messages.delete_old()
        scheduled_replies.delete_old()
        push_notifications.delete_old()
        app_grants.delete_old()
        print_jobs.delete_old_jobs()
        deleted["carts"] += carts.delete_abandoned()
        deleted["slots"] += capacity.delete_old(now() - timedelta(days=1))
        proposals.delete_old()
        tab_sessions.close_abandoned()
    deleted["photos"] += _delete_replaced_photos(tenant_id)
    with tenant_scope(tenant_id):
        dropped = sign_in_retention.delete_old_audit_entries()
    deleted["audit"] += dropped
    more = dropped >= sign_in_retention.BATCH_SIZE
    for step, days in (
        (hook_log.clear_old_bodies, settings.hook_body_days),
        (hook_log.delete_old_hooks, settings.hook_days),
    ):
        with tenant_scope(tenant_id):
            done = step(timedelta(days=days))
        deleted["hooks"] += done
        more = more or done >= hook_log.AT_ONCE
    return more
