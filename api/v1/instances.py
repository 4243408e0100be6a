"""Lines, called instances on the wire: which there are and how they are."""

from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel, Field

from api.auth import key_may
from api.v1 import v1
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import NotFound
from messaging import lines_book
from messaging.callers import Caller
from messaging.models import Line

TAG = Tag(name="Instances")


class InstancePath(BaseModel):
    instance_id: int = Field(ge=1, le=2**31 - 1)


class InstanceShape(BaseModel):
    id: int
    name: str
    kind: str = Field(description="cloud", examples=["cloud"])
    network: str = Field(examples=["whatsapp"])
    phone: str
    state: str = Field(examples=["connected"])
    state_because: str
    state_at: str
    enabled: bool
    is_default: bool = Field(description="Used when a send names no instance_id.")
    test: bool = Field(description="The simulated line of test keys.")
    messages_per_second: float
    created_at: str


class InstancePage(BaseModel):
    data: list[InstanceShape]
    next: None


@v1.get("/instances", tags=[TAG], summary="List lines", responses={200: InstancePage})
@key_may("lines")
def list_instances() -> dict[str, Any]:
    """All of them: a business has a handful."""
    with tenant_scope(g.tenant_id):
        lines = [line for line in lines_book.listed() if _may_see(line)]
    return {"data": [instance_json(line) for line in lines], "next": None}


@v1.get(
    "/instances/<int:instance_id>",
    tags=[TAG],
    summary="One line and its health",
    responses={200: InstanceShape},
)
@key_may("lines")
def read_instance(path: InstancePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        line = lines_book.get(path.instance_id)
    if not _may_see(line):
        raise NotFound()
    return instance_json(line)


def _may_see(line: Line) -> bool:
    caller: Caller = g.caller
    return line.test or caller.key.line_ids is None or line.id in caller.key.line_ids


def instance_json(line: Line) -> dict[str, Any]:
    return {
        "id": line.id,
        "name": line.name,
        "kind": line.kind,
        "network": line.network,
        "phone": line.phone,
        "state": line.state,
        "state_because": line.state_because,
        "state_at": rfc3339(line.state_at),
        "enabled": line.enabled,
        "is_default": line.is_default,
        "test": line.test,
        "messages_per_second": float(line.per_second),
        "created_at": rfc3339(line.created_at),
    }
