"""Report purchases to Meta, at most once per order.

An order of someone who wrote from an ad gets a row when it is placed. After a quarter of an hour,
in which it may be cancelled, a job claims the row, calls Meta and settles it. A call whose answer
was lost is not repeated.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db
from core.http import ConnectFailed, OutboundError, Policy, sync_client
from core.ids import to_uuid
from core.sql.partitions import id_at
from messaging.lines import repository as line_repository
from messaging.templates.repository import template_account
from restaurant.ads import settings as ad_settings
from restaurant.models import AdConversion, Order
from restaurant.orders.effects import OrderUpdate
from restaurant.orders.reports.day_summary import UNSOLD_STATES

ATTRIBUTION = timedelta(days=7)
"""Meta joins purchases with clicks of this age."""
CANCELLATION_TIME = timedelta(minutes=15)
RETRY_AFTER = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1), timedelta(hours=6))
LOST_AFTER = timedelta(minutes=10)
TIMEOUT_SECONDS = 15.0
LONGEST_ERROR = 300

FIND_CLICK = text("""
SELECT content -> 'referral' ->> 'ctwa_clid' AS click_id, line_id FROM messages
 WHERE tenant_id = :tenant_id AND direction = 'in' AND jsonb_exists(content, 'referral')
   AND id >= CAST(:first_id AS uuid) AND contact_id = :contact_id AND created_at >= :since
   AND content -> 'referral' ->> 'ctwa_clid' <> ''
 ORDER BY id DESC LIMIT 1
""")


@dataclass(frozen=True)
class Purchase:
    """What a call needs: plain values, no database row. The token must not be logged."""

    order_id: str
    dataset_id: str
    token: str
    account_id: str
    click_id: str
    currency: str
    total: Decimal
    placed_at: datetime

    def body(self) -> dict[str, Any]:
        return {
            "data": [
                {
                    "event_name": "Purchase",
                    "event_time": int(self.placed_at.timestamp()),
                    "event_id": self.order_id,
                    "action_source": "business_messaging",
                    "messaging_channel": "whatsapp",
                    "user_data": {
                        "whatsapp_business_account_id": self.account_id,
                        "ctwa_clid": self.click_id,
                    },
                    "custom_data": {"currency": self.currency, "value": float(self.total)},
                }
            ]
        }


@dataclass(frozen=True)
class Outcome:
    state: str
    """sent, failed, unknown or retry"""
    error: str = ""


def record_order(update: OrderUpdate) -> None:
    """An effect of placing an order: remember the ad, if the customer came from one."""
    order = update.order
    if order.test or order.contact_id is None or not ad_settings.is_active():
        return
    moment = now()
    row = db.session.execute(
        FIND_CLICK,
        {
            "tenant_id": current_tenant_id(),
            "contact_id": str(to_uuid("con", order.contact_id)),
            "since": moment - ATTRIBUTION,
            "first_id": id_at(moment - ATTRIBUTION),
        },
    ).first()
    if row is None:
        return
    account_id = template_account(line_repository.get(row.line_id))
    if account_id:
        made = insert(AdConversion).values(
            tenant_id=current_tenant_id(),
            order_id=order.id,
            contact_id=order.contact_id,
            click_id=row.click_id,
            account_id=account_id,
            state="waiting",
            tries=0,
            due_at=moment + CANCELLATION_TIME,
            error="",
            created_at=moment,
        )
        db.session.execute(made.on_conflict_do_nothing())


def claim() -> Purchase | None:
    """Take the next purchase that is due; its row says `sending` until it is settled."""
    stored = ad_settings.get()
    if stored is None or not stored.enabled:
        return None
    while (row := _next_due()) is not None:
        if row.state == "sending":  # the process ended during the call
            _close(row, Outcome("unknown", "No answer was recorded."))
            continue
        order = db.session.get(Order, (current_tenant_id(), row.order_id))
        if order is None or order.state in UNSOLD_STATES:
            _close(row, Outcome("skipped"))
            continue
        row.state, row.tries, row.due_at = "sending", row.tries + 1, now() + LOST_AFTER
        return Purchase(
            row.order_id,
            stored.dataset_id,
            stored.token,
            row.account_id,
            row.click_id,
            order.currency,
            order.total,
            order.placed_at,
        )
    return None


def send(purchase: Purchase, base_url: str, version: str, policy: Policy) -> Outcome:
    """Call Meta. No transaction is open meanwhile."""
    url = f"{base_url.rstrip('/')}/{version}/{purchase.dataset_id}/events"
    try:
        reply = sync_client.request(
            "POST",
            url,
            headers={
                "Authorization": f"Bearer {purchase.token}",
                "Content-Type": "application/json",
            },
            body=json.dumps(purchase.body()).encode(),
            policy=policy,
            timeout=TIMEOUT_SECONDS,
        )
    except OutboundError as error:
        again = isinstance(error, ConnectFailed) and not error.sent
        return Outcome("retry" if again else "unknown", str(error)[:LONGEST_ERROR])
    if reply.status == 200 and _parsed(reply.body).get("events_received") == 1:
        return Outcome("sent")
    fault = _fault(reply.body) or f"HTTP {reply.status}"
    return Outcome("retry" if reply.status in (429, 500, 503) else "failed", fault)


def settle(order_id: str, outcome: Outcome) -> None:
    row = db.session.get(AdConversion, (current_tenant_id(), order_id), with_for_update=True)
    stored = ad_settings.get()
    if stored is not None and outcome.state == "sent":
        stored.sent_at, stored.error, stored.failed_at = now(), "", None
    elif stored is not None:
        stored.error, stored.failed_at = outcome.error, now()
    if row is None or row.state != "sending":
        return
    if outcome.state == "retry" and row.tries <= len(RETRY_AFTER):
        row.state, row.due_at = "waiting", now() + RETRY_AFTER[row.tries - 1]
        row.error = outcome.error
        return
    _close(row, Outcome("failed", outcome.error) if outcome.state == "retry" else outcome)


def count_states() -> dict[str, int]:
    """Of the newest purchases, for the page."""
    newest = (
        select(AdConversion.state)
        .where(AdConversion.tenant_id == current_tenant_id())
        .order_by(AdConversion.order_id.desc())
        .limit(1000)
    )
    found: dict[str, int] = {}
    for state in db.session.scalars(newest):
        found[state] = found.get(state, 0) + 1
    return found


def _next_due() -> AdConversion | None:
    return db.session.scalars(
        select(AdConversion)
        .where(AdConversion.tenant_id == current_tenant_id(), AdConversion.due_at <= now())
        .order_by(AdConversion.due_at)
        .limit(1)
        .with_for_update()
    ).first()


def _close(row: AdConversion, outcome: Outcome) -> None:
    row.state, row.error, row.due_at, row.settled_at = outcome.state, outcome.error, None, now()
    db.session.flush()


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        read = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def _fault(body: bytes) -> str:
    error = _parsed(body).get("error")
    error = error if isinstance(error, dict) else {}
    said = error.get("error_user_msg") or error.get("message") or ""
    return str(said)[:LONGEST_ERROR]
