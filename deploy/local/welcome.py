"""The message after the start: pages to open and commands to try."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

TRIAL = '{"phone": "905321112233", "message": "Merhaba"}'


def welcome(base_url: str, data_dir: Path, logs: Path, prepared: Mapping[str, Any]) -> str:
    rows = [("Portal", base_url)]
    rows += [("", login) for login in _logins(prepared)]
    rows += [(str(name), str(address)) for name, address in prepared.get("pages", [])]
    rows += [("Mailbox", f"{base_url}/mailbox"), ("API", f"{base_url}/api/v1")]
    key = prepared.get("api_key")
    if key:
        rows += [("API key", key)]
    if prepared.get("test_key"):
        rows += [("Test key", prepared["test_key"])]
    rows += [("Data", str(data_dir)), ("Log files", str(logs))]
    lines = ["", "Comanda is running.", ""]
    lines += [f"  {name:<9} {text}" for name, text in rows]
    if key:
        lines += ["", f'  curl -H "Authorization: Bearer {key}" {base_url}/api/v1/me']
        lines += [f'  curl -H "Authorization: Bearer {key}" -H "Content-Type: application/json" \\']
        lines += [f"    -d '{TRIAL}' {base_url}/api/v1/messages/send"]
    lines += ["", "Only warnings and errors are shown from here on. Ctrl-C stops everything.", ""]
    return "\n".join(lines)


def _logins(prepared: Mapping[str, Any]) -> Iterator[str]:
    logins = prepared.get("logins", [])
    width = max((len(login["email"]) for login in logins), default=0)
    for login in logins:
        who = " of ".join(
            part for part in (login.get("role"), login.get("tenant")) if part and part != "—"
        )
        yield f"{login['email']:<{width}}  {login['password']}  {who}".rstrip()
