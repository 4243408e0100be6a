"""Trial, monthly quota and spend cap: reserved in the transaction that accepts a message.

The rule is the SQL function `app.reserve_quota` (`sql/reserve_quota.sql`). `app.accept_message`
calls it in the round trip that stores a message; `reserve` calls it for everything else. Each
reservation is one conditional statement, so concurrent sends cannot exceed a limit together.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import psycopg2
from sqlalchemy import bindparam, func, select, text, update
from sqlalchemy.exc import DBAPIError

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db, read_rows, savepoint
from core.errors import PaymentRequired
from core.sql.db_errors import sqlstate
from tenants.models import Account, UsageMonth
from tenants.plans import usage_alerts
from tenants.plans.catalog import TenantFacts

RESERVE = text("""
SELECT used, spent FROM app.reserve_quota(
    :tenant_id, :now, :messages, :cost, :month, :quota, :cap, :trial_since, :trial_most)
""")
# Error codes of `app.reserve_quota`.
REFUSALS = {"CM001": "trial_over", "CM002": "quota_exceeded", "CM003": "spend_cap_reached"}


@dataclass(frozen=True)
class Usage:
    messages: int
    spend_usd: Decimal
    trial_ends_at: datetime | None
    trial_left: int | None


def reserve(facts: TenantFacts, messages: int, cost_usd: Decimal) -> None:
    """Reserve from the trial and the month. Raises PaymentRequired and reserves nothing."""
    params = {
        "tenant_id": current_tenant_id(),
        "messages": messages,
        "cost": cost_usd,
        **reservation_params(facts, now()),
    }
    with limit_errors(facts), savepoint():
        after = db.session.execute(RESERVE, params).one()
    usage_alerts.notify_if_crossed(
        facts,
        usage_alerts.MonthlyUsage(after.used - messages, after.spent - cost_usd),
        usage_alerts.MonthlyUsage(after.used, after.spent),
    )


def reservation_params(facts: TenantFacts, moment: datetime) -> dict[str, Any]:
    """The plan as parameters of `app.reserve_quota`."""
    since = most = None
    if facts.trial_days is not None:
        since = moment - timedelta(days=facts.trial_days)
        most = facts.trial_messages or 0
    return {
        "now": moment,
        "month": month_of(moment),
        "quota": facts.monthly_messages,
        "cap": facts.spend_cap_usd,
        "trial_since": since,
        "trial_most": most,
    }


@contextmanager
def limit_errors(facts: TenantFacts) -> Iterator[None]:
    """Around a call of `app.reserve_quota`: its refusals are raised as PaymentRequired."""
    try:
        yield
    except (DBAPIError, psycopg2.Error) as error:
        if (state := sqlstate(error)) in REFUSALS:
            raise limit_error(REFUSALS[state], facts) from None
        raise


def release(messages: int, cost_usd: Decimal, reserved_at: datetime) -> None:
    """Return the reservation of a message that was never sent."""
    tenant_id = current_tenant_id()
    db.session.execute(
        update(UsageMonth)
        .where(UsageMonth.tenant_id == tenant_id, UsageMonth.month == month_of(reserved_at))
        .values(
            messages=func.greatest(UsageMonth.messages - messages, 0),
            spend_usd=func.greatest(UsageMonth.spend_usd - cost_usd, 0),
        )
    )
    db.session.execute(
        update(Account)
        .where(Account.tenant_id == tenant_id, Account.trial_started_at <= reserved_at)
        .values(trial_used=func.greatest(Account.trial_used - messages, 0))
    )


MONTH = select(UsageMonth.messages, UsageMonth.spend_usd).where(
    UsageMonth.tenant_id == THIS_TENANT, UsageMonth.month == bindparam("month")
)


def usage(facts: TenantFacts) -> Usage:
    month = next(iter(read_rows(MONTH, {"month": month_of(now())})), None)
    ends_at = left = None
    if facts.trial_days is not None:
        account = db.session.get_one(Account, current_tenant_id())
        left = max((facts.trial_messages or 0) - account.trial_used, 0)
        if account.trial_started_at is not None:
            ends_at = account.trial_started_at + timedelta(days=facts.trial_days)
    return Usage(
        messages=month.messages if month else 0,
        spend_usd=month.spend_usd if month else Decimal(0),
        trial_ends_at=ends_at,
        trial_left=left,
    )


def month_of(moment: datetime) -> date:
    return moment.date().replace(day=1)


def limit_error(code: str, facts: TenantFacts) -> PaymentRequired:
    """The error for the limit that was reached."""
    if code == "trial_over":
        return PaymentRequired(
            code,
            "Your trial has ended. It includes {days} days and {count} messages. "
            "Choose a plan to continue.",
            days=facts.trial_days,
            count=facts.trial_messages,
        )
    if code == "quota_exceeded":
        return PaymentRequired(
            code,
            "You have used all {count} messages for this month. Choose a larger plan to continue.",
            count=facts.monthly_messages,
        )
    return PaymentRequired(
        code,
        "The monthly spend cap of {cap} USD has been reached. Raise it in the "
        "settings to continue.",
        cap=facts.spend_cap_usd,
    )
