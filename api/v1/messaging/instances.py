"""Lines, called instances in the API, and their state."""

from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.v1 import v1
from api.v1.schemas.messaging.instances import (
    InstancePage,
    InstancePath,
    InstanceShape,
)
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import NotFound
from messaging.api_caller import ApiCaller
from messaging.lines import recipient_limits
from messaging.lines import repository as line_repository
from messaging.lines.capabilities import capabilities
from messaging.models import Line
from messaging.reasons import NETWORK_REASONS

TAG = Tag(name="Instances")


@v1.get("/instances", tags=[TAG], summary="List lines", responses={200: InstancePage})
@key_may("lines", test_keys=True)
def list_instances() -> dict[str, Any]:
    """Returns all of them."""
    with tenant_scope(g.tenant_id):
        lines = [line for line in line_repository.list_lines() if _may_see(line)]
    return {"data": [instance_json(line) for line in lines], "next": None}


@v1.get(
    "/instances/<int:instance_id>",
    tags=[TAG],
    summary="Get a line and its health",
    responses={200: InstanceShape},
)
@key_may("lines", test_keys=True)
def read_instance(path: InstancePath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return instance_json(visible(path.instance_id))


def visible(instance_id: int) -> Line:
    line = line_repository.get(instance_id)
    if not _may_see(line):
        raise NotFound()
    return line


def _may_see(line: Line) -> bool:
    caller: ApiCaller = g.caller
    return line.test or caller.visible_line_ids is None or line.id in caller.visible_line_ids


def instance_json(line: Line) -> dict[str, Any]:
    return {
        "id": line.id,
        "name": line.name,
        "kind": line.kind,
        "network": line.network,
        "phone": line.phone,
        "state": line.state,
        "state_because": NETWORK_REASONS.english(line.state_because),
        "state_at": rfc3339(line.state_at),
        "enabled": line.enabled,
        "is_default": line.is_default,
        "test": line.test,
        "messages_per_second": float(line.per_second),
        "fallback_instance_id": line.fallback_line_id,
        "created_at": rfc3339(line.created_at),
        "can": capabilities(line.kind),
        "quality": line.quality or None,
        "recipient_limit": _recipient_limit_json(line),
        "direct_send": line.direct_send,
    }


def _recipient_limit_json(line: Line) -> dict[str, Any] | None:
    """None if the network has not reported a limit."""
    if not line.recipient_limit:
        return None
    limit = recipient_limits.limit_of(line)
    used = recipient_limits.used_recipients(limit) if limit is not None else None
    return {
        "per_day": limit.most if limit is not None else None,
        "used": used.used if used is not None else None,
    }
