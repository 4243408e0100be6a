"""Migrations turn stored sentences into codes, and their way back restores every text."""

from dataclasses import replace
from importlib import import_module

import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import text

from core.values.reasons import OTHER, decode_reason, encode_other, encode_reason, join_reasons
from messaging import reasons
from messaging.automations.reasons import AUTOMATION_REASONS
from messaging.reasons import NETWORK_REASONS, with_quote
from printing.reasons import PRINTING_REASONS
from restaurant.orders.hold_reasons import FREE_TEXT, ORDER_REASONS
from restaurant.payments.reasons import PAYMENT_REASONS
from tests.architecture.test_migrations import engine_of
from webhooks.delivery.reasons import DELIVERY_REASONS
from webhooks.inbound import reasons as hook_reasons
from webhooks.inbound.reasons import HOOK_REASONS

MIGRATIONS = [
    import_module(f"migrations.versions.{name}")
    for name in ("0048_reason_codes", "0051_hook_and_payment_reasons")
]
COLUMNS = [column for migration in MIGRATIONS for column in migration.COLUMNS]
REWRITTEN = [column for column in COLUMNS if not column.has_codes]
LIVE = {
    "printing": PRINTING_REASONS,
    "network": NETWORK_REASONS,
    "orders": ORDER_REASONS,
    "automations": AUTOMATION_REASONS,
    "webhooks": DELIVERY_REASONS,
    "hooks": HOOK_REASONS,
    "payments": PAYMENT_REASONS,
}
VALUES = {
    "types": "SPAM",
    "limit": "1K",
    "status": "502",
    "said": "It did not answer",
    "topic": "orders/paid",
    "known": "order.created",
    "event": "sold",
    "error": "NUL",
    "kind": "toy",
    "provider": "Toy",
    "number": "1",
    "place": "message 1",
    "currency": "JPY",
}
BY_HAND = 'The guest said "later".\nAnd \\o/ 5 % off'


@pytest.fixture
def old_rows(database, restaurant):
    """A function that migrates the given texts of a column, and back."""
    with engine_of(database).connect() as connection:

        def migrate(column, texts):
            connection.execute(
                text(f"CREATE TEMPORARY TABLE old (tenant_id bigint, n int, {column.column} text)")
            )
            for number, one in enumerate(texts):
                connection.execute(
                    text("INSERT INTO old VALUES (:tenant, :n, :text)"),
                    {"tenant": restaurant.tenant_id, "n": number, "text": one},
                )
            moved = replace(column, table="old")
            stored = text(f"SELECT {column.column} FROM old ORDER BY n")
            with Operations.context(MigrationContext.configure(connection)):
                moved.to_codes()
                codes = list(connection.scalars(stored))
                moved.to_sentences()
                return codes, list(connection.scalars(stored))

        yield migrate
        connection.rollback()


def ids_of(column):
    return f"{column.table}.{column.column}"


@pytest.mark.parametrize("column", REWRITTEN, ids=ids_of)
def test_sentences_become_codes_and_sentences_again(old_rows, column):
    sentences = [one.format(**VALUES) if "{" in one else one for one in column.sentences.values()]
    plain = [
        one for code, one in column.sentences.items() if "{" not in one and code not in column.whole
    ]
    continued = [f"{one}{column.joint}It's {{503}}" for one in plain]
    texts = [*sentences, *continued, BY_HAND, *column.keep, ""]
    codes, restored = old_rows(column, texts)
    assert restored == texts
    known = list(column.sentences)
    assert [decode_reason(one).code for one in codes[: len(known)]] == known
    end = len(known) + len(continued)
    for stored in codes[len(known) : end]:
        assert decode_reason(stored).values == {"detail": "It's {503}"}
    assert all(
        decode_reason(line).code == OTHER
        for line in (codes[end].split("\n") if column.by_line else [codes[end]])
    )
    assert codes[end + 1 :] == [*column.keep, ""]


def test_what_the_network_said_stays_behind_our_sentence(old_rows):
    (column,) = [one for one in REWRITTEN if ids_of(one) == "lines.state_because"]
    texts = [
        "The network refused the message. The network says: (#1) no: really",
        "The network has restricted this business account. It names SPAM, FRAUD.",
    ]
    codes, restored = old_rows(column, texts)
    assert restored == texts
    assert codes == [
        with_quote(reasons.REFUSED, "(#1) no: really"),
        encode_reason(
            reasons.ACCOUNT_RESTRICTED,
            then=encode_reason(reasons.VIOLATIONS_NAMED, types="SPAM, FRAUD"),
        ),
    ]


def test_each_line_of_a_note_is_a_reason(old_rows):
    (column,) = [one for one in COLUMNS if ids_of(one) == "orders.staff_note"]
    note = "Written by hand, without a code.\n3 x Uzaylı\npaid by Ayşe"
    codes, restored = old_rows(column, [note])
    assert restored == [note]
    assert codes == [
        join_reasons([FREE_TEXT, encode_other("3 x Uzaylı"), encode_other("paid by Ayşe")])
    ]


def test_a_column_that_holds_codes_changes_only_its_sentences(old_rows):
    (column,) = [one for one in COLUMNS if one.has_codes]
    sentences = list(column.sentences.values())
    texts = [*sentences, reasons.TOKEN_REJECTED, with_quote(reasons.REFUSED, "no"), BY_HAND]
    codes, restored = old_rows(column, texts)
    assert restored == texts
    assert codes == [*column.sentences, *texts[len(sentences) :]]


def test_each_part_of_a_hook_has_its_own_reason():
    (column,) = [one for one in COLUMNS if ids_of(one) == "received_hooks.error"]
    stored = join_reasons(
        [
            hook_reasons.with_values(hook_reasons.PART_WITHOUT_ID, place="entry[0]"),
            hook_reasons.with_values(hook_reasons.RECEIPT_UNMATCHED, place="receipt 2"),
        ]
    )
    assert column.decode(stored) == (
        "entry[0] has no ID.\nreceipt 2 does not match a message that was sent."
    )


@pytest.mark.parametrize(
    ("migration", "kind"),
    [(migration, kind) for migration in MIGRATIONS for kind in migration.SENTENCES],
)
def test_the_program_knows_every_code_that_is_migrated(migration, kind):
    assert set(migration.SENTENCES[kind]) <= set(LIVE[kind])
