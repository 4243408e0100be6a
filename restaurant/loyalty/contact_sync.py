"""Merges and erases the loyalty data of contacts."""

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db
from core.ids import to_uuid

# Both contacts were guests of the same site: add up their balances and visits.
MERGE_MEMBERS = text("""
INSERT INTO loyalty_members
       (tenant_id, site_id, contact_id, balance, visits, first_at, last_at)
SELECT tenant_id, site_id, :kept, balance, visits, first_at, last_at
  FROM loyalty_members WHERE tenant_id = :tenant_id AND contact_id = :gone
    ON CONFLICT (tenant_id, site_id, contact_id) DO UPDATE
   SET balance = loyalty_members.balance + excluded.balance,
       visits = loyalty_members.visits + excluded.visits,
       first_at = least(loyalty_members.first_at, excluded.first_at),
       last_at = greatest(loyalty_members.last_at, excluded.last_at)
RETURNING site_id
""")
# Messages sent to either contact are not sent again.
MERGE_SENDS = text("""
INSERT INTO loyalty_sends
       (tenant_id, site_id, contact_id, cause, number, state, because, due_at, coupon_id,
        message_id, at)
SELECT tenant_id, site_id, :kept, cause, number, state, because, due_at, coupon_id,
       message_id, at
  FROM loyalty_sends WHERE tenant_id = :tenant_id AND contact_id = :gone
    ON CONFLICT (tenant_id, site_id, contact_id, cause, number) DO UPDATE
   SET state = CASE WHEN loyalty_sends.state = 'waiting' THEN excluded.state
                    ELSE loyalty_sends.state END
RETURNING site_id
""")
DROP_MEMBERS = text("""
DELETE FROM loyalty_members WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
DROP_SENDS = text("""
DELETE FROM loyalty_sends WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
DROP_ENTRIES = text("""
DELETE FROM loyalty_entries WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
MOVE_ENTRIES = text("""
UPDATE loyalty_entries SET contact_id = :kept
 WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
MOVE_COUPONS = text("""
UPDATE loyalty_coupons SET contact_id = :kept
 WHERE tenant_id = :tenant_id AND contact_id = :gone
""")
# The cause identifies the guest. The discount of a used coupon stays in the order's totals.
BLANK_COUPONS = text("""
UPDATE loyalty_coupons
   SET contact_id = NULL, cause = NULL,
       state = CASE WHEN state = 'open' THEN 'cancelled' ELSE state END,
       cancelled_at = CASE WHEN state = 'open' THEN :now ELSE cancelled_at END
 WHERE tenant_id = :tenant_id AND contact_id = :gone
""")


def merge(kept_id: str, gone_id: str) -> None:
    names = {
        "tenant_id": current_tenant_id(),
        "kept": str(to_uuid("con", kept_id)),
        "gone": str(to_uuid("con", gone_id)),
    }
    for statement in (
        MERGE_MEMBERS,
        MERGE_SENDS,
        DROP_MEMBERS,
        DROP_SENDS,
        MOVE_ENTRIES,
        MOVE_COUPONS,
    ):
        db.session.execute(statement, names)


def erase(contact_id: str) -> None:
    names = {
        "tenant_id": current_tenant_id(),
        "gone": str(to_uuid("con", contact_id)),
        "now": now(),
    }
    for statement in (DROP_MEMBERS, DROP_SENDS, DROP_ENTRIES, BLANK_COUPONS):
        db.session.execute(statement, names)
