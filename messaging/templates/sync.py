"""Sync templates in three steps: choose the accounts, fetch their lists, store the results.

The caller opens a transaction for the first and the last step, but none for the calls between.
"""

import asyncio

from core.http import Policy
from core.http.async_client import Client
from core.logs import logger
from core.settings import Settings
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineFacts
from messaging.lines.drivers.cloud.driver import base_url
from messaging.lines.drivers.cloud.health_check import LineProblem
from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate, fetch_templates
from messaging.templates import repository as template_repository

log = logger(__name__)

AccountsToSync = dict[str, tuple[str, LineFacts]]
SyncAnswers = dict[str, list[NetworkTemplate] | LineProblem]


def accounts_to_sync() -> AccountsToSync:
    """Return each account once, with the token of a connected line if there is one."""
    found: AccountsToSync = {}
    for line in sorted(line_repository.list_lines(), key=lambda one: one.state == "connected"):
        if account_id := template_repository.template_account(line):
            found[account_id] = (line.network, line_repository.line_facts(line))
    return found


def fetch_all_accounts(settings: Settings, accounts: AccountsToSync) -> SyncAnswers:
    return asyncio.run(_fetch_accounts(settings, accounts)) if accounts else {}


def store_answers(answers: SyncAnswers) -> list[LineProblem]:
    """Store the results and return the problems."""
    faults = []
    for account_id, answer in answers.items():
        if isinstance(answer, LineProblem):
            log.info("template list not fetched", code=answer.code)
            template_repository.record_sync_failure(account_id, answer.reason)
            faults.append(answer)
        else:
            template_repository.store_templates(account_id, answer)
    return faults


async def _fetch_accounts(settings: Settings, accounts: AccountsToSync) -> SyncAnswers:
    answers: SyncAnswers = {}
    # The network's base URL is a setting of the operator and may be on this machine.
    async with Client(Policy(allow_loopback=True)) as client:
        for account_id, (network, facts) in accounts.items():
            base = base_url(settings, network)
            if base:
                answers[account_id] = await fetch_templates(
                    client, base, settings.cloud_version, facts, account_id
                )
    return answers
