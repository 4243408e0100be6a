"""The print agent as one file to download.

The file is a Python zip application. It holds `printing/agent` and nothing else, so a computer
needs only Python to run it. The same sources always give the same bytes: entries are sorted, have a
fixed date, and are not compressed, because compressed bytes differ between versions of zlib.
"""

import hashlib
import io
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from printing.agent import VERSION

FILE_NAME = "print-agent.pyz"
EXECUTABLES = {
    "windows": "print-agent-windows.exe",
    "macos": "print-agent-macos",
    "linux": "print-agent-linux",
}
"""File names of `make agent-executable` by operating system."""

_SOURCE = Path(__file__).parent / "agent"
_SHEBANG = b"#!/usr/bin/env python3\n"
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip file can hold
# Python 2 and 3.0 to 3.10 must be able to parse this part, which reports the missing version.
_MAIN = b"""\
import sys

if sys.version_info < (3, 11):
    sys.exit("The print agent needs Python 3.11 or newer; this is %d.%d." % sys.version_info[:2])

from printing.agent.__main__ import main

sys.exit(main())
"""


@dataclass(frozen=True)
class Package:
    """A file that a restaurant can download."""

    name: str
    data: bytes
    sha256: str


@cache
def package() -> Package:
    """Return the agent of this release; built once per process."""
    data = build()
    return Package(FILE_NAME, data, hashlib.sha256(data).hexdigest())


def version() -> str:
    return VERSION


def build() -> bytes:
    files = {"__main__.py": _MAIN, "printing/__init__.py": b""}
    for source in _SOURCE.glob("*.py"):
        files[f"printing/agent/{source.name}"] = source.read_bytes()
    packed = io.BytesIO()
    packed.write(_SHEBANG)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system = 3  # Unix, also when it is built on Windows
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name])
    return packed.getvalue()


def executables(folder: Path | None) -> dict[str, Path]:
    """Return the executables that the operator has put into the folder, by operating system."""
    if folder is None:
        return {}
    found = {system: folder / name for system, name in EXECUTABLES.items()}
    return {system: path for system, path in found.items() if path.is_file()}
