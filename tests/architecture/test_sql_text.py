"""No SQL is made by replacing parts of a text.

A statement is a literal with bound parameters, or SQLAlchemy builds it; identifiers that are only
known at run time are quoted by `psycopg2.sql`. So a statement can be searched for, read in one
place, and never holds a value.

The test finds `replace`, `format`, `format_map`, `translate`, `substitute`, `re.sub` and `%` where
they are applied to a text that holds SQL, to a constant that does (in its module or imported), to
a variable that such a constant was assigned to, or inside the arguments of a call that runs SQL.
Joining constants with an f-string is not a replacement: ruff's S608 reviews those.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

FOLDERS = (
    *("api", "bench", "core", "deploy", "jobs", "messaging", "migrations"),
    *("portal", "printing", "restaurant", "tenants", "webhooks"),
)
SQL = re.compile(
    r"^\s*(WITH\s+\w+(\s+\([^)]*\))?\s+AS\b|SELECT\s|INSERT\s+INTO\s|UPDATE\s+\S+\s+(AS\s+\w+\s+)?SET\s"
    r"|DELETE\s+FROM\s|(CREATE|ALTER|DROP)\s+(OR\s+REPLACE\s+)?[A-Z]+\s|(GRANT|REVOKE)\s+[A-Z]+\s"
    r"|TRUNCATE\s|(AND|WHERE|OR)\s+(NOT\s+)?(EXISTS\b|\w+(\.\w+)?\s*(=|<|>|IN\b)))"
)
METHODS = {"replace", "format", "format_map", "translate", "substitute", "safe_substitute"}
RUNNERS = {"execute", "exec_driver_sql", "executemany", "text", "run_global", "scalars", "scalar"}
QUOTED = {"SQL", "Identifier", "Composed"}


def sources() -> Iterator[tuple[Path, list[ast.AST]]]:
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield path.relative_to(ROOT), nodes_of(path.read_text())


def nodes_of(source: str) -> list[ast.AST]:
    """All nodes of a module, found once: walking all modules takes seconds."""
    return list(ast.walk(ast.parse(source)))


def literal(node: ast.expr) -> str:
    """The text of a literal; what an f-string inserts is left out."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(literal(part) for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return literal(node.left) + literal(node.right)
    return ""


def last_name(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def is_sql(node: ast.expr, named: set[str]) -> bool:
    return bool(SQL.match(literal(node))) or last_name(node) in named


def assignments(nodes: list[ast.AST]) -> Iterator[tuple[str, ast.expr]]:
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield last_name(target), node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield last_name(node.target), node.value
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, ast.Name(alias.name)


def constants(modules: Iterable[list[ast.AST]]) -> set[str]:
    """Names of the constants that hold SQL."""
    return {
        name
        for nodes in modules
        for name, value in assignments(nodes)
        if name.isupper() and SQL.match(literal(value))
    }


def replacements(nodes: list[ast.AST], shared: set[str]) -> Iterator[int]:
    """The lines on which a text with SQL is changed."""
    assigned = list(assignments(nodes))
    own = {name for name, _ in assigned}
    imported = {last_name(node) for node in nodes if isinstance(node, ast.Attribute)}
    named = {name for name, value in assigned if SQL.match(literal(value))}
    named |= shared & (imported - own)
    while more := {name for name, value in assigned if is_sql(value, named | shared)} - named:
        named |= more
    run = [
        inner
        for node in nodes
        if isinstance(node, ast.Call) and last_name(node.func) in RUNNERS
        for argument in node.args[:1]
        for inner in statement_parts(argument)
    ]
    for node in nodes:
        if (changed := changed_text(node)) is None or is_quoted(changed):
            continue
        if is_sql(changed, named) or any(node is one for one in run):
            yield node.lineno


def statement_parts(node: ast.AST) -> Iterator[ast.AST]:
    """The parts that a statement's text is put together from; not the values it is given."""
    yield node
    if isinstance(node, ast.JoinedStr | ast.FormattedValue | ast.BinOp | ast.IfExp):
        for part in ast.iter_child_nodes(node):
            yield from statement_parts(part)


def changed_text(node: ast.AST) -> ast.expr | None:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return node.left
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    if node.func.attr in ("sub", "subn") and last_name(node.func.value) == "re":
        return node.args[2] if len(node.args) > 2 else None
    return node.func.value if node.func.attr in METHODS else None


def is_quoted(node: ast.expr) -> bool:
    """`psycopg2.sql` quotes what it inserts."""
    return isinstance(node, ast.Call) and last_name(node.func) in QUOTED


def test_no_sql_is_made_by_text_replacement():
    modules = dict(sources())
    shared = constants(modules.values())
    assert {"ACCEPT", "CLAIM_MESSAGES", "SETTLE_SENT"} <= shared
    found = [f"{path}:{n}" for path, nodes in modules.items() for n in replacements(nodes, shared)]
    assert not found


@pytest.mark.parametrize(
    "source",
    [
        'QUERY = "SELECT {what} FROM orders"\nrun(QUERY.format(what="id"))',
        'run("DELETE FROM %s" % table)',
        'OTHER = settle.SETTLE.replace("a", "b")',
        'def f():\n    query = settle.SETTLE\n    return query.replace("a", "b")',
        "op.execute(function.replace('CREATE', 'CREATE OR REPLACE'))",
        'run(re.sub("x", "y", "SELECT x FROM orders"))',
        'from sql import SETTLE as BEFORE\nAFTER = BEFORE.replace("a", "b")',
        'op.execute(f"ALTER TABLE {table.format(1)} ADD COLUMN a text")',
    ],
)
def test_each_way_of_replacing_is_found(source):
    assert list(replacements(nodes_of(source), {"SETTLE"}))


@pytest.mark.parametrize(
    "source",
    [
        'cursor.execute(sql.SQL("DELETE FROM {} WHERE id = %s").format(name), (1,))',
        'session.execute(text("SELECT 1 FROM orders"), {"q": words.replace("a", "b")})',
        "session.execute(update(Hook).values(error=words.replace('a', 'b')))",
        'SETTLE = "hello"\nprint(SETTLE.replace("a", "b"))',
        'op.execute(f"DROP TABLE {table}")',
        "minutes = length % 60",
    ],
)
def test_other_texts_may_change(source):
    assert not list(replacements(nodes_of(source), {"SETTLE"}))
