"""Measure the service for the operator: figures that need every tenant's rows."""

from core.monitoring import service_state
from core.queue.wakeups import acknowledge_wakeup


def measure() -> None:
    acknowledge_wakeup("jobs.health.measure")
    service_state.measure_all_tenants()
