"""Find SQL that would not work on several machines, in texts and in code that builds statements."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

# Rows of these tables belong to no tenant, so workers may skip each other's locks on them.
MAY_SKIP_LOCKED = {"lanes": Path("core/queue/lanes.py"), "mails": Path("core/mail.py")}

VERB = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|MERGE|SET|LISTEN|NOTIFY|UNLISTEN|GRANT|"
    r"REFERENCES|WITH)\b"
)
NOW = r"(now\s*\(|current_timestamp|clock_timestamp|transaction_timestamp|localtimestamp)"
RULES = {
    "serial ids": re.compile(
        r"\b(big|small)?serial\b|\bnextval\s*\(|\bCREATE\s+SEQUENCE\b", re.IGNORECASE
    ),
    "a trigger": re.compile(
        r"\bCREATE\s+(OR\s+REPLACE\s+)?(CONSTRAINT\s+)?TRIGGER\b", re.IGNORECASE
    ),
    "a rule": re.compile(r"\bCREATE\s+(OR\s+REPLACE\s+)?RULE\b", re.IGNORECASE),
    "ON DELETE SET NULL": re.compile(
        r"\bON\s+(DELETE|UPDATE)\s+SET\s+(NULL|DEFAULT)\b", re.IGNORECASE
    ),
    "MERGE": re.compile(r"\bMERGE\s+INTO\b", re.IGNORECASE),
    "set_config for the tenant": re.compile(r"\bset_config\s*\(\s*'app\.", re.IGNORECASE),
    "LISTEN or NOTIFY": re.compile(
        r"^\s*(UN)?LISTEN\b|^\s*NOTIFY\s+\w|\bpg_notify\b", re.IGNORECASE | re.MULTILINE
    ),
    "an advisory lock": re.compile(r"\bpg_(try_)?advisory_", re.IGNORECASE),
    "the clock in ON CONFLICT": re.compile(
        rf"\bDO\s+UPDATE\s+SET\b.*?{NOW}", re.IGNORECASE | re.DOTALL
    ),
    "the clock in RETURNING": re.compile(rf"\bRETURNING\b.*?{NOW}", re.IGNORECASE | re.DOTALL),
    "several columns IN a subquery over arrays": re.compile(
        r"\([\w.]+(,\s*[\w.]+)+\)\s+(NOT\s+)?IN\s*\(\s*SELECT\b[^()]*\bFROM\s+unnest\b",
        re.IGNORECASE,
    ),
    "a time plus an interval in an UPDATE (write it in UTC)": re.compile(
        r"\bUPDATE\b[^;]*\bSET\b[^;]*\w_at\s*[+-]\s*(:|%\(|interval\b|CAST\b|make_interval\b)",
        re.IGNORECASE,
    ),
    "the clock in CASE or COALESCE of an UPDATE": re.compile(
        rf"\bUPDATE\b[^;]*\bSET\b[^;]*\b(CASE\b|coalesce\s*\()(?:(?!\bEND\b|;).)*?{NOW}",
        re.IGNORECASE | re.DOTALL,
    ),
}
INSERT_SELECT = re.compile(r"\bINSERT\s+INTO\b[^;]*?\bSELECT\b", re.IGNORECASE | re.DOTALL)
SKIP_LOCKED = re.compile(
    r"\bFROM\s+(\w+)\b(?:(?!\bFROM\b).)*?\bSKIP\s+LOCKED\b", re.IGNORECASE | re.DOTALL
)


def statement_faults(sql: str) -> list[str]:
    found = [f"{what}: {sql.strip()}" for what, rule in RULES.items() if rule.search(sql)]
    if INSERT_SELECT.search(sql) and not re.search(r"\bRETURNING\b", sql, re.IGNORECASE):
        found.append(f"INSERT … SELECT without RETURNING: {sql.strip()}")
    if re.search(r"\bSKIP\s+LOCKED\b", sql, re.IGNORECASE):
        tables = set(SKIP_LOCKED.findall(sql))
        inside_one = re.search(r"\btenant_id\s*=\s*(%\(|:|p_tenant\b)", sql)
        if not inside_one and (not tables or not tables <= set(MAY_SKIP_LOCKED)):
            found.append(f"SKIP LOCKED over several tenants' rows: {sql.strip()}")
    return found


def source_faults(path: Path, source: str) -> list[str]:
    """Violations in a module's SQL texts and in the statements it builds with SQLAlchemy."""
    nodes = list(ast.walk(ast.parse(source)))
    found = [f"{path}: {fault}" for text in _sql_texts(nodes) for fault in statement_faults(text)]
    return found + [f"{path}:{line}: {fault}" for line, fault in _calls(path, nodes)]


def _sql_texts(nodes: list[ast.AST]) -> Iterator[str]:
    documents = {id(doc) for doc in _docstrings(nodes)}
    inside = {
        id(part)
        for node in nodes
        if isinstance(node, ast.JoinedStr)
        for part in ast.walk(node)
        if part is not node
    }
    for node in nodes:
        if id(node) in documents or id(node) in inside:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        elif isinstance(node, ast.JoinedStr):
            text = "".join(p.value if isinstance(p, ast.Constant) else " x " for p in node.values)
        else:
            continue
        if VERB.search(text) or "\n" in text:
            yield text


def _docstrings(nodes: list[ast.AST]) -> Iterator[ast.AST]:
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def _calls(path: Path, nodes: list[ast.AST]) -> Iterator[tuple[int, str]]:
    returned = {
        id(inner)
        for node in nodes
        if isinstance(node, ast.Call) and _name(node) == "returning"
        for inner in ast.walk(node.func)
    }
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        name = _name(node)
        keywords = {word.arg: word.value for word in node.keywords}
        if name == "with_for_update" and "skip_locked" in keywords:
            if path not in MAY_SKIP_LOCKED.values():
                yield node.lineno, "SKIP LOCKED outside the global tables"
        elif name in ("ForeignKey", "ForeignKeyConstraint"):
            rule = keywords.get("ondelete")
            if isinstance(rule, ast.Constant) and "SET" in str(rule.value).upper():
                yield node.lineno, "ON DELETE SET NULL"
        elif name in ("Sequence", "set_config", "pg_notify", "DDL", "FetchedValue"):
            yield node.lineno, f"{name}(…)"
        elif name.startswith(("pg_advisory", "pg_try_advisory")):
            yield node.lineno, "an advisory lock"
        elif name == "from_select" and id(node) not in returned:
            yield node.lineno, "INSERT … SELECT without RETURNING"
        elif name in ("on_conflict_do_update", "returning") and _asks_the_clock(node):
            yield node.lineno, f"the database's clock inside {name}"


def _name(node: ast.Call) -> str:
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _asks_the_clock(call: ast.Call) -> bool:
    """True for func.now() in the arguments; the service's own now() is a parameter and is
    allowed.
    """
    values = [*call.args, *(word.value for word in call.keywords)]
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "func"
        and node.attr in ("now", "current_timestamp", "clock_timestamp", "localtimestamp")
        for value in values
        for node in ast.walk(value)
    )
