"""Agents and the running service."""

from tests.running_service import app, chromium, database, service, settings

__all__ = ["app", "chromium", "database", "service", "settings"]
