"""What the tenant and open pages are told about a tab."""

from typing import Any

from sqlalchemy import select

from core import live_updates
from core.clock import now, rfc3339
from core.db import current_tenant_id, db
from core.values.money import json_number
from restaurant.models import Site, Tab, TabShare
from restaurant.tabs.bill import Bill, Share
from webhooks.events import publish_webhook_event


def touch(tab: Tab) -> None:
    """Raise the version and wake the pages that show the tab. The row is locked."""
    tab.version += 1
    tab.changed_at = now()
    publish_live_update(tab)


def publish_live_update(tab: Tab) -> None:
    """For the guests at the table, whose topic is the tab's id, and for the order board."""
    publish_to_guests(tab.id)
    live_updates.publish_update("orders.changed", id=tab.id, site=tab.site_id, state=tab.state)


def publish_to_guests(tab_id: str) -> None:
    live_updates.publish_update(f"{tab_id}.changed")


def publish_share_update(link_id: str) -> None:
    """The payment link of a share can be paid now, was paid, declined or has expired."""
    query = select(TabShare.tab_id).where(
        TabShare.tenant_id == current_tenant_id(), TabShare.link_id == link_id
    )
    if tab_id := db.session.scalar(query):
        publish_to_guests(tab_id)


def publish(kind: str, site: Site, bill: Bill) -> None:
    db.session.flush()
    publish_webhook_event(kind, tab_body(site.currency, site.name, bill))


def tab_body(currency: str, site_name: str, bill: Bill) -> dict[str, Any]:
    tab = bill.tab
    return {
        "id": tab.id,
        "status": tab.state,
        "site": {"id": tab.site_id, "name": site_name},
        "table_number": tab.table_number,
        "currency": currency,
        "total_amount": json_number(bill.total),
        "paid_amount": json_number(bill.paid),
        "reserved_amount": json_number(bill.reserved),
        "open_amount": json_number(bill.open),
        "orders": [order.number for order in bill.on_bill],
        "shares": [share_body(one) for one in bill.shares if one.state != "released"],
        "opened_at": rfc3339(tab.opened_at),
        "ended_at": rfc3339(tab.ended_at) if tab.ended_at else None,
        "test": tab.test,
    }


def share_body(share: Share) -> dict[str, Any]:
    row = share.row
    return {
        "id": row.id,
        "tab_id": row.tab_id,
        "guest": row.guest,
        "kind": row.kind,
        "amount": json_number(row.amount),
        "tip": json_number(row.tip),
        "surplus": json_number(row.surplus),
        "status": share.state,
        "reference": share.link.reference,
        "payment_link_id": share.link.id,
    }
