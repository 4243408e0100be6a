"""Contacts: their data, their search tokens, imports, erasures."""

from alembic import op

from migrations.tenancy import own_by_tenant

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

COLUMNS = {
    "name_key": "text COLLATE \"C\" NOT NULL DEFAULT ''",
    "named_by": "text NOT NULL DEFAULT 'network'",
    "profile_name": "text NOT NULL DEFAULT ''",
    "tags": "text[] NOT NULL DEFAULT '{}'",
    "fields": "jsonb NOT NULL DEFAULT '{}'",
    "birthday": "smallint",
    "birth_year": "smallint",
    "consent_at": "timestamptz",
    "consent_source": "text NOT NULL DEFAULT ''",
    "opted_out_source": "text NOT NULL DEFAULT ''",
    "orders": "integer NOT NULL DEFAULT 0",
    "visits": "integer NOT NULL DEFAULT 0",
    "spent": "numeric(14, 2) NOT NULL DEFAULT 0",
    "last_order_at": "timestamptz",
}

CONTACT = (
    "FOREIGN KEY (tenant_id, contact_id) REFERENCES contacts (tenant_id, id) ON DELETE CASCADE"
)
IMPORT = (
    "FOREIGN KEY (tenant_id, import_id) REFERENCES contact_imports (tenant_id, id)"
    " ON DELETE CASCADE"
)

OWNED = {
    "contact_tokens": """
        tenant_id bigint NOT NULL,
        token text COLLATE "C" NOT NULL,
        contact_id uuid NOT NULL,
        PRIMARY KEY (tenant_id, token, contact_id)
    """,
    "contact_tags": """
        tenant_id bigint NOT NULL,
        key text NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, key)
    """,
    "contact_fields": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        kind text NOT NULL CONSTRAINT contact_fields_kind_check
            CHECK (kind IN ('text', 'number', 'date', 'choice')),
        choices text[] NOT NULL,
        position integer NOT NULL,
        created_at timestamptz NOT NULL,
        removed_at timestamptz,
        PRIMARY KEY (tenant_id, id)
    """,
    "contact_notes": f"""
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        contact_id uuid NOT NULL,
        text text NOT NULL,
        author text NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        {CONTACT}
    """,
    "contact_wishes": f"""
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        contact_id uuid NOT NULL,
        kind text NOT NULL CONSTRAINT contact_wishes_kind_check CHECK (kind IN
            ('consent', 'withdrawn', 'opted_out', 'opted_in', 'blocked', 'unblocked')),
        source text NOT NULL,
        author text NOT NULL,
        at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id),
        {CONTACT}
    """,
    "blocked_phones": """
        tenant_id bigint NOT NULL,
        phone text NOT NULL,
        contact_id uuid NOT NULL,
        PRIMARY KEY (tenant_id, phone)
    """,
    "contact_imports": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        state text NOT NULL CONSTRAINT contact_imports_state_check CHECK (state IN
            ('uploaded', 'checking', 'ready', 'importing', 'done', 'failed', 'cancelled')),
        file_name text NOT NULL,
        blob text NOT NULL,
        size bigint NOT NULL,
        encoding text NOT NULL,
        delimiter text NOT NULL,
        has_header boolean NOT NULL,
        columns jsonb NOT NULL,
        options jsonb NOT NULL,
        total integer NOT NULL,
        position integer NOT NULL,
        created integer NOT NULL,
        updated integer NOT NULL,
        repeated integer NOT NULL,
        rejected integer NOT NULL,
        error text NOT NULL,
        author text NOT NULL,
        created_at timestamptz NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, id)
    """,
    "contact_import_phones": f"""
        tenant_id bigint NOT NULL,
        import_id uuid NOT NULL,
        phone text NOT NULL,
        line integer NOT NULL,
        PRIMARY KEY (tenant_id, import_id, phone),
        {IMPORT}
    """,
    "contact_import_rejects": f"""
        tenant_id bigint NOT NULL,
        import_id uuid NOT NULL,
        line integer NOT NULL,
        field text NOT NULL,
        cause text NOT NULL,
        values jsonb NOT NULL,
        cells text[] NOT NULL,
        PRIMARY KEY (tenant_id, import_id, line),
        {IMPORT}
    """,
    "contact_erasures": """
        tenant_id bigint NOT NULL,
        id uuid NOT NULL,
        contact_id uuid NOT NULL,
        names jsonb NOT NULL,
        step text NOT NULL,
        reached text NOT NULL,
        found integer NOT NULL,
        author text NOT NULL,
        asked_at timestamptz NOT NULL,
        done_at timestamptz,
        PRIMARY KEY (tenant_id, id)
    """,
}

INDEXES = (
    "contacts_name_idx ON contacts (tenant_id, name_key, id)",
    "contacts_birthday_idx ON contacts (tenant_id, birthday, id) WHERE birthday IS NOT NULL",
    "contact_notes_contact_idx ON contact_notes (tenant_id, contact_id, id)",
    "contact_wishes_contact_idx ON contact_wishes (tenant_id, contact_id, id)",
    "contact_erasures_open_idx ON contact_erasures (tenant_id, id) WHERE done_at IS NULL",
)


def upgrade() -> None:
    added = ", ".join(f"ADD COLUMN {name} {kind}" for name, kind in COLUMNS.items())
    op.execute(f"ALTER TABLE contacts {added}")
    # A contact that was typed in or imported has never been seen.
    op.execute(
        "ALTER TABLE contacts ALTER COLUMN first_seen_at DROP NOT NULL,"
        " ALTER COLUMN last_seen_at DROP NOT NULL"
    )
    for table, columns in OWNED.items():
        op.execute(f"CREATE TABLE {table} ({columns})")
        own_by_tenant(table)
    for index in INDEXES:
        op.execute(f"CREATE INDEX {index}")


def downgrade() -> None:
    for table in reversed(OWNED):
        op.execute(f"DROP TABLE {table}")
    dropped = ", ".join(f"DROP COLUMN {name}" for name in COLUMNS)
    op.execute(f"ALTER TABLE contacts {dropped}")
    op.execute("ALTER TABLE contacts NO FORCE ROW LEVEL SECURITY")  # all tenants' rows
    op.execute("UPDATE contacts SET first_seen_at = now() WHERE first_seen_at IS NULL")
    op.execute("UPDATE contacts SET last_seen_at = first_seen_at WHERE last_seen_at IS NULL")
    op.execute(
        "ALTER TABLE contacts ALTER COLUMN first_seen_at SET NOT NULL,"
        " ALTER COLUMN last_seen_at SET NOT NULL, FORCE ROW LEVEL SECURITY"
    )
