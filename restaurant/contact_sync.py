"""Guests and couriers are contacts: merging or erasing a contact changes their restaurant data.

Erasure keeps the items and amounts of an order.
"""

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import to_uuid
from messaging.contacts import merging
from messaging.contacts.erasure import erasures as contact_erasures
from messaging.contacts.erasure.personal_data import ERASED_NAME, ErasureTarget, search_patterns
from restaurant.loyalty import contact_sync as loyalty_contact_sync

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
# Remove personal data from tickets. A ticket that is still queued would print blank, so it fails.
BLANK_TICKETS = text("""
UPDATE print_jobs
   SET document = jsonb_build_object(
           'version', 1, 'title', title, 'language', 'en', 'parts', '[]'::jsonb),
       data = NULL, again = NULL, fallback_due_at = NULL,
       state = CASE WHEN state IN ('queued', 'claimed') THEN 'failed' ELSE state END
 WHERE tenant_id = :tenant_id AND order_id = ANY(CAST(:ids AS uuid[]))
""")
BLANK_TRIPS = text("""
UPDATE trips SET problem_note = ''
 WHERE tenant_id = :tenant_id AND order_id = ANY(CAST(:ids AS uuid[]))
""")
# A courier is a contact too. Erasure keeps the deliveries and removes the courier's identity.
MOVE_COURIERS = text("""
UPDATE couriers SET contact_id = :kept WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
BLANK_COURIER_CHANGES = text("""
UPDATE order_changes
   SET because = CASE WHEN what = 'courier' THEN '' ELSE because END,
       by = CASE WHEN by = :name THEN '' ELSE by END
 WHERE tenant_id = :tenant_id AND order_id IN (
       SELECT order_id FROM trips WHERE tenant_id = :tenant_id AND courier_id = :courier_id)
""")
BLANK_COURIER = text("""
UPDATE couriers
   SET contact_id = NULL, name = '', phone = '', active = false,
       link_version = link_version + 1, removed_at = coalesce(removed_at, :at)
 WHERE tenant_id = :tenant_id AND id = :courier_id
""")
FIND_COURIERS = text("""
SELECT id, name FROM couriers
 WHERE tenant_id = :tenant_id AND (contact_id = :contact_id OR phone = ANY(:names))
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
MOVE_CONVERSIONS = text("""
UPDATE ad_conversions SET contact_id = :kept WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
DROP_CONVERSIONS = text("""
DELETE FROM ad_conversions WHERE tenant_id = :tenant_id AND contact_id = :contact_id
""")
DROP_ABANDONED = text("""
DELETE FROM carts
 WHERE tenant_id = :tenant_id AND order_id IS NULL
   AND concat_ws(' ', text, notes, address::text) LIKE ANY(:inside)
""")
BLANK_COURIER_AUDIT = text("""
UPDATE audit_entries SET subject = :erased, detail = '{}'
 WHERE tenant_id = :tenant_id AND act >= 'couriers.' AND act < 'couriers/' AND subject = :name
""")
DROP_CARTS = text("""
DELETE FROM carts
 WHERE tenant_id = :tenant_id
   AND (id = ANY(CAST(:carts AS uuid[])) OR order_id = ANY(CAST(:ids AS uuid[])))
""")


def register() -> None:
    """Called by `restaurant.wiring.wire_domains`."""
    if erase not in contact_erasures.MORE_STEPS:
        contact_erasures.MORE_STEPS.append(erase)
    if merge not in merging.MORE_MERGES:
        merging.MORE_MERGES.append(merge)


def merge(kept_id: str, gone_id: str) -> None:
    names = {
        "tenant_id": current_tenant_id(),
        "kept": str(to_uuid("con", kept_id)),
        "gone": str(to_uuid("con", gone_id)),
    }
    for statement in (MOVE, MOVE_COURIERS, MOVE_CONVERSIONS):
        db.session.execute(statement, names)
    loyalty_contact_sync.merge(kept_id, gone_id)


def erase(target: ErasureTarget) -> None:
    who = {
        "tenant_id": current_tenant_id(),
        "contact_id": str(to_uuid("con", target.contact_id)),
        "names": target.names,
    }
    for rider in db.session.execute(FIND_COURIERS, who).all():
        params = {"tenant_id": current_tenant_id(), "courier_id": str(rider.id)}
        db.session.execute(BLANK_COURIER_CHANGES, {**params, "name": rider.name})
        db.session.execute(BLANK_COURIER, {**params, "at": now()})
        audited = {"tenant_id": current_tenant_id(), "name": rider.name, "erased": ERASED_NAME}
        db.session.execute(BLANK_COURIER_AUDIT, audited)
    marks = {"tenant_id": current_tenant_id(), "inside": search_patterns(target)["inside"]}
    db.session.execute(DROP_ABANDONED, marks)
    db.session.execute(DROP_CONVERSIONS, who)
    rows = db.session.execute(FIND, who).all()
    params = {
        "tenant_id": current_tenant_id(),
        "ids": [str(row.id) for row in rows],
        "carts": [str(row.cart_id) for row in rows if row.cart_id],
        "names": target.names,
    }
    db.session.execute(BLANK_LINKS, params)
    loyalty_contact_sync.erase(target.contact_id)
    if rows:
        blanks = (BLANK_ORDERS, BLANK_LINES, BLANK_CHANGES, BLANK_TRIPS, BLANK_REFUNDS)
        for statement in (*blanks, BLANK_TICKETS, DROP_CARTS):
            db.session.execute(statement, params)
