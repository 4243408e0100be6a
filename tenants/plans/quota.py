"""Trial, monthly quota and spend cap: reserved in the transaction that accepts a message.

Each reservation is one conditional statement, so that concurrent sends cannot exceed a limit
together.
"""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import NoReturn

from sqlalchemy import and_, case, func, or_, select, true, update
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db, savepoint
from core.errors import PaymentRequired
from tenants.models import Account, UsageMonth
from tenants.plans import usage_alerts
from tenants.plans.catalog import TenantFacts


@dataclass(frozen=True)
class Usage:
    messages: int
    spend_usd: Decimal
    trial_ends_at: datetime | None
    trial_left: int | None


def reserve(facts: TenantFacts, messages: int, cost_usd: Decimal) -> None:
    """Reserve from the trial and the month. Raises PaymentRequired and reserves nothing.

    `app.accept_message` does the same for one message in its own round trip.
    """
    if facts.trial_days is None:
        _reserve_month(facts, messages, cost_usd)
        return
    with savepoint():  # the month may refuse after the trial was reserved
        _reserve_trial(facts, messages)
        _reserve_month(facts, messages, cost_usd)


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


def usage(facts: TenantFacts) -> Usage:
    tenant_id = current_tenant_id()
    month = db.session.get(UsageMonth, (tenant_id, month_of(now())))
    account = db.session.get_one(Account, tenant_id)
    ends_at = left = None
    if facts.trial_days is not None:
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


def _reserve_trial(facts: TenantFacts, messages: int) -> None:
    moment = now()
    began = moment - timedelta(days=facts.trial_days or 0)
    won = db.session.execute(
        update(Account)
        .where(
            Account.tenant_id == current_tenant_id(),
            or_(Account.trial_started_at.is_(None), Account.trial_started_at > began),
            Account.trial_used + messages <= (facts.trial_messages or 0),
        )
        .values(
            trial_started_at=case(
                (Account.trial_started_at.is_(None), moment), else_=Account.trial_started_at
            ),
            trial_used=Account.trial_used + messages,
        )
        .returning(Account.tenant_id)
    )
    if won.first() is None:
        raise limit_error("trial_over", facts)


def _reserve_month(facts: TenantFacts, messages: int, cost_usd: Decimal) -> None:
    quota, cap = facts.monthly_messages, facts.spend_cap_usd
    if (quota is not None and messages > quota) or (cap is not None and cost_usd > cap):
        _refuse(facts, messages)
    first = insert(UsageMonth).values(
        tenant_id=current_tenant_id(),
        month=month_of(now()),
        messages=messages,
        spend_usd=cost_usd,
        warned_percent=0,
    )
    after_messages = UsageMonth.messages + first.excluded.messages
    after_spend = UsageMonth.spend_usd + first.excluded.spend_usd
    within = []
    if quota is not None:
        within.append(after_messages <= quota)
    if cap is not None:
        within.append(after_spend <= cap)
    statement = first.on_conflict_do_update(
        index_elements=[UsageMonth.tenant_id, UsageMonth.month],
        set_={"messages": after_messages, "spend_usd": after_spend},
        where=and_(true(), *within),
    ).returning(UsageMonth.messages, UsageMonth.spend_usd)
    after = db.session.execute(statement).first()
    if after is None:
        _refuse(facts, messages)
    before = usage_alerts.MonthlyUsage(after.messages - messages, after.spend_usd - cost_usd)
    usage_alerts.notify_if_crossed(
        facts, before, usage_alerts.MonthlyUsage(after.messages, after.spend_usd)
    )


def _refuse(facts: TenantFacts, messages: int) -> NoReturn:
    used = db.session.scalar(
        select(UsageMonth.messages).where(
            UsageMonth.tenant_id == current_tenant_id(), UsageMonth.month == month_of(now())
        )
    )
    if facts.monthly_messages is not None and (used or 0) + messages > facts.monthly_messages:
        raise limit_error("quota_exceeded", facts)
    raise limit_error("spend_cap_reached", facts)


def limit_error(code: str, facts: TenantFacts) -> PaymentRequired:
    """The error for the limit that was reached."""
    if code == "trial_over":
        return PaymentRequired(
            code,
            "The trial is over: it gives {days} days and {count} messages. Choose a plan to go on.",
            days=facts.trial_days,
            count=facts.trial_messages,
        )
    if code == "quota_exceeded":
        return PaymentRequired(
            code,
            "This month's {count} messages are used. Choose a larger plan to go on.",
            count=facts.monthly_messages,
        )
    return PaymentRequired(
        code,
        "The month's spend cap of {cap} USD is reached. Raise it in the settings to go on.",
        cap=facts.spend_cap_usd,
    )
