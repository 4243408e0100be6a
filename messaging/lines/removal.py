"""Remove a line of a tenant."""

from sqlalchemy import text, update

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Invalid
from core.lookups import remove_lookup
from messaging.lines import repository
from messaging.models import Line
from tenants import audit

# No lines would mean all lines, so after the last one the question is turned off.
FORGET_RATING_LINE = text("""
UPDATE inbox_settings
   SET rating_lines = array_remove(rating_lines, :line_id),
       rating = CASE WHEN rating_lines <@ ARRAY[CAST(:line_id AS integer)] THEN 'off'
                     ELSE rating END
 WHERE tenant_id = :tenant_id AND CAST(:line_id AS integer) = ANY(rating_lines)
""")


def remove(line_id: int) -> None:
    """Remove a line. The row stays for its messages; its secrets are deleted."""
    line = repository.get(line_id)
    if line.test:
        raise Invalid("test_line", "The test line cannot be deleted. Every account has one.")
    line.removed_at, line.enabled, line.is_default = now(), False, False
    line.fallback_line_id = None
    tenant_id = current_tenant_id()
    db.session.execute(
        update(Line)
        .where(Line.tenant_id == tenant_id, Line.fallback_line_id == line.id)
        .values(fallback_line_id=None)
    )
    db.session.execute(FORGET_RATING_LINE, {"tenant_id": tenant_id, "line_id": line.id})
    line.token = line.app_secret = None
    if line.hook_token:
        remove_lookup("cloud_hook", line.hook_token)
    audit.record("lines.removed", line.name, instance_id=line.id)
