"""The results of a campaign: collected by the job in batches, counted once, shown many times."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import and_, or_, select, text

from core.clock import now, running_now
from core.db import current_tenant_id, db
from core.ids import canonical_id, from_uuid, to_uuid
from core.sql.partitions import id_at
from core.values.money import json_number
from messaging.campaigns import order_port
from messaging.campaigns.experiments import effect
from messaging.contacts import cards as contact_cards
from messaging.contacts.cards import ContactCard
from messaging.models import Campaign, CampaignRecipient, Contact

BATCH = 1000
OPEN_STATES = ("queued", "sending", "sent", "unknown")
UNSENT_STATES = ("queued", "sending")
SENT_STATES = ("sent", "delivered", "read")
DELIVERED_STATES = ("delivered", "read")
FAILED_STATES = ("failed", "expired", "unknown")
CANCELLED = "cancelled"
# Filters of the list; each is also a number on the page.
RESULT_STATES = (
    "waiting",
    "sent",
    "delivered",
    "read",
    "replied",
    "tapped",
    "clicked",
    "ordered",
    "failed",
    "opted_out",
    "left_out",
    "holdout",
    "stopped",
)
NO_ID = "00000000-0000-0000-0000-000000000000"

SELECT_HANDED = text("""
SELECT contact_id, message_id, handed_at FROM campaign_recipients
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND state IN ('handed', 'holdout')
   AND contact_id > :after
 ORDER BY contact_id LIMIT :most
""")
SELECT_OPEN = text("""
SELECT contact_id, message_id, handed_at FROM campaign_recipients
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id
   AND outcome IN ('queued', 'sending', 'sent', 'unknown') AND contact_id > :after
 ORDER BY contact_id LIMIT :most
""")
UPDATE_OUTCOMES = text("""
UPDATE campaign_recipients AS r
   SET outcome = m.state, cause = coalesce(m.error_code, ''), cost_usd = m.cost_usd
  FROM unnest(CAST(:ids AS uuid[]), CAST(:messages AS uuid[])) AS one (id, message_id)
  JOIN messages AS m ON m.tenant_id = :tenant_id AND m.id = one.message_id
   AND m.id BETWEEN :oldest AND :newest
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.contact_id = one.id
   AND (r.outcome, r.cost_usd) <> (m.state, m.cost_usd)
""")
# A time with a time zone plus an interval depends on the zone of the session, so Citus refuses it
# in an UPDATE. In UTC it does not.
UPDATE_REPLIES = text("""
UPDATE campaign_recipients AS r
   SET replied_at = coalesce(r.replied_at, CASE WHEN c.last_seen_at > r.handed_at
           AND c.last_seen_at <= (r.handed_at AT TIME ZONE 'UTC' + :follow) AT TIME ZONE 'UTC'
           THEN c.last_seen_at END),
       opted_out_at = CASE WHEN c.opted_out_at > r.handed_at
           AND c.opted_out_at <= (r.handed_at AT TIME ZONE 'UTC' + :follow) AT TIME ZONE 'UTC'
           THEN c.opted_out_at END
  FROM contacts AS c
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id
   AND r.contact_id = ANY(CAST(:ids AS uuid[]))
   AND c.tenant_id = :tenant_id AND c.id = r.contact_id
   AND (c.last_seen_at > r.handed_at OR c.opted_out_at > r.handed_at
        OR r.opted_out_at IS NOT NULL)
""")
UPDATE_ORDERS = text("""
UPDATE campaign_recipients AS r SET orders = one.orders, spent = one.spent
  FROM unnest(CAST(:ids AS uuid[]), CAST(:orders AS integer[]), CAST(:spent AS numeric[]))
       AS one (id, orders, spent)
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.contact_id = one.id
   AND (r.orders, r.spent) <> (one.orders, one.spent)
""")
COUNT_RESULTS = text("""
SELECT state, reason, outcome, cause, count(*) AS people, count(replied_at) AS replied,
       count(opted_out_at) AS opted_out, sum(least(orders, 1)) AS ordered, sum(orders) AS orders,
       sum(spent) AS spent, sum(cost_usd) AS cost
  FROM campaign_recipients
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id
 GROUP BY state, reason, outcome, cause
""")


UPDATE_CLICKS = text("""
UPDATE campaign_recipients AS r SET clicked_at = l.clicked_at
  FROM (SELECT contact_id, min(clicked_at) AS clicked_at FROM short_links
         WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id
           AND contact_id = ANY(CAST(:ids AS uuid[])) AND clicked_at IS NOT NULL
         GROUP BY contact_id) AS l
 WHERE r.tenant_id = :tenant_id AND r.campaign_id = :campaign_id AND r.contact_id = l.contact_id
   AND r.clicked_at IS NULL
""")
COUNT_LINKS = text("""
SELECT count(DISTINCT contact_id) FILTER (WHERE clicked_at IS NOT NULL) AS clicked,
       count(DISTINCT contact_id) FILTER (WHERE visited_at IS NOT NULL) AS visited,
       count(DISTINCT contact_id) FILTER (WHERE cart_at IS NOT NULL) AS carts,
       coalesce(sum(clicks), 0) AS clicks, coalesce(sum(orders), 0) AS orders,
       coalesce(sum(spent), 0) AS spent
  FROM short_links WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id
""")
LINKS_WITH_CARTS = text("""
SELECT code FROM short_links
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND cart_at IS NOT NULL
   AND contact_id = ANY(CAST(:ids AS uuid[]))
""")
UPDATE_LINK_ORDERS = text("""
UPDATE short_links AS l SET orders = one.orders, spent = one.spent
  FROM unnest(CAST(:codes AS text[]), CAST(:orders AS integer[]), CAST(:spent AS numeric[]))
       AS one (code, orders, spent)
 WHERE l.tenant_id = :tenant_id AND l.code = one.code
   AND (l.orders, l.spent) <> (one.orders, one.spent)
""")
COUNT_TAPS = text("""
SELECT tapped, count(*) AS people FROM campaign_recipients
 WHERE tenant_id = :tenant_id AND campaign_id = :campaign_id AND tapped_at IS NOT NULL
 GROUP BY tapped
""")


@dataclass(frozen=True)
class RecipientResult:
    """One recipient with name and phone; both are empty for an erased contact."""

    recipient: CampaignRecipient
    name: str
    phone: str

    @property
    def shown(self) -> str:
        return result_state(self.recipient)


def result_state(one: CampaignRecipient) -> str:
    """Return the recipient's state, or the state of the message if there is one."""
    return one.outcome if one.state == "handed" else one.state


def refresh_results(campaign: Campaign, *, deep: bool) -> None:
    """Update the states of messages. `deep` updates all recipients, with replies and orders."""
    after, found = NO_ID, BATCH
    while found == BATCH:
        rows = db.session.execute(
            SELECT_HANDED if deep else SELECT_OPEN,
            {**_campaign_key(campaign), "after": after, "most": BATCH},
        ).all()
        found = len(rows)
        if rows:
            after = str(rows[-1].contact_id)
            _refresh(campaign, rows, deep)
    campaign.counts = count_results(campaign)


def count_results(campaign: Campaign) -> dict[str, Any]:
    """Count from the rows of recipients, never from messages."""
    counts: dict[str, Any] = dict.fromkeys((*RESULT_STATES, "people", "recipients", "open"), 0)
    reasons: dict[str, int] = {}
    causes: dict[str, int] = {}
    orders_, spent, cost = 0, Decimal(0), Decimal(0)
    for row in db.session.execute(COUNT_RESULTS, _campaign_key(campaign)):
        people = row.people
        counts["people"] += people
        if row.state == "holdout":
            counts["holdout"] += people
            continue
        counts["replied"] += row.replied
        counts["opted_out"] += row.opted_out
        counts["ordered"] += row.ordered
        orders_, spent, cost = orders_ + row.orders, spent + row.spent, cost + row.cost
        if row.state == "left_out":
            reasons[row.reason] = reasons.get(row.reason, 0) + people
        if row.state != "handed":
            counts[row.state] += people
            counts["recipients"] += 0 if row.state == "left_out" else people
            continue
        counts["recipients"] += people
        counts["open"] += people if row.outcome in UNSENT_STATES else 0
        counts["sent"] += people if row.outcome in SENT_STATES else 0
        counts["delivered"] += people if row.outcome in DELIVERED_STATES else 0
        counts["read"] += people if row.outcome == "read" else 0
        counts["stopped"] += people if row.outcome == CANCELLED else 0
        if row.outcome in FAILED_STATES:
            counts["failed"] += people
            cause = row.cause or row.outcome
            causes[cause] = causes.get(cause, 0) + people
    taps = {
        row.tapped: row.people for row in db.session.execute(COUNT_TAPS, _campaign_key(campaign))
    }
    currency = order_port.orders_currency(_order_site(campaign))
    links = db.session.execute(COUNT_LINKS, _campaign_key(campaign)).one()
    return {
        **counts,
        "clicked": links.clicked,
        "link_clicks": links.clicks,
        "visited": links.visited,
        "carts": links.carts,
        "link_orders": links.orders,
        "link_spent": str(links.spent.normalize() + 0),
        "effect": effect.campaign_effect(campaign, currency),
        "tapped": sum(taps.values()),
        "taps": taps,
        "orders": orders_,
        "spent": str(spent.normalize() + 0),
        "currency": currency,
        "cost_usd": json_number(cost),
        "reasons": reasons,
        "causes": causes,
    }


def list_results(
    campaign: Campaign, shown: str = "", after: str | None = None, limit: int = 50
) -> list[RecipientResult]:
    """List by contact id, with keyset paging on the primary key."""
    query = (
        select(CampaignRecipient)
        .where(
            CampaignRecipient.tenant_id == current_tenant_id(),
            CampaignRecipient.campaign_id == campaign.id,
            *_condition(shown),
        )
        .order_by(CampaignRecipient.contact_id)
        .limit(limit)
    )
    if after:
        query = query.where(CampaignRecipient.contact_id > canonical_id("con", after))
    return _named(list(db.session.scalars(query)))


def _condition(shown: str) -> tuple[Any, ...]:
    one = CampaignRecipient
    conditions: dict[str, Any] = {
        "waiting": one.state == "waiting",
        "left_out": one.state == "left_out",
        "stopped": or_(one.state == "stopped", one.outcome == CANCELLED),
        "sent": one.outcome.in_(SENT_STATES),
        "delivered": one.outcome.in_(DELIVERED_STATES),
        "read": one.outcome == "read",
        "failed": one.outcome.in_(FAILED_STATES),
        "replied": and_(one.replied_at.is_not(None), one.state != "holdout"),
        "tapped": one.tapped_at.is_not(None),
        "clicked": one.clicked_at.is_not(None),
        "holdout": one.state == "holdout",
        "opted_out": and_(one.opted_out_at.is_not(None), one.state != "holdout"),
        "ordered": and_(one.orders > 0, one.state != "holdout"),
    }
    return (conditions[shown],) if shown in conditions else ()


def _named(found: list[CampaignRecipient]) -> list[RecipientResult]:
    if not found:
        return []
    people = db.session.scalars(
        select(Contact).where(
            Contact.tenant_id == current_tenant_id(),
            Contact.id.in_([one.contact_id for one in found]),
        )
    )
    known = {card.id: card for card in contact_cards.cards_of(list(people))}
    return [
        RecipientResult(
            one,
            known[one.contact_id].title if one.contact_id in known else "",
            _shown_address(known[one.contact_id]) if one.contact_id in known else "",
        )
        for one in found
    ]


def _shown_address(card: ContactCard) -> str:
    """The phone, else the user name."""
    return card.phone or (f"@{card.contact.username}" if card.contact.username else "")


def _refresh(campaign: Campaign, rows: Sequence[Any], deep: bool) -> None:
    params = {**_campaign_key(campaign), "ids": [str(row.contact_id) for row in rows]}
    sent = [row for row in rows if row.message_id is not None]
    db.session.execute(
        UPDATE_OUTCOMES,
        {
            **params,
            "ids": [str(row.contact_id) for row in sent],
            "messages": [str(row.message_id) for row in sent],
            "oldest": id_at((campaign.started_at or now()) - timedelta(days=1)),
            "newest": id_at(_latest(rows) + timedelta(days=1)),
        },
    )
    if not deep:
        return
    follow = timedelta(days=campaign.follow_days)
    db.session.execute(UPDATE_REPLIES, {**params, "follow": follow})
    if campaign.started_at is not None:
        _refresh_links(campaign, params)
    since = {from_uuid("con", row.contact_id): row.handed_at for row in rows}
    bought = order_port.orders_after(
        since, campaign.follow_days, _order_site(campaign), test=campaign.test
    )
    if bought:
        db.session.execute(
            UPDATE_ORDERS,
            {
                **params,
                "ids": [str(to_uuid("con", one)) for one in bought],
                "orders": [count for count, _ in bought.values()],
                "spent": [spent for _, spent in bought.values()],
            },
        )


def _refresh_links(campaign: Campaign, params: dict[str, Any]) -> None:
    """Clicks, and the orders of carts that came from a link, whoever sent the cart."""
    db.session.execute(UPDATE_CLICKS, params)
    codes = [row.code for row in db.session.execute(LINKS_WITH_CARTS, params)]
    found = order_port.orders_of_links(codes, _order_site(campaign), test=campaign.test)
    if found:
        db.session.execute(
            UPDATE_LINK_ORDERS,
            {
                "tenant_id": current_tenant_id(),
                "codes": list(found),
                "orders": [count for count, _ in found.values()],
                "spent": [spent for _, spent in found.values()],
            },
        )


def _order_site(campaign: Campaign) -> str:
    return str(campaign.filters.get("site_id") or "")


def _latest(rows: Sequence[Any]) -> datetime:
    """Ids are made from the real clock, also when tests set another time."""
    latest: datetime = max(row.handed_at for row in rows)
    return max(latest, running_now())


def _campaign_key(campaign: Campaign) -> dict[str, Any]:
    return {
        "tenant_id": current_tenant_id(),
        "campaign_id": str(to_uuid("cmp", campaign.id)),
    }
