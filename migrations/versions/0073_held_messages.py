"""Messages of apps that wait for a person, and what each app may send without one."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE TABLE held_messages (
            tenant_id bigint NOT NULL, id uuid NOT NULL, key_id uuid NOT NULL,
            app_name text NOT NULL, for_person text NOT NULL, line_id integer NOT NULL,
            conversation_id uuid, kind text NOT NULL, phone text NOT NULL, text text NOT NULL,
            content jsonb NOT NULL, category text NOT NULL, reference text,
            quoted_usd numeric(14, 6) NOT NULL, test boolean NOT NULL, state text NOT NULL,
            created_at timestamptz NOT NULL, expires_at timestamptz NOT NULL,
            notified_at timestamptz, decided_at timestamptz, decided_by text NOT NULL,
            PRIMARY KEY (tenant_id, id))
    """)
    op.execute(
        "CREATE INDEX held_messages_waiting_idx ON held_messages (tenant_id, expires_at)"
        " WHERE state = 'held'"
    )
    op.execute("CREATE INDEX held_messages_phone_idx ON held_messages (tenant_id, phone)")
    op.execute("""
        CREATE TABLE send_policies (
            tenant_id bigint NOT NULL, key_id uuid NOT NULL, mode text NOT NULL,
            only_who_wrote boolean NOT NULL, no_marketing boolean NOT NULL,
            daily_messages integer NOT NULL, daily_usd numeric(14, 6) NOT NULL,
            hold_hours integer NOT NULL,
            PRIMARY KEY (tenant_id, key_id))
    """)
    op.execute("""
        CREATE TABLE send_policy_days (
            tenant_id bigint NOT NULL, key_id uuid NOT NULL, day date NOT NULL,
            messages integer NOT NULL, spend_usd numeric(14, 6) NOT NULL,
            PRIMARY KEY (tenant_id, key_id, day))
    """)
    op.execute("""
        CREATE TABLE approval_chats (
            tenant_id bigint NOT NULL, person_id uuid NOT NULL, line_id integer NOT NULL,
            code text NOT NULL, code_expires_at timestamptz NOT NULL, phone text,
            connected_at timestamptz,
            PRIMARY KEY (tenant_id, person_id))
    """)
    op.execute("CREATE UNIQUE INDEX approval_chats_code_idx ON approval_chats (tenant_id, code)")
    for table in ("held_messages", "send_policies", "send_policy_days", "approval_chats"):
        own_by_tenant(table)


def downgrade() -> None:
    for table in ("approval_chats", "send_policy_days", "send_policies", "held_messages"):
        op.execute(f"DROP TABLE {table}")
