"""Nightly: delete what is past the tenant's own retention settings, in small steps."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from core.clock import now
from core.db import tenant_scope
from core.logs import logger
from core.queue.wakeups import acknowledge_wakeup
from jobs.engine import all_tenants
from messaging.messages import retention as message_retention
from messaging.messages.inbound import edits
from messaging.messages.media import library as media_library
from tenants import accounts
from tenants.data import retention as chosen
from tenants.data.retention import RetentionDays
from webhooks.delivery import retention as webhook_retention
from webhooks.inbound import hook_log

log = logger(__name__)

Step = Callable[[str, datetime], tuple[int, str | None]]


def delete_expired_data() -> dict[str, int]:
    """A round over all tenants. Each step is its own transaction, so that locks are short."""
    acknowledge_wakeup("jobs.tenants.retention.delete_expired_data")
    deleted = dict.fromkeys(("texts", "files", "calls", "hooks"), 0)
    all_tenants.run_step(
        "jobs.tenants.retention.delete_expired_data",
        lambda tenant_id: _delete_step(tenant_id, deleted),
    )
    log.info("retention applied", **deleted)
    return deleted


def _delete_step(tenant_id: int, deleted: dict[str, int]) -> bool:
    """One step of each kind. True: there is more of some kind."""
    with tenant_scope(tenant_id):
        days = chosen.get_days()
    more = False
    for name, kind, mark, step in (
        ("texts", "message_days", "blanked_until", message_retention.blank_texts),
        ("files", "media_days", "media_dropped_until", message_retention.delete_files),
    ):
        before = days.before(kind)
        if before is not None:
            done, left = _delete_pass(tenant_id, before, mark, step)
            deleted[name] += done
            more = more or left
    for name, at_once, drop in _row_deletions(days):
        with tenant_scope(tenant_id):
            done = drop()
        deleted[name] += done
        more = more or done >= at_once
    return more


def _delete_pass(tenant_id: int, before: datetime, mark: str, step: Step) -> tuple[int, bool]:
    """Process messages in the order of their ids, from the account's mark on, and move the mark.
    Returns how many were changed and whether there are more.
    """
    with tenant_scope(tenant_id):
        after = message_retention.first_id_since(getattr(accounts.account(), mark))
        done, last = step(after, before)
        until = (
            message_retention.completed_until(before)
            if last is None
            else message_retention.created_at_of(last)
        )
        setattr(accounts.account(), mark, until)
    return done, last is not None


def _row_deletions(days: RetentionDays) -> Iterator[tuple[str, int, Callable[[], int]]]:
    if days.call_days is not None:
        calls_before = now() - timedelta(days=days.call_days)
        yield "calls", chosen.BATCH_SIZE, lambda: chosen.delete_old_requests(calls_before)
    if (files_before := days.before("media_days")) is not None:
        yield "files", media_library.AT_ONCE, lambda: media_library.delete_before(files_before)
    yield "hooks", edits.AT_ONCE, edits.delete_old_early_edits
    if days.hook_days is not None:
        # Received hooks, and published events with their payloads.
        hook_age = timedelta(days=days.hook_days)
        yield "hooks", hook_log.AT_ONCE, lambda: hook_log.delete_old_hooks(hook_age)
        yield (
            "hooks",
            webhook_retention.BATCH_SIZE,
            lambda: webhook_retention.delete_before(now() - hook_age),
        )
