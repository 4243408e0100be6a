"""Sent test messages are counted by day under their test line, like their receipts."""

from alembic import op

from migrations.sql.message_functions_0023 import SETTLE_SENT

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None

# Every sent message is counted; only those that are not tests are charged.
CHANGES = (
    (
        "array_agg(line_id) FILTER (WHERE NOT test), array_agg(country) FILTER (WHERE NOT test),",
        "array_agg(line_id), array_agg(country),",
    ),
    (
        "array_agg(category) FILTER (WHERE NOT test), array_agg(cost_usd) FILTER (WHERE NOT test)",
        "array_agg(category), array_agg(cost_usd)",
    ),
    ("    IF v_paid <> '{}' THEN\n", "    IF v_done <> '{}' THEN\n"),
    (
        """              FROM unnest(v_paid, v_lines, v_countries, v_categories, v_costs)
                   AS paid (i, line_id, country, category, cost)
""",
        """              FROM unnest(v_done, v_lines, v_countries, v_categories, v_costs)
                   AS paid (i, line_id, country, category, cost)
             WHERE paid.i = ANY (v_paid)
""",
    ),
)


def counting() -> str:
    function = SETTLE_SENT
    for before, after in CHANGES:
        if before not in function:
            raise RuntimeError("app.settle_sent is not the one that this migration changes")
        function = function.replace(before, after)
    return function


def upgrade() -> None:
    op.execute(counting())


def downgrade() -> None:
    op.execute(SETTLE_SENT)
