"""Choices of printer settings and states, shared by pages and API."""

from collections.abc import Mapping
from typing import Any

WIDTHS = (58, 80)
OUTPUTS = ("network", "usb", "serial", "file", "demo")
STATES = ("unknown", "ready", "paper_low", "offline", "paper_out", "cover_open", "error")
ERROR_STATES = frozenset({"offline", "paper_out", "cover_open", "error"})
JOB_STATES = ("queued", "claimed", "printed", "failed", "unconfirmed")
JOB_KINDS = ("order", "addition", "course", "void", "moved", "cancelled", "bill", "test", "strip")
PENDING_STATES = frozenset({"queued", "claimed"})


def is_error_state(state: str) -> bool:
    return state in ERROR_STATES


def output_label(output: Mapping[str, Any]) -> str:
    """Return a label for people: 192.168.1.50:9100, /dev/usb/lp0."""
    kind = output.get("kind", "")
    if kind == "network":
        return f"{output.get('host', '')}:{output.get('port', 9100)}"
    if kind == "usb":
        return f"USB {output.get('vendor', '')}:{output.get('product', '')}"
    if kind == "serial":
        return f"{output.get('device', '')} · {output.get('baud', 9600)}"
    return str(output.get("path", "")) or kind
