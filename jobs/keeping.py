"""At night: what a tenant wants kept no longer is taken away, in small steps."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from core.clock import now
from core.db import tenant_scope
from core.logs import logger
from core.rings import hear
from jobs import rounds
from messaging import hook_book, keeping
from tenants import accounts
from tenants import keeping as chosen
from tenants.keeping import Days
from webhooks import forgetting

log = logger(__name__)

Step = Callable[[str, datetime], tuple[int, str | None]]


def forget() -> dict[str, int]:
    """A round over all tenants; each step its own transaction, so that nothing waits for long."""
    hear("jobs.keeping.forget")
    gone = dict.fromkeys(("texts", "files", "calls", "hooks"), 0)
    rounds.go("jobs.keeping.forget", lambda tenant_id: _forget(tenant_id, gone))
    log.info("kept no longer", **gone)
    return gone


def _forget(tenant_id: int, gone: dict[str, int]) -> bool:
    """One step of each kind. True: there is more of some kind."""
    with tenant_scope(tenant_id):
        days = chosen.chosen()
    more = False
    for name, kind, mark, step in (
        ("texts", "message_days", "blanked_until", keeping.blank_texts),
        ("files", "media_days", "media_dropped_until", keeping.drop_files),
    ):
        before = days.before(kind)
        if before is not None:
            done, left = _pass(tenant_id, before, mark, step)
            gone[name] += done
            more = more or left
    for name, at_once, drop in _drops(days):
        with tenant_scope(tenant_id):
            done = drop()
        gone[name] += done
        more = more or done >= at_once
    return more


def _pass(tenant_id: int, before: datetime, mark: str, step: Step) -> tuple[int, bool]:
    """Messages in the order of their ids, from the account's mark on, which moves with them."""
    with tenant_scope(tenant_id):
        after = keeping.first_id(getattr(accounts.account(), mark))
        done, last = step(after, before)
        until = keeping.done_until(before) if last is None else keeping.moment_of(last)
        setattr(accounts.account(), mark, until)
    return done, last is not None


def _drops(days: Days) -> Iterator[tuple[str, int, Callable[[], int]]]:
    if days.call_days is not None:
        calls_before = now() - timedelta(days=days.call_days)
        yield "calls", chosen.AT_ONCE, lambda: chosen.drop_calls(calls_before)
    if days.hook_days is not None:
        # What came, and the events that went out with what was posted.
        kept = timedelta(days=days.hook_days)
        yield "hooks", hook_book.AT_ONCE, lambda: hook_book.drop(kept)
        yield "hooks", forgetting.AT_ONCE, lambda: forgetting.forget(now() - kept)
