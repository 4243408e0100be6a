"""What the clock asks for: the sweep that finds unheard work, and the nightly tidying."""

from datetime import timedelta

from flask import current_app
from sqlalchemy import NullPool, create_engine, select

from core import lanes, partitions
from core.clock import now
from core.db import db, global_scope, ring, tenant_scope
from core.logs import logger
from core.mail import Mail
from core.rings import hear
from core.settings import Settings
from jobs import automations, hooks
from messaging import automation_book, connections, sending, store_events
from tenants import idempotency, people
from tenants.accounts import every_tenant

log = logger(__name__)


def sweep() -> None:
    """Ring for work that is due and that no bell announced, as after a loss of Redis."""
    hear("jobs.housekeeping.sweep")
    with global_scope():
        if db.session.scalar(select(Mail.id).where(Mail.due_at <= now()).limit(1)):
            ring("jobs.mail.drain")
        for tenant_id in lanes.take_due(sending.LANE):
            lanes.mark_due(sending.LANE, tenant_id)
        if lanes.any_due(sending.LANE):
            ring("jobs.sends.drain")
        hooks.sweep()
        automations.sweep()


def make_months() -> None:
    """The partitions of the months ahead, made as the role that owns the tables."""
    hear("jobs.housekeeping.make_months")
    settings: Settings = current_app.extensions["comanda"]
    url = settings.migration_database_url or settings.database_url
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        partitions.ensure(connection, now())


def tidy() -> dict[str, int]:
    """Drop what has outlived its promise. One transaction for each tenant."""
    hear("jobs.housekeeping.tidy")
    moment = now()
    gone = {"tokens": 0, "idempotency_keys": 0, "hook_keys": 0, "runs": 0}
    with global_scope():
        gone["tokens"] = people.forget_old_tokens(moment - timedelta(days=30))
    for tenant_id in every_tenant(because="idempotency keys are kept 7 days"):
        with tenant_scope(tenant_id):
            gone["idempotency_keys"] += idempotency.forget_old(moment - idempotency.KEPT)
            gone["hook_keys"] += connections.forget_old_keys()
            gone["runs"] += automation_book.forget_old()
            store_events.forget_old_links()
    log.info("tidied", **gone)
    return gone
