"""What defines a tool: its name, its scope, its arguments and what it does."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from messaging.api_caller import ApiCaller
from messaging.approvals.submit import SendingApp


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WriteArguments(Arguments):
    idempotency_key: str | None = Field(
        None,
        min_length=1,
        max_length=120,
        description="Repeat a call with the same key and it has no second effect.",
    )


@dataclass(frozen=True)
class ToolCall:
    """Who calls: the key's rights, and the names for audit log and approvals."""

    caller: ApiCaller
    app: SendingApp


@dataclass(frozen=True)
class Tool:
    name: str
    title: str
    description: str
    scope: str
    """Of tenants/rights.py; empty for a tool of a public server."""
    arguments: type[Arguments]
    run: Callable[[Any, Any], dict[str, Any]]
    """Gets the ToolCall and the arguments, in the tenant's transaction."""
    test_keys: bool = False
    """Also for test keys, which see only test rows and reach only simulated phones."""
    reads_only: bool = True
    reaches_people: bool = False
    """Something may reach a person outside."""


@lru_cache(maxsize=256)
def _schema(arguments: type[Arguments]) -> dict[str, Any]:
    found: dict[str, Any] = _without_titles(arguments.model_json_schema())
    found.pop("description", None)
    return found


def _without_titles(part: Any) -> Any:
    """Pydantic repeats each field's name as its title."""
    if isinstance(part, list):
        return [_without_titles(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        name: _without_titles(value)
        for name, value in part.items()
        if not (name == "title" and isinstance(value, str))
    }


def tool_json(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": _schema(tool.arguments),
        "annotations": {
            "readOnlyHint": tool.reads_only,
            "destructiveHint": False,
            "idempotentHint": tool.reads_only,
            "openWorldHint": tool.reaches_people,
        },
    }
