"""The Model Context Protocol over HTTP: one JSON-RPC request for each POST, without sessions.

Revision 2026-07-28 describes the client in every request; its headers repeat what a proxy may read
and must equal the body. Revision 2025-11-25 begins with `initialize`, which is answered without
remembering anything. https://modelcontextprotocol.io/specification
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from werkzeug.datastructures import Headers

from api.errors import validation_error
from api.mcp.tools.base import Tool, tool_json
from core.errors import DomainError, Invalid, NotFound
from core.ids import BadId
from core.values.text import BadText

CURRENT, EARLIER = "2026-07-28", "2025-11-25"
SUPPORTED = (CURRENT, EARLIER)
VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_KEY = "io.modelcontextprotocol/serverInfo"
SERVER_VERSION = "1.4"
DISCOVER_TTL_MS, LIST_TTL_MS = 3_600_000, 300_000

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
HEADER_MISMATCH, UNSUPPORTED_VERSION = -32020, -32022
HTTP_STATUS = {METHOD_NOT_FOUND: 404, INTERNAL_ERROR: 500}  # 400 for every other error


class ProtocolError(Exception):
    """A request that breaks the protocol."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code, self.data = code, data


@dataclass(frozen=True)
class McpServer:
    """What one server offers to one caller."""

    name: str
    title: str
    instructions: str
    tools: Sequence[Tool]
    call: Callable[[Tool, dict[str, Any]], dict[str, Any]]
    """Runs a tool; a DomainError becomes an answer that the model can read."""
    shared_list: bool = False
    """Every caller sees the same tools."""


@dataclass(frozen=True)
class RpcAnswer:
    status: int
    body: dict[str, Any] | None = field(default=None)


def answer_request(server: McpServer, body: Mapping[str, Any], headers: Headers) -> RpcAnswer:
    """Answer one request or notification."""
    request_id = body.get("id")
    try:
        _check_request(body)
        if "id" not in body:
            return RpcAnswer(202)
        modern = _is_modern(body, headers)
        if modern:
            _check_envelope(body, headers)
        result = _result(server, body, modern=modern)
    except ProtocolError as error:
        # A client of the earlier revision reads the error from an ordinary answer.
        modern = _is_modern(body, headers)
        status = HTTP_STATUS.get(error.code, 400) if modern else 200
        return RpcAnswer(status, error_body(request_id, error.code, str(error), error.data))
    return RpcAnswer(200, {"jsonrpc": "2.0", "id": request_id, "result": result})


def error_body(request_id: Any, code: int, message: str, data: Any = None) -> dict[str, Any]:
    known = request_id if isinstance(request_id, str | int) else None
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": known, "error": error}


def _check_request(body: Mapping[str, Any]) -> None:
    request_id = body.get("id", "")
    if (
        body.get("jsonrpc") != "2.0"
        or not isinstance(body.get("method"), str)
        or isinstance(request_id, bool)
        or not isinstance(request_id, str | int)
    ):
        raise ProtocolError(INVALID_REQUEST, "The body is not a JSON-RPC 2.0 request.")
    if not isinstance(body.get("params", {}), dict):
        raise ProtocolError(INVALID_PARAMS, "params must be an object.")


def _meta(body: Mapping[str, Any]) -> Mapping[str, Any]:
    params = body.get("params")
    meta = params.get("_meta") if isinstance(params, dict) else None
    return meta if isinstance(meta, dict) else {}


def _is_modern(body: Mapping[str, Any], headers: Headers) -> bool:
    """Everything that does not name the earlier revision follows the current one."""
    if body.get("method") == "initialize":
        return False
    version = headers.get("MCP-Protocol-Version")
    return VERSION_KEY in _meta(body) or version not in (None, EARLIER)


def _check_envelope(body: Mapping[str, Any], headers: Headers) -> None:
    meta, params = _meta(body), body.get("params", {})
    version = meta.get(VERSION_KEY)
    named = headers.get("MCP-Protocol-Version")
    if version is None and named not in SUPPORTED:
        raise _unsupported(str(named))
    if not isinstance(version, str) or not isinstance(meta.get(CAPABILITIES_KEY), dict):
        raise ProtocolError(
            INVALID_PARAMS, f"params._meta must have {VERSION_KEY} and {CAPABILITIES_KEY}."
        )
    _check_header(headers, "MCP-Protocol-Version", version)
    _check_header(headers, "Mcp-Method", body["method"])
    if body["method"] == "tools/call":
        _check_header(headers, "Mcp-Name", params.get("name"))
    if version != CURRENT:
        raise _unsupported(version)


def _check_header(headers: Headers, name: str, expected: Any) -> None:
    value = _decoded(headers.get(name))
    if value != expected:
        raise ProtocolError(
            HEADER_MISMATCH,
            f"Header mismatch: {name} is {value!r}, but the body has {expected!r}.",
        )


def _decoded(value: str | None) -> str | None:
    """A value outside ASCII is sent as =?base64?…?=."""
    if value is None or not (value.startswith("=?base64?") and value.endswith("?=")):
        return value
    try:
        return base64.b64decode(value[9:-2], validate=True).decode()
    except (binascii.Error, ValueError):
        return value


def _unsupported(requested: str) -> ProtocolError:
    return ProtocolError(
        UNSUPPORTED_VERSION,
        "Unsupported protocol version",
        {"supported": list(SUPPORTED), "requested": requested},
    )


def _result(server: McpServer, body: Mapping[str, Any], *, modern: bool) -> dict[str, Any]:
    method, params = body["method"], body.get("params", {})
    found: dict[str, Any]
    if method == "tools/list":
        if params.get("cursor") is not None:
            raise ProtocolError(INVALID_PARAMS, "Invalid cursor")
        found = {"tools": [tool_json(tool) for tool in server.tools]}
        if modern:
            scope = "public" if server.shared_list else "private"
            found |= {"ttlMs": LIST_TTL_MS, "cacheScope": scope}
    elif method == "tools/call":
        found = _called(server, params)
    elif method == "ping" and not modern:
        return {}
    elif method == "initialize":
        return {
            "protocolVersion": EARLIER,
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": _server_info(server),
            "instructions": server.instructions,
        }
    elif method == "server/discover" and modern:
        found = {
            "supportedVersions": list(SUPPORTED),
            "capabilities": {"tools": {}},
            "instructions": server.instructions,
            "ttlMs": DISCOVER_TTL_MS,
            "cacheScope": "public",
        }
    else:
        raise ProtocolError(METHOD_NOT_FOUND, f"Method not found: {method[:100]}")
    if modern:
        found = {"resultType": "complete", **found, "_meta": {SERVER_KEY: _server_info(server)}}
    return found


def _server_info(server: McpServer) -> dict[str, str]:
    return {"name": server.name, "title": server.title, "version": SERVER_VERSION}


def _called(server: McpServer, params: Mapping[str, Any]) -> dict[str, Any]:
    name, arguments = params.get("name"), params.get("arguments", {})
    tool = next((one for one in server.tools if one.name == name), None)
    if tool is None:
        raise ProtocolError(INVALID_PARAMS, f"Unknown tool: {str(name)[:100]}")
    if not isinstance(arguments, dict):
        raise ProtocolError(INVALID_PARAMS, "arguments must be an object.")
    try:
        return _content(server.call(tool, arguments))
    except ValidationError as error:
        return _refusal(validation_error(error))
    except DomainError as error:
        return _refusal(error)
    except BadId:
        return _refusal(NotFound())
    except BadText as error:
        return _refusal(Invalid(error.code, "{fault}", fault=str(error)))


def _content(found: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps(found, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}], "structuredContent": found}


def _refusal(error: DomainError) -> dict[str, Any]:
    """The model reads why, and can correct its call."""
    faults = "".join(f" {one.field}: {one.message}" for one in error.faults[1:])
    found = _content({"code": error.code, "message": error.message, **error.more})
    found["content"] = [{"type": "text", "text": f"{error.code}: {error.message}{faults}"}]
    return {**found, "isError": True}
