"""What an app or key may send without approval, and how much it may ask for in a day."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Forbidden, invalid
from core.ids import to_uuid
from messaging.models import SendPolicy
from tenants import audit

MODES = (HOLD_ALL, AUTOMATIC_IN_WINDOW) = ("hold_all", "automatic_in_window")
MOST_MESSAGES, MOST_USD, MOST_HOURS = 10_000, Decimal(10_000), 72

# Counts one message if both limits allow it. Concurrent requests wait for the row, so that
# together they cannot exceed a limit.
RESERVE = text("""
INSERT INTO send_policy_days AS used (tenant_id, key_id, day, messages, spend_usd)
VALUES (:tenant_id, :key_id, :day, 1, :usd)
    ON CONFLICT (tenant_id, key_id, day) DO UPDATE
   SET messages = used.messages + 1, spend_usd = used.spend_usd + EXCLUDED.spend_usd
 WHERE used.messages < :most AND used.spend_usd + EXCLUDED.spend_usd <= :cap
RETURNING messages
""")
RELEASE_SPEND = text("""
UPDATE send_policy_days SET spend_usd = greatest(spend_usd - :usd, 0)
 WHERE tenant_id = :tenant_id AND key_id = :key_id AND day = :day
""")
USED_TODAY = text("""
SELECT messages, spend_usd FROM send_policy_days
 WHERE tenant_id = :tenant_id AND key_id = :key_id AND day = :day
""")


@dataclass(frozen=True)
class Policy:
    """The defaults are for an app that nobody has set up: a person decides about every message."""

    mode: str = HOLD_ALL
    only_who_wrote: bool = False
    no_marketing: bool = True
    daily_messages: int = 100
    daily_usd: Decimal = Decimal(5)
    hold_hours: int = 24


def policy_of(key_id: str) -> Policy:
    row = db.session.get(SendPolicy, (current_tenant_id(), key_id))
    if row is None:
        return Policy()
    return Policy(
        row.mode,
        row.only_who_wrote,
        row.no_marketing,
        row.daily_messages,
        row.daily_usd,
        row.hold_hours,
    )


def set_policy(key_id: str, name: str, policy: Policy) -> None:
    """Raises Invalid. The change is recorded in the audit log under the app's name."""
    if policy.mode not in MODES:
        raise invalid("mode", "invalid_mode", "Choose what happens to messages of this app.")
    if not 0 <= policy.daily_messages <= MOST_MESSAGES:
        raise invalid(
            "daily_messages",
            "invalid_number",
            "Enter a number from 0 to {most}.",
            most=MOST_MESSAGES,
        )
    if not 0 <= policy.daily_usd <= MOST_USD:
        raise invalid(
            "daily_usd", "invalid_number", "Enter a number from 0 to {most}.", most=MOST_USD
        )
    if not 1 <= policy.hold_hours <= MOST_HOURS:
        raise invalid(
            "hold_hours", "invalid_number", "Enter a number from 1 to {most}.", most=MOST_HOURS
        )
    before = policy_of(key_id)
    if before == policy:
        return
    values = {**vars(policy), "daily_usd": policy.daily_usd}
    db.session.merge(SendPolicy(tenant_id=current_tenant_id(), key_id=key_id, **values))
    audit.record_change(
        "approvals.policy_changed", name, vars(before), vars(policy), shown=frozenset(values)
    )


def reserve(key_id: str, policy: Policy, usd: Decimal) -> None:
    """Count one message and its price. Raises Forbidden if a daily limit is reached."""
    refused = policy.daily_messages < 1 or usd > policy.daily_usd
    if not refused:
        limits = {"most": policy.daily_messages, "cap": policy.daily_usd}
        row = db.session.execute(RESERVE, _day_params(key_id, now()) | limits | {"usd": usd})
        refused = row.first() is None
    if refused:
        raise Forbidden(
            "app_limit_reached",
            "This app has reached its limit for today: {count} messages or {usd} US$. A member can "
            "change the limit in the portal.",
            count=policy.daily_messages,
            usd=f"{policy.daily_usd.normalize():f}",
        )


def release_spend(key_id: str, usd: Decimal, at: datetime) -> None:
    """The message will not be sent. It still counts as one of the day's messages."""
    db.session.execute(RELEASE_SPEND, _day_params(key_id, at) | {"usd": usd})


def used_today(key_id: str) -> tuple[int, Decimal]:
    row = db.session.execute(USED_TODAY, _day_params(key_id, now())).first()
    return (row.messages, row.spend_usd) if row else (0, Decimal(0))


def _day_params(key_id: str, at: datetime) -> dict[str, object]:
    key = str(to_uuid("key", key_id))
    return {"tenant_id": current_tenant_id(), "key_id": key, "day": at.date()}
