"""Fetch from the network the templates of each tenant's accounts, and what its lines may do."""

from flask import current_app

from core.db import notify_workers, tenant_scope
from core.queue import lanes
from core.queue.wakeups import acknowledge_wakeup
from core.settings import Settings
from jobs.engine import all_tenants, round_robin
from messaging.lines import allowances
from messaging.lines import repository as line_repository
from messaging.templates import repository as template_repository
from messaging.templates import sync as template_sync
from messaging.templates.repository import LANE

WORK_SECONDS = 60.0


def request_all() -> int:
    """Hourly: request a sync for every tenant with a cloud line."""
    acknowledge_wakeup("jobs.lines.template_sync.request_all")
    marked = 0

    def mark(tenant_id: int) -> bool:
        nonlocal marked
        with tenant_scope(tenant_id):
            if any(
                template_repository.template_account(line) for line in line_repository.list_lines()
            ):
                template_repository.request_sync()
                marked += 1
        return False

    all_tenants.run_step("jobs.lines.template_sync.request_all", mark)
    return marked


def drain() -> int:
    """Work the lanes in turn, for WORK_SECONDS at most. Returns how many tenants were synced."""
    acknowledge_wakeup("jobs.lines.template_sync.drain")
    settings: Settings = current_app.extensions["comanda"]
    done = 0
    for one in round_robin.lanes_in_turn("jobs.lines.template_sync.drain", LANE, WORK_SECONDS):
        sync_tenant(settings, one.tenant_id)
        one.release()
        done += 1
    return done


def sync_tenant(settings: Settings, tenant_id: int) -> None:
    with tenant_scope(tenant_id):
        accounts = template_sync.accounts_to_sync()
        lines = allowances.lines_to_ask()
    answers = template_sync.fetch_all_accounts(settings, accounts)
    allowed = allowances.ask_network(settings, lines)
    with tenant_scope(tenant_id):
        template_sync.store_answers(answers)
        allowances.store_allowances(allowed)


def sweep() -> None:
    """In the sweep's global transaction: lanes without a wake-up."""
    if lanes.any_due(LANE):
        notify_workers("jobs.lines.template_sync.drain")
