"""`python -m core.i18n.compile`: compile the catalogs; the result is not in the repository."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from core.i18n.catalogs import TRANSLATIONS


def compile_translations(folder: Path = TRANSLATIONS) -> list[Path]:
    """Compile every .po that is newer than its .mo. Returns the written files."""
    written = []
    for source in sorted(folder.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.is_file() and target.stat().st_mtime >= source.stat().st_mtime:
            continue
        catalog = read_catalog(source)
        with replacing(target) as file:
            write_mo(file, catalog)
        written.append(target)
    return written


def read_catalog(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3], abort_invalid=True)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file atomically: two processes may compile at once."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as draft:
        yield draft
        os.fchmod(draft.fileno(), 0o644)
    Path(draft.name).replace(path)


if __name__ == "__main__":
    compile_translations()
