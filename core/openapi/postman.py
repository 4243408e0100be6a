"""The OpenAPI document as a Postman collection (v2.1), which Bruno and Insomnia can import too."""

import json
import re
from typing import Any

from core.openapi.document import operations
from core.openapi.example_ids import ULID, id_in_response, sample_id

SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"


# Runs after a request in Postman, Bruno or Insomnia: stores the id of the first object in the
# response as a variable that the other requests use.
STORE_ID_SCRIPT = """\
const answer = pm.response.json();
const first = Array.isArray(answer.data) ? answer.data[0] : answer;
const found = first && (first.id || first["NAME"]);
if (found) pm.collectionVariables.set("NAME", String(found));
"""


def postman_collection(document: dict[str, Any]) -> dict[str, Any]:
    """One folder for each tag. The API key, the base URL and every id are collection variables."""
    folders: dict[str, list[dict[str, Any]]] = {tag["name"]: [] for tag in document["tags"]}
    names: dict[str, str] = {}
    for path, method, operation in operations(document):
        tag = operation["tags"][0]
        names |= _ids(operation)
        made = _request(path, method.upper(), operation)
        if found := id_in_response(path, list(document["paths"])):
            made["event"] = [_store_id(found)]
        folders[tag].append(made)
    info = document["info"]
    return {
        "info": {
            "name": info["title"],
            "description": info.get("description", ""),
            "version": info["version"],
            "schema": SCHEMA,
        },
        "auth": {
            "type": "bearer",
            "bearer": [{"key": "token", "value": "{{api_key}}", "type": "string"}],
        },
        "variable": [
            {"key": "base_url", "value": document["servers"][0]["url"], "type": "string"},
            {"key": "api_key", "value": "", "type": "string"},
            *({"key": name, "value": names[name], "type": "string"} for name in sorted(names)),
        ],
        "item": [{"name": tag, "item": requests} for tag, requests in folders.items()],
    }


def _request(path: str, method: str, operation: dict[str, Any]) -> dict[str, Any]:
    parameters = operation.get("parameters", [])
    headers = [_entry(one) for one in parameters if one["in"] == "header"]
    request: dict[str, Any] = {"method": method, "header": headers, "url": _url(path, parameters)}
    if description := operation.get("description"):
        request["description"] = description
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if body is not None:
        text = json.dumps(body.get("example", {}), indent=2, ensure_ascii=False)
        text = re.sub(rf'"(\w+_id)": "[a-z]+_{ULID}"', r'"\1": "{{\1}}"', text)
        for name in ("item_id", "label_id"):  # in lists
            text = text.replace(sample_id(name), "{{" + name + "}}")
        headers.append({"key": "Content-Type", "value": "application/json"})
        request["body"] = {
            "mode": "raw",
            "raw": text,
            "options": {"raw": {"language": "json"}},
        }
    return {"name": operation["summary"], "request": request, "response": []}


def _url(path: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    steps = re.sub(r"{(\w+)}", r":\1", path).strip("/").split("/")
    query = [_entry(one) for one in parameters if one["in"] == "query"]
    variables = [_entry(one) for one in parameters if one["in"] == "path"]
    query_string = "&".join(
        f"{one['key']}={one['value']}" for one in query if not one.get("disabled")
    )
    found: dict[str, Any] = {
        "raw": "{{base_url}}/" + "/".join(steps) + (f"?{query_string}" if query_string else ""),
        "host": ["{{base_url}}"],
        "path": steps,
    }
    if query:
        found["query"] = query
    if variables:
        found["variable"] = [
            {name: value for name, value in one.items() if name != "disabled"} for one in variables
        ]
    return found


def _ids(operation: dict[str, Any]) -> dict[str, str]:
    """The ids the operation requires, with an example of each."""
    names = {
        one["name"]: str(one.get("example", ""))
        for one in operation.get("parameters", [])
        if _is_id(one)
    }
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    inside = re.findall(rf'"(\w+_id)": "([a-z]+_{ULID})"', json.dumps(body.get("example")))
    return names | dict(inside)


def _is_id(parameter: dict[str, Any]) -> bool:
    return bool(parameter.get("required")) and parameter["name"].endswith("_id")


def _store_id(name: str) -> dict[str, Any]:
    lines = STORE_ID_SCRIPT.replace("NAME", name).splitlines()
    return {"listen": "test", "script": {"type": "text/javascript", "exec": lines}}


def _entry(parameter: dict[str, Any]) -> dict[str, Any]:
    """Optional parameters are included but disabled."""
    example = parameter.get("example", "")
    if _is_id(parameter):
        example = "{{" + parameter["name"] + "}}"
    made: dict[str, Any] = {
        "key": parameter["name"],
        "value": example if isinstance(example, str) else json.dumps(example),
    }
    if words := parameter.get("description") or parameter.get("schema", {}).get("description"):
        made["description"] = words
    if not parameter.get("required"):
        made["disabled"] = True
    return made
