"""Labels, snooze, automatic assignment, replies for later, and cases with their ratings."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0079"
down_revision = "0078"
branch_labels = None
depends_on = None

TABLES = (
    "conversation_labels",
    "labels",
    "inbox_settings",
    "member_turns",
    "conversation_cases",
    "scheduled_replies",
)
COLUMNS = (
    "snoozed_until",
    "returned_at",
    "queued_at",
    "assigned_at",
    "released_from",
    "waiting_since",
    "case_id",
)


KINDS = "'note', 'assigned', 'closed', 'reopened'"
NEW_KINDS = f"{KINDS}, 'auto_assigned', 'snoozed', 'returned', 'rated', 'not_sent'"


def _note_kinds(kinds: str) -> None:
    op.execute("ALTER TABLE conversation_notes DROP CONSTRAINT conversation_notes_kind_check")
    op.execute(
        "ALTER TABLE conversation_notes ADD CONSTRAINT conversation_notes_kind_check"
        f" CHECK (kind IN ({kinds}))"
    )


def upgrade() -> None:
    _note_kinds(NEW_KINDS)
    op.execute("""
        ALTER TABLE conversations
            ADD COLUMN snoozed_until timestamptz, ADD COLUMN returned_at timestamptz,
            ADD COLUMN queued_at timestamptz, ADD COLUMN assigned_at timestamptz,
            ADD COLUMN released_from uuid, ADD COLUMN waiting_since timestamptz,
            ADD COLUMN case_id uuid
    """)
    for name, columns, where in (
        ("snoozed", "snoozed_until, id", "snoozed_until IS NOT NULL"),
        ("queued", "queued_at, id", "queued_at IS NOT NULL"),
        (
            "waiting",
            "waiting_since, id",
            "waiting_since IS NOT NULL AND assigned_to IS NOT NULL",
        ),
    ):
        op.execute(
            f"CREATE INDEX conversations_{name}_idx ON conversations (tenant_id, {columns})"
            f" WHERE {where}"
        )
    op.execute("""
        CREATE TABLE labels (
            tenant_id bigint NOT NULL, id uuid NOT NULL, name text NOT NULL,
            name_key text NOT NULL, colour text NOT NULL, created_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, id), UNIQUE (tenant_id, name_key))
    """)
    op.execute("""
        CREATE TABLE conversation_labels (
            tenant_id bigint NOT NULL, label_id uuid NOT NULL, conversation_id uuid NOT NULL,
            PRIMARY KEY (tenant_id, label_id, conversation_id),
            FOREIGN KEY (tenant_id, label_id) REFERENCES labels (tenant_id, id)
                ON DELETE CASCADE,
            FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute(
        "CREATE INDEX conversation_labels_back_idx"
        " ON conversation_labels (tenant_id, conversation_id)"
    )
    op.execute("""
        CREATE TABLE inbox_settings (
            tenant_id bigint NOT NULL, assignment text NOT NULL, return_minutes integer,
            rating text NOT NULL, rating_text text NOT NULL, rating_lines integer[] NOT NULL,
            changed_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id))
    """)
    op.execute("""
        CREATE TABLE member_turns (
            tenant_id bigint NOT NULL, person_id uuid NOT NULL, away boolean NOT NULL,
            assigned_at timestamptz,
            PRIMARY KEY (tenant_id, person_id))
    """)
    op.execute("""
        CREATE TABLE conversation_cases (
            tenant_id bigint NOT NULL, id uuid NOT NULL, conversation_id uuid NOT NULL,
            line_id integer NOT NULL, label_ids uuid[] NOT NULL, opened_at timestamptz NOT NULL,
            replied_at timestamptz, replied_by uuid, closed_at timestamptz, closed_by uuid,
            ask_at timestamptz, asked_at timestamptz, ask_result text NOT NULL DEFAULT '',
            scale text NOT NULL DEFAULT '', rating smallint, rated_at timestamptz,
            PRIMARY KEY (tenant_id, id),
            FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute(
        "CREATE INDEX conversation_cases_opened_idx"
        " ON conversation_cases (tenant_id, opened_at, id)"
    )
    op.execute(
        "CREATE INDEX conversation_cases_of_idx"
        " ON conversation_cases (tenant_id, conversation_id, id)"
    )
    op.execute(
        "CREATE INDEX conversation_cases_ask_idx ON conversation_cases (tenant_id, ask_at)"
        " WHERE ask_at IS NOT NULL"
    )
    op.execute("""
        CREATE TABLE scheduled_replies (
            tenant_id bigint NOT NULL, id uuid NOT NULL, conversation_id uuid NOT NULL,
            kind text NOT NULL, text text NOT NULL, content jsonb NOT NULL,
            category text NOT NULL, state text NOT NULL, due_at timestamptz NOT NULL,
            by_person uuid, by_name text NOT NULL, message_id uuid, error text NOT NULL,
            created_at timestamptz NOT NULL, changed_at timestamptz NOT NULL,
            PRIMARY KEY (tenant_id, id),
            FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute(
        "CREATE INDEX scheduled_replies_due_idx ON scheduled_replies (tenant_id, due_at, id)"
        " WHERE state = 'scheduled'"
    )
    op.execute(
        "CREATE INDEX scheduled_replies_of_idx"
        " ON scheduled_replies (tenant_id, conversation_id, id)"
    )
    for table in reversed(TABLES):
        own_by_tenant(table)


def downgrade() -> None:
    op.execute(f"DELETE FROM conversation_notes WHERE kind NOT IN ({KINDS})")
    _note_kinds(KINDS)
    for table in TABLES:
        op.execute(f"DROP TABLE {table}")
    for column in COLUMNS:
        op.execute(f"ALTER TABLE conversations DROP COLUMN {column}")
