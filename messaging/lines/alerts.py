"""Line state changes that people have not been notified of yet."""

from dataclasses import dataclass

from sqlalchemy import select, update

from core.db import current_tenant_id, db
from messaging.models import Line

LANE = "troubles"
PAIRING_STATES = ("unpaired", "pairing")  # somebody is linking a phone; no alert


@dataclass(frozen=True)
class LineAlert:
    line_id: int
    name: str
    state: str
    because: str
    test: bool
    kind: str
    stand_in: str
    """The name of the backup line; may be empty."""

    @property
    def recovered(self) -> bool:
        return self.state == "connected"


def claim_unsent_alerts() -> list[LineAlert]:
    """Claim each failure and each recovery once.

    The caller sends the notifications in the same transaction.
    """
    tenant_id = current_tenant_id()
    lines = {
        line.id: line
        for line in db.session.scalars(
            select(Line).where(Line.tenant_id == tenant_id, Line.removed_at.is_(None))
        )
    }
    alerts = []
    for line in lines.values():
        if line.told_state == line.state or line.state in PAIRING_STATES:
            continue
        claimed = db.session.execute(
            update(Line)
            .where(
                Line.tenant_id == tenant_id,
                Line.id == line.id,
                Line.told_state == line.told_state,
                Line.state == line.state,
            )
            .values(told_state=line.state)
            .returning(Line.id)
        )
        if claimed.first() is not None:
            other = lines.get(line.fallback_line_id or 0)
            stand_in = other.name if other is not None else ""
            alerts.append(
                LineAlert(
                    line.id,
                    line.name,
                    line.state,
                    line.state_because,
                    line.test,
                    line.kind,
                    stand_in,
                )
            )
    return alerts
