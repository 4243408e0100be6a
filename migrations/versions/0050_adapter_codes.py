"""The registries of the adapters decide which codes are valid; the tables accept any."""

from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

CHECKS = {
    ("payment_accounts", "provider"): ("stripe", "iyzico", "simulated"),
    ("connections", "kind"): ("shopify", "woocommerce", "store", "form"),
    ("lines", "kind"): ("cloud", "linked"),
    ("printers", "way"): ("agent", "cloudprnt", "server_direct"),
}


def upgrade() -> None:
    for table, column in CHECKS:
        op.execute(f"ALTER TABLE {table} DROP CONSTRAINT {table}_{column}_check")


def downgrade() -> None:
    for (table, column), codes in CHECKS.items():
        known = ", ".join(f"'{code}'" for code in codes)
        op.execute(
            f"ALTER TABLE {table} ADD CONSTRAINT {table}_{column}_check"
            f" CHECK ({column} IN ({known}))"
        )
