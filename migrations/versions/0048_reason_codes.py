"""Reasons are stored as codes with values; the sentence is made where it is shown."""

from migrations.reason_codes import ReasonColumn

revision = "0048"
down_revision = "0046"
branch_labels = None
depends_on = None

PRINTING = {
    "agent_removed": "Its print agent was removed.",
    "agent_silent": "Its print agent does not answer.",
    "printer_silent": "It does not ask for its tickets.",
    "no_result": "No word came back about this ticket.",
    "not_taken": "The printer did not take it in time.",
    "reported_offline": "The printer says that it is offline.",
    "printed_elsewhere": "Called off: the other printer has printed this ticket.",
}
RENDER_FAILED = {"render_failed": "This ticket could not be made ready for the printer: "}

COLUMNS = (
    ReasonColumn("printers", "detail", PRINTING),
    ReasonColumn("print_jobs", "detail", PRINTING, RENDER_FAILED),
)


def upgrade() -> None:
    for column in COLUMNS:
        column.to_codes()


def downgrade() -> None:
    for column in COLUMNS:
        column.to_sentences()
