"""Migration 0048 turns stored sentences into codes, and its way back restores every text."""

from dataclasses import replace
from importlib import import_module

import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import text

from core.values.reasons import OTHER, decode_reason
from tests.architecture.test_migrations import engine_of

COLUMNS = import_module("migrations.versions.0048_reason_codes").COLUMNS
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
            moved = replace(column, table="old", where="true")
            stored = text(f"SELECT {column.column} FROM old ORDER BY n")
            with Operations.context(MigrationContext.configure(connection)):
                moved.to_codes()
                codes = list(connection.scalars(stored))
                moved.to_sentences()
                return codes, list(connection.scalars(stored))

        yield migrate
        connection.rollback()


@pytest.mark.parametrize("column", COLUMNS, ids=lambda one: f"{one.table}.{one.column}")
def test_sentences_become_codes_and_sentences_again(old_rows, column):
    continued = [f"{start}It's {{503}}" for start in column.prefixes.values()]
    texts = [*column.sentences.values(), *continued, BY_HAND, ""]
    codes, restored = old_rows(column, texts)
    assert restored == texts
    known = [*column.sentences, *column.prefixes]
    assert [decode_reason(one).code for one in codes[: len(known)]] == known
    assert codes[-1] == ""
    for code in codes[len(column.sentences) : len(known)]:
        assert decode_reason(code).values == {"detail": "It's {503}"}
    by_hand = decode_reason(codes[-2])
    assert (by_hand.code, by_hand.values["text"]) == (OTHER, BY_HAND)
