"""People without a phone number: user names, ids that were replaced, and possible duplicates."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE contacts ADD COLUMN username text NOT NULL DEFAULT ''")
    op.execute("ALTER TABLE identities ADD COLUMN line_id integer")
    op.execute("ALTER TABLE identities ADD COLUMN added_at timestamptz")
    op.execute("""
        CREATE TABLE former_identities (
            tenant_id bigint NOT NULL, contact_id uuid NOT NULL, kind text NOT NULL,
            value text NOT NULL, spelling text NOT NULL, ended_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, contact_id, kind, value),
            FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute(
        "CREATE INDEX former_identities_value_idx ON former_identities (tenant_id, kind, value)"
    )
    op.execute("""
        CREATE TABLE possible_duplicates (
            tenant_id bigint NOT NULL, contact_id uuid NOT NULL, other_id uuid NOT NULL,
            reason text NOT NULL, found_at timestamptz NOT NULL, dismissed_at timestamptz,
            PRIMARY KEY (tenant_id, contact_id, other_id),
            FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id)
                ON DELETE CASCADE,
            FOREIGN KEY (tenant_id, other_id) REFERENCES contacts (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute(
        "CREATE INDEX possible_duplicates_other_idx ON possible_duplicates (tenant_id, other_id)"
    )
    own_by_tenant("former_identities")
    own_by_tenant("possible_duplicates")


def downgrade() -> None:
    op.execute("DROP TABLE possible_duplicates")
    op.execute("DROP TABLE former_identities")
    op.execute("ALTER TABLE identities DROP COLUMN added_at")
    op.execute("ALTER TABLE identities DROP COLUMN line_id")
    op.execute("ALTER TABLE contacts DROP COLUMN username")
