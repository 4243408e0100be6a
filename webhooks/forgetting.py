"""What is kept for a while only: events, their deliveries and the attempts."""

from datetime import datetime

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.partitions import id_at

TABLES = ("events", "deliveries", "delivery_attempts")
AT_ONCE = 5000
OLD = {
    "events": "id",
    "deliveries": "id",
    "delivery_attempts": "delivery_id",
}


def forget(before: datetime) -> int:
    """One round; call again until it says 0. What still waits to be brought is kept."""
    gone = 0
    for table, key in OLD.items():
        waits = " AND due_at IS NULL" if table == "deliveries" else ""
        found = db.session.execute(
            text(
                f"DELETE FROM {table} WHERE tenant_id = :tenant_id AND {key} = ANY(ARRAY("  # noqa: S608
                f"SELECT {key} FROM {table} WHERE tenant_id = :tenant_id"
                f" AND {key} < CAST(:oldest AS uuid){waits} LIMIT :most))"
            ),
            {"tenant_id": current_tenant_id(), "oldest": id_at(before), "most": AT_ONCE},
        )
        gone += int(found.rowcount)  # type: ignore[attr-defined]
    return gone
