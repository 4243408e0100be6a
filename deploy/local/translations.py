"""Compiles translations when they are needed; the compiled files are not in the repository."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from deploy.local.errors import CannotRun
from deploy.local.processes.programs import ROOT

FOLDERS = ("portal/translations",)
# Besides gettext: which argument of a domain error is its message (core/errors.py).
KEYWORDS = (
    "lazy_gettext",
    "invalid:3",
    "RateLimited:1",
    "NotFound:1",
    *(
        f"{error}:2"
        for error in (
            "Invalid",
            "Conflict",
            "Forbidden",
            "PaymentRequired",
            "TryAgain",
            "NotOnMenu",
        )
    ),
    # Why an imported file, one of its rows or a value is refused.
    *("NotATable:1", "RowError:4", "_invalid_value:2", "fail:2"),
)


def compile_translations(root: Path) -> list[Path]:
    """Compile every .po that is newer than its .mo. Returns the written files."""
    written = []
    for source in sorted(po for folder in FOLDERS for po in (root / folder).glob("*/*/*.po")):
        target = source.with_suffix(".mo")
        if target.is_file() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        with source.open("rb") as file:
            catalog = read_po(file, locale=source.parent.parent.name)
        # Two test runs may compile at once, so each replaces the file atomically.
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as draft:
            write_mo(draft, catalog)
            os.fchmod(draft.fileno(), 0o644)
        Path(draft.name).replace(target)
        written.append(target)
    return written


def update_catalogs() -> int:
    """`make translations`: add new texts from code and templates to every language."""
    for folder in FOLDERS:
        template = f"{folder}/messages.pot"
        keywords = [word for keyword in KEYWORDS for word in ("-k", keyword)]
        _pybabel("extract", "-F", "pyproject.toml", *keywords, "-o", template, ".")
        _pybabel("update", "--no-fuzzy-matching", "-i", template, "-d", folder)
    for path in compile_translations(ROOT):
        print(path.relative_to(ROOT))
    return 0


def _pybabel(*arguments: str) -> None:
    command = [sys.executable, "-m", "babel.messages.frontend", "--quiet", *arguments]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        raise CannotRun("The texts could not be collected.")
