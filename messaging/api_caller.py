"""Everything an entry point needs about the caller behind an API key, in two short round trips."""

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from core.clock import now
from core.ids import from_uuid, to_uuid
from core.lookups import secret_digest
from core.sql.pool import run_global
from messaging.costs import pricing_facts
from messaging.costs.pricing_facts import PricingFacts
from messaging.costs.rates import TenantRates, tenant_rates_from
from messaging.lines.repository import SENDING_STATES, LineRoute
from tenants.api_keys import RECORD_USE_EVERY, KeyFacts
from tenants.plans.catalog import TenantFacts

FIND_KEY = "SELECT tenant_id, target FROM lookups WHERE kind = 'api_key' AND key = %(key)s"
# The columns of _CallerRow, in its order.
READ_CALLER = """
SELECT * FROM app.read_api_caller(
    %(tenant_id)s, %(id)s, %(now)s, %(used_before)s, %(sending)s)
"""


# The same, and what the tenant's prices depend on, in one round trip.
READ_CALLER_AND_FACTS = """
SELECT caller.*, facts.sent, facts.tiers, facts.entry_points
  FROM app.read_api_caller(
    %(tenant_id)s, %(id)s, %(now)s, %(used_before)s, %(sending)s) AS caller,
       app.read_pricing_facts(%(tenant_id)s, %(now)s, %(month)s) AS facts
"""
FACTS_COLUMNS = 3


class _CallerRow(NamedTuple):
    key_id: UUID | None
    tenant_id: int
    key_name: str
    mode: str
    scopes: list[str]
    line_ids: list[int] | None
    key_rate_per_second: int | None
    expires_at: datetime | None
    revoked_at: datetime | None
    tenant_name: str
    tenant_state: str
    plan: str
    plan_name: str
    rate_per_second: int
    burst: int
    monthly_messages: int | None
    spend_cap_usd: Decimal | None
    most_spend_usd: Decimal | None
    trial_days: int | None
    trial_messages: int | None
    lines: list[Any] | None
    """As the fields of LineRoute."""
    rates: list[Any] | None
    """Line kind, country, category, first day and price."""


@dataclass(frozen=True)
class ApiCaller:
    key: KeyFacts
    tenant: TenantFacts
    lines: tuple[LineRoute, ...]
    cards: TenantRates

    @property
    def test(self) -> bool:
        return self.key.mode == "test"

    @property
    def visible_line_ids(self) -> frozenset[int] | None:
        """The lines whose messages this key may see; None means all of them."""
        if self.test:
            return frozenset(line.id for line in self.lines if line.test)
        return self.key.line_ids


def find_key_owner(secret: str) -> tuple[int, str] | None:
    """Return the tenant id and the key id, or None if there is no such key."""
    rows = run_global(FIND_KEY, {"key": secret_digest(secret)})
    return (rows[0][0], rows[0][1]) if rows else None


def read_caller(tenant_id: int, key_id: str) -> ApiCaller | None:
    """Read the caller, or None if the key is gone. Records the use of the key once a minute."""
    moment = now()
    facts = pricing_facts.cached_facts(tenant_id, moment)
    params = {
        "tenant_id": tenant_id,
        "id": str(to_uuid("key", key_id)),
        "now": moment,
        "used_before": moment - RECORD_USE_EVERY,
        "sending": sorted(SENDING_STATES),
        "month": pricing_facts.month_of(moment),
    }
    [columns] = run_global(READ_CALLER_AND_FACTS if facts is None else READ_CALLER, params)
    if facts is None:
        facts = pricing_facts.remember_facts(tenant_id, moment, *columns[-FACTS_COLUMNS:])
        columns = columns[:-FACTS_COLUMNS]
    row = _CallerRow(*columns)
    return None if row.key_id is None else _caller(row, facts)


def _caller(row: _CallerRow, facts: PricingFacts) -> ApiCaller:
    return ApiCaller(
        key=KeyFacts(
            id=from_uuid("key", UUID(str(row.key_id))),
            tenant_id=row.tenant_id,
            name=row.key_name,
            mode=row.mode,
            scopes=frozenset(row.scopes),
            line_ids=None if row.line_ids is None else frozenset(row.line_ids),
            rate_per_second=row.key_rate_per_second,
            expires_at=row.expires_at,
            revoked_at=row.revoked_at,
        ),
        tenant=TenantFacts(
            id=row.tenant_id,
            name=row.tenant_name,
            state=row.tenant_state,
            plan=row.plan,
            plan_name=row.plan_name,
            rate_per_second=row.rate_per_second,
            burst=row.burst,
            monthly_messages=row.monthly_messages,
            spend_cap_usd=row.spend_cap_usd,
            most_spend_usd=row.most_spend_usd,
            trial_days=row.trial_days,
            trial_messages=row.trial_messages,
        ),
        lines=tuple(LineRoute(*line) for line in row.lines or ()),
        cards=tenant_rates_from(
            facts,
            (
                (kind, country, category, date.fromisoformat(since), Decimal(usd))
                for kind, country, category, since, usd in row.rates or ()
            ),
        ),
    )
