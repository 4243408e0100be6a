"""Free ports, chosen once and stored, so that the next start uses the same addresses."""

import json
import socket
from pathlib import Path

from deploy.local.files import write_private


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def any_free() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def remembered_port(memory: Path, name: str) -> int:
    """The port that `name` had last time if it is still free; otherwise a new one, stored."""
    known: dict[str, int] = json.loads(memory.read_text()) if memory.is_file() else {}
    if name in known and is_free(known[name]):
        return known[name]
    known[name] = any_free()
    write_private(memory, json.dumps(known))
    return known[name]
