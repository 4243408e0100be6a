"""Statements that PostgreSQL parses and plans once for each connection.

A statement that runs on every page, such as the one that finds the session, takes longer to plan
than to run. Mark it with `.execution_options(plan_once=True)`: it is then prepared when a
connection uses it for the first time, and executed by name afterwards. `core.db.read_rows` does so
for every statement. PostgreSQL takes the type of a parameter from its place: a parameter alone in
the list of columns is text. The elements of an array need their type: `ARRAY(Id("ord"))`.
"""

import re
from functools import lru_cache
from typing import Any

from sqlalchemy import Connection, Engine, event

PLAN_ONCE = "plan_once"
MOST_STATEMENTS = 200  # of one connection; each takes some memory in PostgreSQL
NAMES = "names of prepared statements"
_parameter = re.compile(r"%\((\w+)\)s")


def prepare_on(engine: Engine) -> None:
    event.listen(engine, "before_cursor_execute", _by_name, retval=True)


def _by_name(
    connection: Connection, cursor: Any, statement: str, parameters: Any, context: Any, many: bool
) -> tuple[str, Any]:
    if many or context is None or not context.execution_options.get(PLAN_ONCE):
        return statement, parameters
    names: dict[str, str] = connection.info.setdefault(NAMES, {})
    name = names.get(statement)
    definition, arguments = _prepared(statement)
    if name is None and len(names) == MOST_STATEMENTS:
        return statement, parameters
    if name is None:
        name = f"statement_{len(names) + 1}"
        cursor.execute(f"PREPARE {name} AS {definition}")
        names[statement] = name
    return f"EXECUTE {name}{arguments}", parameters


@lru_cache(maxsize=256)
def _prepared(statement: str) -> tuple[str, str]:
    """The statement with numbered parameters, and the list of its arguments."""
    parameters = list(dict.fromkeys(_parameter.findall(statement)))
    definition = _parameter.sub(lambda found: f"${parameters.index(found[1]) + 1}", statement)
    arguments = ", ".join(f"%({name})s" for name in parameters)
    return definition.replace("%%", "%"), f" ({arguments})" if parameters else ""
