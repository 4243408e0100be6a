"""What the clock asks for: the sweep that finds unheard work, and the nightly tidying."""

from datetime import timedelta

from sqlalchemy import select

from core.clock import now
from core.db import db, global_scope, ring, tenant_scope
from core.logs import logger
from core.mail import Mail
from core.rings import hear
from tenants import idempotency, people
from tenants.accounts import every_tenant

log = logger(__name__)


def sweep() -> None:
    """Ring for work that is due and that no bell announced, as after a loss of Redis."""
    hear("jobs.housekeeping.sweep")
    with global_scope():
        if db.session.scalar(select(Mail.id).where(Mail.due_at <= now()).limit(1)):
            ring("jobs.mail.drain")


def tidy() -> dict[str, int]:
    """Drop what has outlived its promise. One transaction for each tenant."""
    hear("jobs.housekeeping.tidy")
    moment = now()
    gone = {"tokens": 0, "idempotency_keys": 0}
    with global_scope():
        gone["tokens"] = people.forget_old_tokens(moment - timedelta(days=30))
    for tenant_id in every_tenant(because="idempotency keys are kept 7 days"):
        with tenant_scope(tenant_id):
            gone["idempotency_keys"] += idempotency.forget_old(moment - idempotency.KEPT)
    log.info("tidied", **gone)
    return gone
