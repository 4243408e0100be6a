"""At night: what a tenant wants kept no longer is taken away, in small steps."""

from collections.abc import Callable
from datetime import datetime, timedelta

from core.clock import now
from core.db import tenant_scope
from core.logs import logger
from core.rings import hear
from messaging import hook_book, keeping
from tenants import accounts
from tenants import keeping as chosen
from tenants.accounts import every_tenant
from webhooks import forgetting

log = logger(__name__)

Step = Callable[[str, datetime], tuple[int, str | None]]


def forget() -> dict[str, int]:
    """Each step its own transaction, so that nothing waits for the whole."""
    hear("jobs.keeping.forget")
    gone = dict.fromkeys(("texts", "files", "calls", "hooks"), 0)
    for tenant_id in every_tenant(because="each tenant says how long its things are kept"):
        with tenant_scope(tenant_id):
            days = chosen.chosen()
        for name, kind, mark, step in (
            ("texts", "message_days", "blanked_until", keeping.blank_texts),
            ("files", "media_days", "media_dropped_until", keeping.drop_files),
        ):
            before = days.before(kind)
            if before is not None:
                gone[name] += _pass(tenant_id, before, mark, step)
        if days.call_days is not None:
            gone["calls"] += _calls(tenant_id, now() - timedelta(days=days.call_days))
        if days.hook_days is not None:
            gone["hooks"] += _hooks(tenant_id, timedelta(days=days.hook_days))
    log.info("kept no longer", **gone)
    return gone


def _pass(tenant_id: int, before: datetime, mark: str, step: Step) -> int:
    with tenant_scope(tenant_id):
        after: str | None = keeping.first_id(getattr(accounts.account(), mark))
    gone = 0
    while after is not None:
        with tenant_scope(tenant_id):
            done, after = step(after, before)
            if after is None:
                setattr(accounts.account(), mark, keeping.done_until(before))
        gone += done
    return gone


def _calls(tenant_id: int, before: datetime) -> int:
    return _until_few(tenant_id, chosen.AT_ONCE, lambda: chosen.drop_calls(before))


def _hooks(tenant_id: int, kept: timedelta) -> int:
    """What came, and the events that went out with what was posted."""
    gone = _until_few(tenant_id, hook_book.AT_ONCE, lambda: hook_book.drop(kept))
    before = now() - kept
    return gone + _until_few(tenant_id, forgetting.AT_ONCE, lambda: forgetting.forget(before))


def _until_few(tenant_id: int, at_once: int, step: Callable[[], int]) -> int:
    gone = 0
    while True:
        with tenant_scope(tenant_id):
            done = step()
        gone += done
        if done < at_once:
            return gone
