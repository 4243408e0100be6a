"""Guests are contacts: merged and erased with them. What an order cost, and of what, stays."""

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import to_uuid
from messaging.crm import erasing, merging
from messaging.crm.traces import Sought

MOVE = text("""
UPDATE orders SET contact_id = :kept WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
FIND = text("""
SELECT id, cart_id FROM orders
 WHERE tenant_id = :tenant_id AND (contact_id = :contact_id OR customer_phone = ANY(:names))
""")
BLANK_ORDERS = text("""
UPDATE orders SET contact_id = NULL, customer_phone = '', customer_name = '', notes = '',
       staff_note = '', address = '{}'
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
BLANK_LINES = text("""
UPDATE order_lines SET note = '', void_because = ''
 WHERE tenant_id = :tenant_id AND order_id = ANY(CAST(:ids AS uuid[]))
""")
BLANK_CHANGES = text("""
UPDATE order_changes SET because = ''
 WHERE tenant_id = :tenant_id AND order_id = ANY(CAST(:ids AS uuid[]))
""")
BLANK_LINKS = text("""
UPDATE payment_links SET customer_phone = '', customer_name = '', description = reference
 WHERE tenant_id = :tenant_id
   AND (order_id = ANY(CAST(:ids AS uuid[])) OR customer_phone = ANY(:names))
""")
BLANK_REFUNDS = text("""
UPDATE refunds SET reason = ''
 WHERE tenant_id = :tenant_id AND payment_id IN (
       SELECT id FROM payments
        WHERE tenant_id = :tenant_id AND order_id = ANY(CAST(:ids AS uuid[])))
""")
DROP_CARTS = text("""
DELETE FROM carts
 WHERE tenant_id = :tenant_id
   AND (id = ANY(CAST(:carts AS uuid[])) OR order_id = ANY(CAST(:ids AS uuid[])))
""")


def listen() -> None:
    """Asked for by every process that merges or erases contacts."""
    if erase not in erasing.ALSO:
        erasing.ALSO.append(erase)
    if move not in merging.ALSO:
        merging.ALSO.append(move)


def move(kept_id: str, gone_id: str) -> None:
    db.session.execute(
        MOVE,
        {
            "tenant_id": current_tenant_id(),
            "kept": str(to_uuid("con", kept_id)),
            "gone": str(to_uuid("con", gone_id)),
        },
    )


def erase(sought: Sought) -> None:
    rows = db.session.execute(
        FIND,
        {
            "tenant_id": current_tenant_id(),
            "contact_id": str(to_uuid("con", sought.contact_id)),
            "names": sought.names,
        },
    ).all()
    mine = {
        "tenant_id": current_tenant_id(),
        "ids": [str(row.id) for row in rows],
        "carts": [str(row.cart_id) for row in rows if row.cart_id],
        "names": sought.names,
    }
    db.session.execute(BLANK_LINKS, mine)
    if rows:
        for statement in (BLANK_ORDERS, BLANK_LINES, BLANK_CHANGES, BLANK_REFUNDS, DROP_CARTS):
            db.session.execute(statement, mine)
