"""The inbox: assigned conversations, internal notes, search words, quick replies."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

OF_CONVERSATION = """
        FOREIGN KEY (tenant_id, conversation_id)
            REFERENCES conversations (tenant_id, id) ON DELETE CASCADE"""

TABLES = {
    "conversation_notes": f"""
        tenant_id bigint NOT NULL,
        conversation_id uuid NOT NULL,
        id uuid NOT NULL,
        kind text NOT NULL CONSTRAINT conversation_notes_kind_check
            CHECK (kind IN ('note', 'assigned', 'closed', 'reopened')),
        by_person uuid,
        by_name text NOT NULL,
        about_name text NOT NULL,
        text text NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, conversation_id, id),
        {OF_CONVERSATION}
    """,
    "conversation_words": f"""
        tenant_id bigint NOT NULL,
        word text COLLATE "C" NOT NULL,
        conversation_id uuid NOT NULL,
        PRIMARY KEY (tenant_id, word, conversation_id),
        {OF_CONVERSATION}
    """,
    "quick_replies": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        shortcut text NOT NULL,
        text text NOT NULL,
        created_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, shortcut)
    """,
}
INDEXES = (
    "conversations_open_idx ON conversations (tenant_id, last_at, id) WHERE closed_at IS NULL",
    (
        "conversations_closed_idx ON conversations (tenant_id, last_at, id)"
        " WHERE closed_at IS NOT NULL"
    ),
    "conversations_unread_idx ON conversations (tenant_id, last_at, id) WHERE unread > 0",
    (
        "conversations_assigned_idx ON conversations (tenant_id, assigned_to, last_at, id)"
        " WHERE closed_at IS NULL"
    ),
    "conversations_line_idx ON conversations (tenant_id, line_id, last_at, id)",
    "conversations_contact_idx ON conversations (tenant_id, contact_id)",
    "conversations_tell_idx ON conversations (tenant_id, id) WHERE tell_read IS NOT NULL",
    "conversation_words_back_idx ON conversation_words (tenant_id, conversation_id, word)",
)


def upgrade() -> None:
    op.execute(
        "ALTER TABLE conversations ADD COLUMN assigned_to uuid,"
        " ADD COLUMN closed_at timestamptz, ADD COLUMN tell_read text"
    )
    for table, columns in TABLES.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")


def downgrade() -> None:
    for table in reversed(TABLES):
        op.execute(f"DROP TABLE {table}")
    op.execute(
        "ALTER TABLE conversations DROP COLUMN assigned_to, DROP COLUMN closed_at,"
        " DROP COLUMN tell_read"
    )
    for name in ("line", "contact", "unread"):
        op.execute(f"DROP INDEX IF EXISTS conversations_{name}_idx")
