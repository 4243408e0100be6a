"""People, tenants, members, API keys, usage, audit."""

from alembic import op

from migrations.tenancy import grant, own_by_tenant

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

OF_PERSON = "person_id uuid NOT NULL REFERENCES people (id) ON DELETE CASCADE"

GLOBAL = {
    "tenants": """
        id bigint NOT NULL PRIMARY KEY,
        name text NOT NULL,
        state text NOT NULL CONSTRAINT tenants_state_check
            CHECK (state IN ('active', 'suspended', 'closed')),
        plan text NOT NULL,
        created_at timestamptz NOT NULL,
        suspended_at timestamptz,
        suspended_because text
    """,
    "people": """
        id uuid NOT NULL PRIMARY KEY,
        email text NOT NULL,
        email_key text NOT NULL UNIQUE,
        name text NOT NULL,
        password_hash text NOT NULL,
        verified_at timestamptz,
        locale text NOT NULL,
        time_zone text NOT NULL,
        theme text NOT NULL,
        totp_secret text,
        totp_used_step bigint,
        two_step_since timestamptz,
        operator boolean NOT NULL,
        created_at timestamptz NOT NULL
    """,
    "recovery_codes": f"""
        {OF_PERSON},
        code_hash text NOT NULL,
        used_at timestamptz,
        PRIMARY KEY (person_id, code_hash)
    """,
    "sign_ins": f"""
        id uuid NOT NULL PRIMARY KEY,
        {OF_PERSON},
        token_hash text NOT NULL UNIQUE,
        tenant_id bigint,
        address text NOT NULL,
        agent text NOT NULL,
        created_at timestamptz NOT NULL,
        seen_at timestamptz NOT NULL,
        ended_at timestamptz
    """,
    "person_tokens": f"""
        token_hash text NOT NULL PRIMARY KEY,
        {OF_PERSON},
        purpose text NOT NULL,
        detail text NOT NULL,
        expires_at timestamptz NOT NULL,
        used_at timestamptz
    """,
    "person_events": f"""
        id uuid NOT NULL PRIMARY KEY,
        {OF_PERSON},
        at timestamptz NOT NULL,
        act text NOT NULL,
        address text NOT NULL
    """,
    "memberships": f"""
        {OF_PERSON},
        tenant_id bigint NOT NULL,
        PRIMARY KEY (person_id, tenant_id)
    """,
}

OWNED = {
    "accounts": """
        tenant_id bigint NOT NULL PRIMARY KEY,
        locale text NOT NULL,
        time_zone text NOT NULL,
        country text NOT NULL,
        currency text NOT NULL,
        rate_per_second integer,
        burst integer,
        monthly_messages integer,
        spend_cap_usd numeric(14, 6),
        trial_started_at timestamptz,
        trial_used integer NOT NULL
    """,
    "usage_months": """
        tenant_id bigint NOT NULL,
        month date NOT NULL,
        messages integer NOT NULL,
        spend_usd numeric(14, 6) NOT NULL,
        warned_percent integer NOT NULL,
        PRIMARY KEY (tenant_id, month)
    """,
    "members": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        person_id uuid NOT NULL,
        role text NOT NULL CONSTRAINT members_role_check
            CHECK (role IN ('owner', 'admin', 'inbox', 'manager', 'waiter', 'viewer')),
        joined_at timestamptz NOT NULL,
        seen_at timestamptz,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, person_id)
    """,
    "invitations": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        email text NOT NULL,
        email_key text NOT NULL,
        role text NOT NULL,
        token_hash text NOT NULL,
        invited_by text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        accepted_at timestamptz,
        revoked_at timestamptz,
        PRIMARY KEY (tenant_id, id)
    """,
    "api_keys": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        mode text NOT NULL CONSTRAINT api_keys_mode_check CHECK (mode IN ('live', 'test')),
        prefix text NOT NULL,
        key_hash text NOT NULL,
        scopes text[] NOT NULL,
        line_ids bigint[],
        rate_per_second integer,
        created_by text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz,
        revoked_at timestamptz,
        last_used_at timestamptz,
        replaces uuid,
        PRIMARY KEY (tenant_id, id),
        UNIQUE (tenant_id, key_hash),
        FOREIGN KEY (tenant_id, replaces) REFERENCES api_keys (tenant_id, id)
    """,
    "idempotency_keys": """
        tenant_id bigint NOT NULL,
        key text NOT NULL,
        fingerprint text NOT NULL,
        created_at timestamptz NOT NULL,
        status integer,
        headers jsonb,
        body text,
        PRIMARY KEY (tenant_id, key)
    """,
    "audit_entries": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        at timestamptz NOT NULL,
        actor_kind text NOT NULL,
        actor_id text NOT NULL,
        actor_name text NOT NULL,
        act text NOT NULL,
        subject text NOT NULL,
        detail jsonb NOT NULL,
        address text NOT NULL,
        request_id text NOT NULL,
        PRIMARY KEY (tenant_id, id)
    """,
}

INDEXES = (
    "sign_ins_person_id_idx ON sign_ins (person_id)",
    "person_tokens_person_id_idx ON person_tokens (person_id)",
    "person_events_person_id_id_idx ON person_events (person_id, id)",
    "invitations_tenant_id_email_key_idx ON invitations (tenant_id, email_key)",
    "idempotency_keys_tenant_id_created_at_idx ON idempotency_keys (tenant_id, created_at)",
    "audit_entries_tenant_id_act_id_idx ON audit_entries (tenant_id, act, id)",
    "tenants_created_at_idx ON tenants (created_at, id)",
)


def upgrade() -> None:
    for table, columns in GLOBAL.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        grant(table)
    for table, columns in OWNED.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")


def downgrade() -> None:
    for table in (*reversed(OWNED), *reversed(GLOBAL)):
        op.execute(f"DROP TABLE {table}")
