"""The client is a package of its own; it is tested from where it lies, not installed."""

import sys
from pathlib import Path

from tests.running_service import app, database, service, settings

__all__ = ["app", "database", "service", "settings"]

FOLDER = Path(__file__).parents[2] / "clients" / "python"
if str(FOLDER) not in sys.path:
    sys.path.insert(0, str(FOLDER))
