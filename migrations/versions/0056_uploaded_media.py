"""Files that programs upload once and send any number of times."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE uploaded_media (
            tenant_id bigint NOT NULL,
            id uuid NOT NULL,
            kind text NOT NULL,
            mime_type text NOT NULL,
            filename text NOT NULL,
            size integer NOT NULL,
            blob_key text NOT NULL,
            test boolean NOT NULL,
            created_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, id)
        )
        """
    )
    own_by_tenant("uploaded_media")


def downgrade() -> None:
    op.execute("DROP TABLE uploaded_media")
