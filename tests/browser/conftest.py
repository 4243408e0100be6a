"""Pages in a real browser, from a real service."""

from tests.running_service import app, chromium, database, service, settings

__all__ = ["app", "chromium", "database", "service", "settings"]
