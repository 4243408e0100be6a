"""Close the days: what each cost by line, country and category, from the ledger."""

from datetime import date, timedelta

from core.clock import now
from core.db import tenant_scope
from core.logs import logger
from core.queue.wakeups import acknowledge_wakeup
from jobs.engine import all_tenants
from messaging.costs import ledger as message_ledger
from messaging.costs import usage as message_usage

log = logger(__name__)

DAYS_BACK = 2  # a night that was missed is made up for


def close_day(day: date | None = None) -> int:
    """Every tenant, one transaction each. Closing a day again changes nothing."""
    acknowledge_wakeup("jobs.costs.close_day")
    last = now().date() - timedelta(days=1)
    days = [last - timedelta(days=back) for back in range(DAYS_BACK)] if day is None else [day]
    closed: list[int] = []

    def close(tenant_id: int) -> bool:
        with tenant_scope(tenant_id):
            for one in days:
                message_usage.set_costs(one, message_ledger.day_sums(one))
        closed.append(tenant_id)
        return False

    all_tenants.run_step("jobs.costs.close_day", close)
    log.info("cost days closed", tenants=len(closed), days=len(days))
    return len(closed)
