"""What the clock of test mode moves in the restaurant: carts, payment links and planned orders."""

from datetime import timedelta

from sqlalchemy import text

from core.clock import now
from core.db import current_tenant_id, db, notify_workers
from core.ids import to_uuid
from core.queue import lanes
from messaging import simulated_clock
from restaurant.orders.pace import firing
from restaurant.payments.links import LANE as PAYMENTS
from restaurant.sites import sites

MOVE = (
    text("""
UPDATE payment_sessions SET expires_at = (expires_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC',
       close_at = (close_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id AND link_id IN (
       SELECT id FROM payment_links
        WHERE tenant_id = :tenant_id AND due_at IS NOT NULL AND test)
"""),
    text("""
UPDATE payment_links SET expires_at = (expires_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC',
       due_at = (due_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id AND due_at IS NOT NULL AND test
"""),
    text("""
UPDATE orders SET due_at = (due_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC',
       fires_at = (fires_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id AND state = 'scheduled' AND test
"""),
    text("""
UPDATE order_proposals SET expires_at = (expires_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id AND expires_at > :now
   AND line_id IN (SELECT id FROM lines WHERE tenant_id = :tenant_id AND test)
"""),
)
# A cart has no mode of its own: its guest writes to the line of the site.
MOVE_CARTS = text("""
UPDATE carts SET expires_at = (expires_at AT TIME ZONE 'UTC' - :by) AT TIME ZONE 'UTC'
 WHERE tenant_id = :tenant_id AND used_at IS NULL AND expires_at > :now
   AND site_id = ANY (CAST(:sites AS uuid[]))
""")


def advance(by: timedelta) -> None:
    """In the transaction that advances the clock."""
    params = simulated_clock.params(by) | {"now": now()}
    for statement in MOVE:
        db.session.execute(statement, params)
    lines = ((site.id, sites.line_of(site)) for site in sites.listed())
    tested = [str(to_uuid("sit", one)) for one, line in lines if line is not None and line.test]
    if tested:
        db.session.execute(MOVE_CARTS, params | {"sites": tested})
    lanes.mark_due(PAYMENTS, current_tenant_id(), now())
    notify_workers("jobs.restaurant.payments.drain")
    lanes.mark_later(firing.LANE, current_tenant_id(), now())
