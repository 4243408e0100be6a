"""Check every statement sent during a test, as a distributed database would.

A tenant-owned table must be used with its tenant as a parameter, and that must be the tenant of the
transaction: row-level security is the last defence, not the filter.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from core.db import Base, _scope
from tests.architecture.tenancy.sql_rules import statement_faults

PARAMETER = re.compile(r"\s*=\s*%\((\w+)\)s")
# A table that a statement reads or writes, with its alias.
TABLE = re.compile(
    r"\b(FROM|JOIN|UPDATE|INTO|USING)\s+(?:ONLY\s+)?(?:public\.)?\"?(\w+)\"?"
    r"(?:\s+(?:AS\s+)?(?!(?:WHERE|SET|ON|JOIN|LEFT|INNER|ORDER|FOR|VALUES|SELECT)\b)([a-z]\w*))?",
    re.IGNORECASE,
)


@cache
def tenant_tables() -> frozenset[str]:
    return frozenset(
        table.name
        for table in Base.metadata.tables.values()
        if next(iter(table.primary_key.columns)).name == "tenant_id"
    )


FROM_LIST = re.compile(
    r"\bFROM\s+([\w\s,]+?)(?=\b(?:WHERE|JOIN|ORDER|GROUP|LIMIT|RETURNING|FOR|ON|SET)\b|[;()]|$)",
    re.IGNORECASE,
)


def tables_in(sql: str) -> list[tuple[str, str, str]]:
    """Where a table is read or written: the verb, the table, and its alias."""
    found = list(TABLE.findall(sql))
    for listed in FROM_LIST.findall(sql):
        for more in listed.split(",")[1:]:
            words = [word for word in more.split() if word.upper() != "AS"]
            if words:
                found.append(("FROM", words[0], words[1] if len(words) > 1 else ""))
    return found


def tenant_faults(
    sql: str, parameters: Any, tenant_id: int | None, tables: frozenset[str]
) -> list[str]:
    faults, named = _read(sql, tables)
    return list(faults) + [
        f"{table} is touched with a tenant that is not the transaction's: {sql}"
        for table, parameter in named
        if not _all_are(tenant_id, parameter, parameters)
    ]


@cache
def _read(sql: str, tables: frozenset[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The faults of the text itself, and the parameters that name a tenant."""
    faults, parameters = [], []
    for verb, table, alias in tables_in(sql):
        if table not in tables:
            continue
        if verb.upper() == "INTO":
            columns = sql.partition("(")[2].partition(")")[0]
            if "tenant_id" not in re.findall(r"\w+", columns):
                faults.append(f"{table} is written without its tenant: {sql}")
            continue
        named = re.search(rf"\b{alias or table}\.tenant_id{PARAMETER.pattern}", sql)
        if named is None and not alias:
            named = re.search(rf"(?<![.\w])tenant_id{PARAMETER.pattern}", sql)
        if named is None:
            faults.append(f"{table} is touched without naming the tenant: {sql}")
        else:
            parameters.append((table, named[1]))
    return faults, parameters


def _all_are(tenant_id: int | None, name: str, parameters: Any) -> bool:
    rows = parameters if isinstance(parameters, list) else [parameters]
    return tenant_id is None or all(row.get(name) == tenant_id for row in rows)


_dialect_faults = cache(statement_faults)


@contextmanager
def watch_sql() -> Iterator[list[str]]:
    """Collects faults instead of raising them, so that code under test cannot swallow them."""
    found: list[str] = []
    tables = tenant_tables()

    def look(_c: Any, _cursor: Any, sql: str, parameters: Any, _ctx: Any, _many: bool) -> None:
        scope = _scope.get()
        if scope is None:
            return  # a migration, or the test itself
        found.extend(tenant_faults(sql, parameters, scope.tenant_id, tables))
        found.extend(_dialect_faults(sql))

    event.listen(Engine, "before_cursor_execute", look)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", look)
