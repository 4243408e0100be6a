"""What every page of the inbox shows about the team's settings, in one query."""

from dataclasses import dataclass
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import text

from core.db import current_tenant_id, read_rows
from core.ids import from_uuid, to_uuid
from messaging.inbox.team.labels import LabelName

SELECT = text("""
SELECT a.time_zone, coalesce(s.assignment, 'off') AS assignment, coalesce(t.away, false) AS away,
       ARRAY(SELECT ARRAY[l.id::text, l.name, l.colour] FROM labels AS l
              WHERE l.tenant_id = :tenant_id ORDER BY l.name_key) AS labels
  FROM accounts AS a
  LEFT JOIN inbox_settings AS s ON s.tenant_id = :tenant_id
  LEFT JOIN member_turns AS t
    ON t.tenant_id = :tenant_id AND t.person_id = CAST(:person_id AS uuid)
 WHERE a.tenant_id = :tenant_id
""")


@dataclass(frozen=True)
class TeamOverview:
    zone: ZoneInfo
    assigns: bool
    away: bool
    labels: dict[str, LabelName]


def overview(person_id: str) -> TeamOverview:
    """`person_id`: of the member who looks at the page."""
    params = {"tenant_id": current_tenant_id(), "person_id": str(to_uuid("per", person_id))}
    row = read_rows(SELECT, params)[0]
    labels = [LabelName(from_uuid("lbl", UUID(one[0])), one[1], one[2]) for one in row.labels]
    return TeamOverview(
        zone=ZoneInfo(row.time_zone),
        assigns=row.assignment != "off",
        away=row.away,
        labels={one.id: one for one in labels},
    )
