"""Apps that people connect with OAuth: registered clients, what each may do, and its tokens."""

from alembic import op

from migrations.tenancy import grant, own_by_tenant

revision = "0074"
down_revision = "0073"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        CREATE TABLE oauth_clients (
            id text PRIMARY KEY, name text NOT NULL, uri text NOT NULL,
            redirect_uris text[] NOT NULL, auth_method text NOT NULL, secret_hash text,
            from_document boolean NOT NULL, created_at timestamptz NOT NULL,
            read_at timestamptz NOT NULL, used_at timestamptz)
    """)
    op.execute(
        "CREATE INDEX oauth_clients_unused_idx ON oauth_clients (created_at) WHERE used_at IS NULL"
    )
    grant("oauth_clients")
    op.execute("ALTER TABLE api_keys ADD COLUMN app boolean NOT NULL DEFAULT false")
    op.execute("""
        CREATE TABLE app_grants (
            tenant_id bigint NOT NULL, id uuid NOT NULL, client_id text NOT NULL,
            app_name text NOT NULL, person_id uuid NOT NULL, key_id uuid NOT NULL,
            resource text NOT NULL, created_at timestamptz NOT NULL, connected_at timestamptz,
            PRIMARY KEY (tenant_id, id))
    """)
    op.execute("CREATE INDEX app_grants_person_idx ON app_grants (tenant_id, person_id)")
    op.execute("""
        CREATE TABLE app_tokens (
            tenant_id bigint NOT NULL, token_hash text NOT NULL, grant_id uuid NOT NULL,
            kind text NOT NULL, expires_at timestamptz NOT NULL, used_at timestamptz,
            redirect_uri text NOT NULL, challenge text NOT NULL,
            PRIMARY KEY (tenant_id, token_hash),
            FOREIGN KEY (tenant_id, grant_id) REFERENCES app_grants (tenant_id, id)
                ON DELETE CASCADE)
    """)
    op.execute("CREATE INDEX app_tokens_grant_idx ON app_tokens (tenant_id, grant_id)")
    op.execute("CREATE INDEX app_tokens_expires_idx ON app_tokens (tenant_id, expires_at)")
    own_by_tenant("app_grants")
    own_by_tenant("app_tokens")


def downgrade() -> None:
    op.execute("DROP TABLE app_tokens")
    op.execute("DROP TABLE app_grants")
    op.execute("ALTER TABLE api_keys DROP COLUMN app")
    op.execute("DROP TABLE oauth_clients")
