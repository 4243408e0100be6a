"""Measure the service for the operator: figures that need every tenant's rows."""

from core import service_state
from core.rings import hear


def measure() -> None:
    hear("jobs.health.measure")
    service_state.measure()
