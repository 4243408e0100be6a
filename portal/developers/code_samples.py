"""Samples of one API call in curl, Python, JavaScript and PHP.

A sample contains the API key only on the page that shows a new key.
"""

import json
from typing import Any

Sample = tuple[str, str]
VARIABLE = "COMANDA_API_KEY"
JSON, BYTES = "application/json", "application/octet-stream"


class Upload(str):
    """A file as the request body: its name in the sample's own folder."""

    __slots__ = ()


def code_samples(method: str, url: str, body: Any = None, key: str = "") -> list[Sample]:
    """Return (language, text) pairs for the `code_tabs` macro."""
    return [
        ("curl", _curl(method, url, body, key)),
        ("Python", _python(method, url, body, key)),
        ("JavaScript", _javascript(method, url, body, key)),
        ("PHP", _php(method, url, body, key)),
    ]


def first_message_samples(api_url: str, key: str = "", line_id: int | None = None) -> list[Sample]:
    """Samples that send the first message, from the given line or from the key's test line."""
    body: dict[str, Any] = {"phone": "905321112233", "message": "Hello from Comanda!"}
    if line_id is not None:
        body["instance_id"] = line_id
    return code_samples("POST", f"{api_url}/messages/send", body, key)


def _curl(method: str, url: str, body: Any, key: str) -> str:
    verb = "" if method == "GET" else f"-X {method} "
    parts = [f"curl {verb}{_quoted(url)}"]
    parts.append(f'-H "Authorization: Bearer {key or f"${VARIABLE}"}"')
    if isinstance(body, Upload):
        parts += [f'-H "Content-Type: {BYTES}"', f"--data-binary @{body}"]
    elif body is not None:
        parts.append(f'-H "Content-Type: {JSON}"')
        text = json.dumps(body, ensure_ascii=False).replace("'", "'\\''")
        parts.append(f"-d '{text}'")
    return " \\\n  ".join(parts)


def _quoted(url: str) -> str:
    return f"'{url}'" if set(url) & set("?&{}") else url


def _python(method: str, url: str, body: Any, key: str) -> str:
    secret = json.dumps(key) if key else f'os.environ["{VARIABLE}"]'
    headers = ['"Authorization": f"Bearer {key}"']
    data = ""
    imports = "import json\n" if key else "import json\nimport os\n"
    if isinstance(body, Upload):
        imports += "from pathlib import Path\n"
        data = f'    data=Path("{body}").read_bytes(),\n'
    elif body is not None:
        data = f"    data=json.dumps({_literal(body)}).encode(),\n"
    if body is not None:
        headers.append(f'"Content-Type": "{_kind(body)}"')
    return (
        f"{imports}from urllib.request import Request, urlopen\n\n"
        f"key = {secret}\n"
        f"request = Request(\n"
        f'    "{url}",\n'
        f'    method="{method}",\n'
        f"    headers={{{', '.join(headers)}}},\n"
        f"{data})\n\n"
        "with urlopen(request) as answer:\n"
        "    print(json.load(answer))"
    )


def _literal(body: Any) -> str:
    """The body as a Python literal, indented to fit inside the call."""
    text = json.dumps(body, ensure_ascii=False, indent=4)
    swapped = "\n".join(
        line.replace(": true", ": True").replace(": false", ": False").replace(": null", ": None")
        for line in text.splitlines()
    )
    return swapped.replace("\n", "\n    ")


def _javascript(method: str, url: str, body: Any, key: str) -> str:
    secret = json.dumps(key) if key else f"process.env.{VARIABLE}"
    more = imports = ""
    if isinstance(body, Upload):
        imports = 'import { readFile } from "node:fs/promises";\n\n'
        more = f'  body: await readFile("{body}"),\n'
    elif body is not None:
        text = json.dumps(body, ensure_ascii=False, indent=2).replace("\n", "\n  ")
        more = f"  body: JSON.stringify({text}),\n"
    kind = f', "Content-Type": "{_kind(body)}"' if body is not None else ""
    return (
        f"{imports}const key = {secret};\n\n"
        f'const answer = await fetch("{url}", {{\n'
        f'  method: "{method}",\n'
        f"  headers: {{ Authorization: `Bearer ${{key}}`{kind} }},\n"
        f"{more}}});\n"
        "console.log(answer.status, await answer.json());"
    )


def _php(method: str, url: str, body: Any, key: str) -> str:
    secret = json.dumps(key) if key else f'getenv("{VARIABLE}")'
    headers = ['"Authorization: Bearer $key"']
    more = ""
    if body is not None:
        headers.append(f'"Content-Type: {_kind(body)}"')
        made = f'file_get_contents("{body}")'
        made = made if isinstance(body, Upload) else f"json_encode({_array(body, 1)})"
        more = f"    CURLOPT_POSTFIELDS => {made},\n"
    return (
        "<?php\n"
        f"$key = {secret};\n\n"
        f'$call = curl_init("{url}");\n'
        "curl_setopt_array($call, [\n"
        f'    CURLOPT_CUSTOMREQUEST => "{method}",\n'
        "    CURLOPT_RETURNTRANSFER => true,\n"
        f"    CURLOPT_HTTPHEADER => [{', '.join(headers)}],\n"
        f"{more}]);\n"
        "print_r(json_decode(curl_exec($call), true));"
    )


def _kind(body: Any) -> str:
    return BYTES if isinstance(body, Upload) else JSON


def _array(value: Any, depth: int) -> str:
    """The value as a PHP array; `$` is escaped because it starts a variable in a PHP string."""
    if isinstance(value, dict | list) and value:
        pairs = value.items() if isinstance(value, dict) else ((None, one) for one in value)
        inner = ",\n".join(
            "    " * (depth + 1)
            + (f"{_array(name, 0)} => " if name is not None else "")
            + _array(one, depth + 1)
            for name, one in pairs
        )
        return f"[\n{inner},\n{'    ' * depth}]"
    if isinstance(value, dict | list):
        return "[]"
    return json.dumps(value, ensure_ascii=False).replace("$", "\\$")
