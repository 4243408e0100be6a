"""Two months of synthetic traffic, billed to the cent.

A seeded generator plays the network: it decides what each receipt reports. The expected quotes and
costs are calculated here with plain counters, from nothing but the generator's decisions and the
price list of this file.
"""

import json
import random
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from sqlalchemy import delete, insert, select

from core.clock import frozen
from core.db import db, global_scope
from messaging.costs import pricing_facts
from messaging.costs import rates as message_rates
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import SendAccepted
from messaging.lines.drivers.cloud.inbound import parse_webhook
from messaging.messages import accept as message_accept
from messaging.messages import claim as message_claim
from messaging.messages import settle as message_settle
from messaging.messages.accept import MessageDraft
from messaging.messages.receipts import receive_receipt
from messaging.messages.receive import receive_line_update, receive_message
from messaging.models import (
    FreeMessageDay,
    LedgerEntry,
    Line,
    Message,
    Rate,
    RateAllowance,
    RateTier,
    UsageDay,
)
from tenants.plans import quota
from tenants.plans.catalog import current_tenant_facts
from tests.messaging.message_factory import add_line, receipt, wrote

MONTHS = (date(2026, 3, 1), date(2026, 4, 1))
START, END = datetime(2026, 3, 1, 1, tzinfo=UTC), datetime(2026, 4, 30, 22, tzinfo=UTC)
ALLOWANCE, ENTRY_HOURS = 15, 72
TIER_FROM, TIER_REACHED = 11, datetime(2026, 3, 4, 9, 30, tzinfo=UTC)
# Country, then marketing and the price of the other categories, in March and in April.
PRICES = {
    "TR": (("0.0109", "0.0009"), ("0.0121", "0.0011")),
    "DE": (("0.1365", "0.0550"), ("0.1365", "0.0600")),
    "US": (("0.0250", "0.0034"), ("0.0275", "0.0034")),
    "KE": (("0.0225", "0.0040"), ("0.0225", "0.0044")),
    "other": (("0.0604", "0.0077"), ("0.0604", "0.0081")),
}
TIER_PRICES = {"DE": "0.0495", "KE": "0.0036"}  # utility in March; the new prices have no tiers
PHONES = {"TR": "90532111", "DE": "49151123", "US": "12025550", "KE": "25471234", "XK": "38344123"}
DIGITS = {"TR": 4, "DE": 5, "US": 3, "KE": 4, "XK": 3}
TIER_MARKETS = {"DE": "Germany", "KE": "REST_OF_AFRICA"}
CATEGORIES = ("service", "service", "service", "utility", "utility", "marketing", "authentication")


@dataclass
class Traffic:
    """One message, what the network reports about it, and what is expected of it."""

    at: datetime
    number: int
    phone: str
    country: str
    category: str
    quote: Decimal = Decimal(0)
    cost: Decimal = Decimal(0)
    reported: str = ""
    billable: bool | None = None
    type: str = ""
    failed: bool = False
    reason: str | None = None


def listed(country, category, at):
    """The price list of this file, read by hand."""
    country = country if country in PRICES else "other"
    marketing, rest = PRICES[country][0 if at.month == 3 else 1]
    return Decimal(marketing if category == "marketing" else rest)


def price(one, category):
    tiered = one.country in TIER_PRICES and category == "utility" and one.number == 0
    if tiered and one.at.month == 3 and one.at >= TIER_REACHED:
        return Decimal(TIER_PRICES[one.country])
    return listed(one.country, category, one.at)


class PlainBilling:
    """What each message must be quoted and cost, with plain counters."""

    def __init__(self):
        self.service = Counter()
        self.ads = {}

    def expect(self, one):
        month = (one.number, one.at.month)
        ad = self.ads.get((one.number, one.phone))
        from_ad = ad is not None and one.at < ad + timedelta(hours=ENTRY_HOURS)
        within = one.category == "service" and self.service[month] < ALLOWANCE
        one.quote = Decimal(0) if from_ad or within else price(one, one.category)
        one.cost = price(one, one.reported) if one.billable else Decimal(0)
        if one.failed:
            one.cost, one.reason = Decimal(0), None
        elif not one.billable:
            served = "allowance" if one.reported == "service" else "window"
            one.reason = {"free_entry_point": "entry_point", "free_customer_service": served}.get(
                one.type, "not_billed"
            )
        if one.category == "service" and one.reason != "entry_point":
            self.service[month] += 1


def play(seed, count):
    """Yield customers' messages from ads as (time, number, phone), and our messages, in order."""
    dice = random.Random(seed)
    people = [
        (country, f"{PHONES[country]}{dice.randrange(10 ** DIGITS[country]):0{DIGITS[country]}}")
        for country in PHONES
        for _ in range(4)
    ]
    step = (END - START) / count
    ads = {}
    for number in range(count):
        at = START + number * step + timedelta(seconds=dice.randrange(3000))
        country, phone = dice.choice(people)
        line = dice.randrange(2)
        if dice.random() < 0.08:
            ads[line, phone] = at - timedelta(minutes=1)
            yield at - timedelta(minutes=1), line, phone
        one = Traffic(at, line, phone, country, dice.choice(CATEGORIES))
        decide(one, dice, ads.get((line, phone)))
        yield one


def decide(one, dice, ad):
    """What the network reports: usually by the rules, sometimes not."""
    one.reported, one.failed = one.category, dice.random() < 0.04
    one.billable, one.type = True, "regular"
    if ad is not None and one.at < ad + timedelta(hours=72):
        one.billable, one.type = False, "free_entry_point"
    elif one.category == "utility" and one.at.month == 3 and dice.random() < 0.4:
        one.billable, one.type = False, "free_customer_service"  # inside the window, in March
    elif one.category == "service" and dice.random() < 0.5:
        one.billable, one.type = False, "free_customer_service"
    luck = dice.random()
    if luck < 0.06:  # billed although we expected it to be free
        one.billable, one.type = True, "regular"
    elif luck < 0.12:  # free although we expected it to be billed, with no reason named
        one.billable, one.type = False, ""
    elif luck < 0.18 and one.category == "utility":  # the network moved the template
        one.reported, one.billable, one.type = "marketing", True, "regular"


@pytest.fixture
def card(app):
    with global_scope():
        for country, months in PRICES.items():
            for since, (marketing, rest) in zip(MONTHS, months, strict=True):
                for category in message_rates.CATEGORIES:
                    usd = Decimal(marketing if category == "marketing" else rest)
                    key = {"line_kind": "cloud", "country": country, "category": category}
                    db.session.execute(insert(Rate).values(**key, since=since, usd=usd))
        for country, usd in TIER_PRICES.items():
            tier = {"country": country, "category": "utility", "from_messages": TIER_FROM}
            row = insert(RateTier).values(
                line_kind="cloud", since=MONTHS[0], usd=Decimal(usd), **tier
            )
            db.session.execute(row)
        row = insert(RateAllowance).values(
            line_kind="cloud", name="service_messages", since=MONTHS[0], amount=ALLOWANCE
        )
        db.session.execute(row)
    message_rates.clear_cache()
    yield
    with global_scope():
        for model in (Rate, RateTier, RateAllowance):
            db.session.execute(delete(model).where(model.since.in_(MONTHS)))
    message_rates.clear_cache()


def report_tier(line, market):
    info = {
        "tier_update_time": int(TIER_REACHED.timestamp()),
        "pricing_category": "UTILITY",
        "tier": f"{TIER_FROM}:1000",
        "effective_month": "2026-03",
        "region": market,
    }
    value = {"event": "VOLUME_BASED_PRICING_TIER_UPDATE", "volume_tier_info": info}
    changes = [{"field": "account_update", "value": value}]
    body = {"object": "whatsapp_business_account", "entry": [{"id": "waba-1", "changes": changes}]}
    for parsed in parse_webhook(json.dumps(body).encode()):
        for update in parsed.updates:
            receive_line_update(line, update)


def send(business, line, one):
    """Accept, send and settle one message; returns its id and what was quoted."""
    network_id = f"wamid.{business.tenant_id}.{one.at.timestamp()}.{one.phone}"
    with business.scope():
        pricing_facts.clear_cache()  # another process: it knows what is stored
        draft = MessageDraft(kind="text", phone=one.phone, text="Hi", category=one.category)
        ticket = message_accept.accept_message(draft, line, current_tenant_facts())
    with business.scope():
        [claimed] = message_claim.claim_messages(10, 60.0, [])
        message_settle.settle_messages([(claimed, SendAccepted(network_id))])
    reported = {
        "category": one.reported,
        "billable": one.billable,
        "pricing_type": one.type,
        "at": int(one.at.timestamp()),
    }
    with business.scope():
        tally = UsageTally()
        for state in ("sent", "failed" if one.failed else "delivered", "read"):
            if state != "read" or not one.failed:
                receive_receipt(line, receipt(network_id, state, **reported), tally)
        tally.write()
    return ticket


@pytest.mark.parametrize("seed", [7, 2031])
def test_two_months_are_billed_to_the_cent(restaurant, card, seed):
    lines = [
        add_line(restaurant, account_id="waba-1"),
        add_line(restaurant, account_id="waba-2", default=False),
    ]
    plain, sent, tiers_reported = PlainBilling(), {}, False
    for event in play(seed, 230):
        at = event.at if isinstance(event, Traffic) else event[0]
        with frozen(at):
            if at >= TIER_REACHED and not tiers_reported:
                tiers_reported = True
                with restaurant.scope():
                    for market in TIER_MARKETS.values():
                        report_tier(lines[0], market)
            if isinstance(event, Traffic):
                plain.expect(event)
                ticket = send(restaurant, lines[event.number], event)
                assert ticket.quoted_usd == event.quote, event
                sent[ticket.id] = event
            else:
                came, number, phone = event
                plain.ads[number, phone] = came
                from_ad = wrote(
                    at=int(came.timestamp()),
                    sender_phone=phone,
                    content={"referral": {"source_type": "ad", "source_id": "7"}},
                )
                with restaurant.scope():
                    receive_message(lines[number], from_ad, UsageTally())
    check_books(restaurant, sent, lines)
    # The traffic really contains what it has to prove.
    assert {one.reason for one in sent.values()} == {None, *message_rates.FREE_REASONS}
    assert any(one.quote > one.cost and not one.failed for one in sent.values())
    assert any(one.quote < one.cost for one in sent.values())
    assert all(plain.service[number, month] > ALLOWANCE for number in (0, 1) for month in (3, 4))
    assert any(str(one.cost) in TIER_PRICES.values() for one in sent.values())


def check_books(business, sent, lines: list[Line]):
    """Messages, ledger, daily totals, quota and the counts of free messages agree."""
    costs, free = defaultdict(Decimal), Counter()
    for one in sent.values():
        costs[lines[one.number].id, one.at.month] += one.cost
        if one.reason:
            key = (one.at.date(), lines[one.number].id, one.category, one.reason)
            free[key] += 1
    with business.scope():
        mine = business.tenant_id
        for row in db.session.scalars(
            select(Message).where(Message.tenant_id == mine, Message.direction == "out")
        ):
            one = sent[row.id]
            assert (row.cost_usd, row.free_reason) == (one.cost, one.reason), one
        for model, day, amount in (
            (LedgerEntry, lambda row: row.at, "amount_usd"),
            (UsageDay, lambda row: row.day, "cost_usd"),
        ):
            booked = defaultdict(Decimal)
            for row in db.session.scalars(select(model).where(model.tenant_id == mine)):
                booked[row.line_id, day(row).month] += getattr(row, amount)
            assert dict(booked) == dict(costs)
        counted = {
            (row.day, row.line_id, row.category, row.reason): row.messages
            for row in db.session.scalars(
                select(FreeMessageDay).where(FreeMessageDay.tenant_id == mine)
            )
        }
        assert {key: count for key, count in counted.items() if count} == dict(free)
        for month in MONTHS:
            with frozen(datetime(2026, month.month, 28, tzinfo=UTC)):
                spent = quota.usage(current_tenant_facts()).spend_usd
            assert spent == sum(
                (cost for (_, booked), cost in costs.items() if booked == month.month), Decimal(0)
            )
