"""How far a tenant's test mode is ahead of the real time; messaging/simulated_clock.py moves it."""

from datetime import timedelta

from core.clock import now
from core.db import current_tenant_id, db
from messaging.models import TestClock


def clock() -> TestClock:
    """The tenant's clock; a new one is 0 seconds ahead."""
    found = db.session.get(TestClock, current_tenant_id())
    return found or TestClock(tenant_id=current_tenant_id(), seconds_ahead=0, changed_at=now())


def time_ahead() -> timedelta:
    return timedelta(seconds=clock().seconds_ahead)
