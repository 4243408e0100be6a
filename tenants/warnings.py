"""Noticing that a month's messages or spend pass 80 or 100 per cent of their limit."""

from collections.abc import Iterator
from decimal import Decimal

from tenants.plans import TenantFacts
from tenants.quota import Totals

PERCENTS = (80, 100)


def note_crossing(facts: TenantFacts, before: Totals, after: Totals) -> list[tuple[str, int]]:
    """What a reservation passed: ("messages", 80), ("spend", 100). Mostly nothing."""
    return [
        *_passed("messages", facts.monthly_messages, before.messages, after.messages),
        *_passed("spend", facts.spend_cap_usd, before.spend_usd, after.spend_usd),
    ]


def _passed(
    what: str, limit: Decimal | int | None, before: Decimal | int, after: Decimal | int
) -> Iterator[tuple[str, int]]:
    if limit:
        for percent in PERCENTS:
            if before * 100 < limit * percent <= after * 100:
                yield what, percent
