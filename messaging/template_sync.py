"""Asking the network for templates: which accounts, the call itself, and what it said.

Three steps, so that a door opens a transaction for the first and the last and none between.
"""

import asyncio

from core.logs import logger
from core.outbound import Policy
from core.outbound.aio import Client
from core.settings import Settings
from messaging import lines_book, templates
from messaging.lines import LineFacts
from messaging.lines.cloud_check import Finding
from messaging.lines.cloud_templates import NetworkTemplate, fetch_templates

log = logger(__name__)

Asked = dict[str, tuple[str, LineFacts]]
Answers = dict[str, list[NetworkTemplate] | Finding]


def accounts() -> Asked:
    """Each account once, asked with the token of a line that works, if there is one."""
    found: Asked = {}
    for line in sorted(lines_book.listed(), key=lambda one: one.state == "connected"):
        if account_id := templates.account_of(line):
            found[account_id] = (line.network, lines_book.facts_of(line))
    return found


def ask(settings: Settings, asked: Asked) -> Answers:
    return asyncio.run(_ask(settings, asked)) if asked else {}


def settle(answers: Answers) -> list[Finding]:
    """What is wrong, if anything."""
    faults = []
    for account_id, answer in answers.items():
        if isinstance(answer, Finding):
            log.info("templates not told", code=answer.code)
            templates.note_failure(account_id, answer.sentence)
            faults.append(answer)
        else:
            templates.store(account_id, answer)
    return faults


async def _ask(settings: Settings, asked: Asked) -> Answers:
    answers: Answers = {}
    # The network's address is the operator's own setting, and may be on this machine.
    async with Client(Policy(allow_loopback=True)) as client:
        for account_id, (network, facts) in asked.items():
            simulated = network == "simulator"
            base = settings.simulator_url if simulated else settings.cloud_base_url
            if base:
                answers[account_id] = await fetch_templates(
                    client, base, settings.cloud_version, facts, account_id
                )
    return answers
