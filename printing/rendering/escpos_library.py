"""Load python-escpos and its table of printers quickly.

The library reads its table, a JSON file, with a YAML parser whenever a process imports it. That
takes more than a second, which the first ticket of a worker would wait for. A pickle of the table
is read instead if there is one.
"""

import json
import os
import pickle
import platform
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PICKLE_FOLDER = "ESCPOS_CAPABILITIES_PICKLE_DIR"


@cache
def printer_table() -> dict[str, Any]:
    """The table of printer profiles, without the library's code."""
    table: dict[str, Any] = json.loads(files("escpos").joinpath("capabilities.json").read_bytes())
    return table


@cache
def printer_class() -> type[Any]:
    """The library's printer that collects its bytes."""
    configured = os.environ.get(PICKLE_FOLDER)
    with TemporaryDirectory() as folder:
        name = f"{platform.python_version()}.capabilities.pickle"
        (Path(folder) / name).write_bytes(pickle.dumps(printer_table()))
        os.environ[PICKLE_FOLDER] = folder
        try:
            from escpos.printer import Dummy
        finally:
            del os.environ[PICKLE_FOLDER]
            if configured is not None:
                os.environ[PICKLE_FOLDER] = configured
    found: type[Any] = Dummy
    return found
