"""Pairing and revoking an agent, and the polls of one agent."""

from datetime import timedelta

import pytest

from core.clock import frozen, now
from printing import agent_polling, agents, printers
from tests.printing.bistro_printers import (
    pair,
    render_all,
)


def test_a_newer_poll_ends_an_older_one(press):
    press.bistro.order()
    render_all(press)

    with press.scope():
        old, _ = agent_polling.begin_poll(press.agent.id, agent_polling.AgentReport())
    with press.scope():
        new, _ = agent_polling.begin_poll(press.agent.id, agent_polling.AgentReport())
    with press.scope():
        assert agent_polling.claim_jobs(press.agent.id, old).body == agent_polling.NOTHING
    with press.scope():
        assert agent_polling.claim_jobs(press.agent.id, new).body["jobs"]


def test_a_revoked_agent_gets_nothing_and_its_tickets_wait_for_the_next(press):
    press.bistro.order()
    render_all(press)
    with press.scope():
        agents.revoke(press.agent.id)
    with pytest.raises(Exception, match="Pair it again"):
        press.agent.polls()
    other = pair(press.bistro)
    with press.scope():
        for printer_id in (press.kitchen, press.bar):
            printers.change(printer_id, {"agent_id": other.id})
    assert len(other.polls()) == 2


def test_a_code_is_good_once_and_for_a_quarter_of_an_hour(press):
    with press.scope():
        code, shown = agents.new_code(press.bistro.site_id)
    assert agents.normalize_code(shown.lower()) == shown.replace("-", "")
    with frozen(now() + timedelta(minutes=16)), press.scope():
        assert agents.pair(code.id, "late", "1") is None
    with press.scope():
        assert agents.pair(code.id, "first", "1") is not None
    with press.scope():
        assert agents.pair(code.id, "second", "1") is None
