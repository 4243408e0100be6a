"""More prefixes of each word of a name, so that a search finds contacts without reading all of
them.
"""

from alembic import op
from sqlalchemy import text

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

TABLES = ("contacts", "contact_tokens")
NEW, OLD = [5, 7, 8, 10, 13], [9]
ADD = text("""
INSERT INTO contact_tokens (tenant_id, token, contact_id)
SELECT DISTINCT tenant_id, 'w' || left(word, step), id
  FROM contacts, unnest((string_to_array(name_key, ' '))[1:12]) AS word,
       unnest(CAST(:steps AS integer[])) AS step
 WHERE length(word) >= step
    ON CONFLICT DO NOTHING RETURNING token
""")
DROP = text("""
DELETE FROM contact_tokens USING contacts, unnest((string_to_array(name_key, ' '))[1:12]) AS word
 WHERE contact_tokens.tenant_id = contacts.tenant_id AND contact_tokens.contact_id = contacts.id
   AND length(contact_tokens.token) - 1 = ANY (CAST(:steps AS integer[]))
   AND contact_tokens.token = 'w' || left(word, length(contact_tokens.token) - 1)
""")


def upgrade() -> None:
    _replace(OLD, NEW)


def downgrade() -> None:
    _replace(NEW, OLD)


def _replace(dropped: list[int], added: list[int]) -> None:
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")  # all tenants' rows
    op.execute(DROP.bindparams(steps=dropped))
    op.execute(ADD.bindparams(steps=added))
    for table in TABLES:
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
