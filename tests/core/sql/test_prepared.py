"""Statements that are planned once for each connection."""

import pytest
from sqlalchemy import ARRAY, BigInteger, Text, any_, bindparam, cast, literal, select, text

from core.db import THIS_TENANT, db, read_rows
from core.sql.prepared import MOST_STATEMENTS, NAMES, PLAN_ONCE
from tenants.models import Member, Tenant

NAME = select(Tenant.name).where(Tenant.id == THIS_TENANT)


def prepared():
    return db.session.scalars(text("SELECT statement FROM pg_prepared_statements")).all()


def test_a_statement_is_prepared_once_and_sees_the_current_data(restaurant):
    with restaurant.scope():
        before = len(prepared())
        assert [row.name for row in read_rows(NAME)] == ["Lokanta Mavi"]
        known = len(prepared())
        assert known in (before, before + 1)  # another test may have used this connection
        db.session.get(Tenant, restaurant.tenant_id).name = "Renamed"
        assert [row.name for row in read_rows(NAME)] == ["Renamed"]  # changes are written first
        assert len(prepared()) == known


def test_a_prepared_statement_reads_the_rows_of_the_current_tenant(restaurant, shop):
    everybody = select(Member.id, Member.tenant_id).where(Member.tenant_id == THIS_TENANT)
    for tenant in (restaurant, shop, restaurant):
        with tenant.scope():
            assert {row.tenant_id for row in read_rows(everybody)} == {tenant.tenant_id}


def test_parameters_keep_their_types(restaurant):
    texts = bindparam("texts", type_=ARRAY(Text))
    statement = select(
        literal("50%").label("percent"),
        (literal("b") == any_(texts)).label("found"),
        (cast(2, BigInteger) > bindparam("number", type_=BigInteger)).label("smaller"),
    )
    for number, smaller in ((1, True), (10, False), (None, None)):
        with restaurant.scope():
            (row,) = read_rows(statement, {"texts": ["a", "b"], "number": number})
            assert (row.percent, row.found, row.smaller) == ("50%", True, smaller)


def test_a_connection_has_a_limited_number_of_prepared_statements(restaurant):
    with restaurant.scope():
        connection = db.session.connection()
        kept = dict(connection.info.get(NAMES, {}))
        connection.info[NAMES] = {str(number): "name" for number in range(MOST_STATEMENTS)}
        try:
            assert read_rows(select(literal(1).label("one")))[0].one == 1
            assert len(connection.info[NAMES]) == MOST_STATEMENTS
        finally:
            connection.info[NAMES] = kept


@pytest.mark.parametrize("marked", [True, False])
def test_only_marked_statements_are_prepared(restaurant, marked):
    statement = text(f"SELECT 'marked {marked}' AS word").execution_options(**{PLAN_ONCE: marked})
    with restaurant.scope():
        assert db.session.scalar(statement) == f"marked {marked}"
        assert any(f"marked {marked}" in one for one in prepared()) is marked
