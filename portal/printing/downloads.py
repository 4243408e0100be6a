"""Downloads of the print agent.

They are public: they contain no secret, and a till has no signed-in browser.
"""

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, request, send_file

from core.errors import NotFound
from core.settings import Settings
from portal.web.auth import open_to_all
from printing import agent_package

downloads = Blueprint("downloads", __name__, url_prefix="/downloads")

# Some browsers unpack a file that is served as a zip archive.
BINARY = "application/octet-stream"
FOR_FIVE_MINUTES = "public, max-age=300"


@downloads.get(f"/{agent_package.FILE_NAME}")
@open_to_all
def agent() -> Any:
    package = agent_package.package()
    answer = Response(package.data, mimetype=BINARY)
    answer.headers["Content-Disposition"] = f"attachment; filename={package.name}"
    return _cacheable(answer, package.sha256)


@downloads.get(f"/{agent_package.FILE_NAME}.sha256")
@open_to_all
def agent_checksum() -> Any:
    """In the format of `sha256sum --check`."""
    package = agent_package.package()
    answer = Response(f"{package.sha256}  {package.name}\n", mimetype="text/plain")
    return _cacheable(answer, f"{package.sha256}-sum")


@downloads.get("/<name>")
@open_to_all
def executable(name: str) -> Any:
    """Available only if the operator has built it: `make agent-executable`."""
    path = next((one for one in offered_executables().values() if one.name == name), None)
    if path is None:
        raise NotFound()
    answer = send_file(path.resolve(), BINARY, as_attachment=True, download_name=path.name)
    return _cacheable(answer, checksum(path))


def offered_executables() -> dict[str, Path]:
    settings: Settings = current_app.extensions["comanda"]
    return agent_package.executables(
        Path(settings.print_agent_dir) if settings.print_agent_dir else None
    )


def checksum(path: Path) -> str:
    """Cached; computed again after the file was replaced."""
    known = path.stat()
    return _digest(path, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=16)
def _digest(path: Path, _changed: int, _size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _cacheable(answer: Response, tag: str) -> Response:
    answer.headers["Cache-Control"] = FOR_FIVE_MINUTES
    answer.set_etag(tag)
    answer.make_conditional(request)
    return answer
