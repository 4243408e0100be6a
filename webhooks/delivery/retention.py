"""Delete old events, their deliveries and the attempts."""

from datetime import datetime

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.sql.partitions import id_at

TABLES = ("events", "deliveries", "delivery_attempts")
BATCH_SIZE = 5000
KEY_COLUMNS = {
    "events": "id",
    "deliveries": "id",
    "delivery_attempts": "delivery_id",
}


def delete_before(before: datetime) -> int:
    """Delete one batch from each table. Returns how many rows; call again until it returns 0.
    Deliveries that are still due are kept.
    """
    deleted = 0
    for table, key in KEY_COLUMNS.items():
        waits = " AND due_at IS NULL" if table == "deliveries" else ""
        found = db.session.execute(
            text(
                f"DELETE FROM {table} WHERE tenant_id = :tenant_id AND {key} = ANY(ARRAY("  # noqa: S608
                f"SELECT {key} FROM {table} WHERE tenant_id = :tenant_id"
                f" AND {key} < CAST(:oldest AS uuid){waits} LIMIT :most))"
            ),
            {"tenant_id": current_tenant_id(), "oldest": id_at(before), "most": BATCH_SIZE},
        )
        deleted += int(found.rowcount)  # type: ignore[attr-defined]
    return deleted
