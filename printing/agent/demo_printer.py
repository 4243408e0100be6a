"""A demo printer: every ticket becomes a PNG file in a folder."""

import os
import re
from collections.abc import Callable
from pathlib import Path

from printing.agent.journal import PrintJob
from printing.agent.outputs import NothingSent

_UNSAFE = re.compile(r"[^\w.-]+")


class PictureFolder:
    def __init__(self, path: Path, picture_of: Callable[[PrintJob], bytes]) -> None:
        self.path = path
        self.picture_of = picture_of

    def save(self, job: PrintJob) -> int:
        """Write the file atomically, under a name that sorts by time of printing."""
        data = job.data if job.media_type == "image/png" else self.picture_of(job)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            copy = "-REPRINT" if job.copy else ""
            name = f"{self._next():05d}-{_UNSAFE.sub('-', job.title)[:60]}-{job.id}{copy}.png"
            part = self.path / f".{name}.part"
            with part.open("wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            part.rename(self.path / name)
        except OSError as failed:
            raise NothingSent(str(failed)) from None
        return len(data)

    def _next(self) -> int:
        numbers = [int(found.name[:5]) for found in self.path.glob("[0-9][0-9][0-9][0-9][0-9]-*")]
        return max(numbers, default=0) + 1
