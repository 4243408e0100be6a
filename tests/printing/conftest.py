import threading

import pytest

from printing.agent import polling
from printing.agent import printer as printers
from printing.agent.journal import Journal
from printing.agent.polling import Agent
from printing.agent.server_client import Pairing
from tests.printing.bistro_printers import open_bistro_printers
from tests.printing.fake_print_server import CODE, FakePrinter, FakePrintServer
from tests.restaurant.fake_provider import add_account


@pytest.fixture
def press(restaurant):
    """A bistro with a kitchen and a bar printer, and a payment account."""
    add_account(restaurant)
    return open_bistro_printers(restaurant)


@pytest.fixture
def counter():
    server = FakePrintServer()
    yield server
    server.close()


@pytest.fixture
def epson(counter):
    printer = FakePrinter()
    counter.add_printer("kitchen", printer.output)
    yield printer
    printer.close()


@pytest.fixture
def agent_at_work(counter, tmp_path, monkeypatch):
    """An agent in this process with short timeouts; crash tests start a real process."""
    monkeypatch.setattr(printers, "RETRY_SECONDS", 0.05)
    monkeypatch.setattr(printers, "ERROR_CHECK_SECONDS", 0.05)
    monkeypatch.setattr(printers, "SETTLE_SECONDS", 0.3)
    monkeypatch.setattr(polling, "MAX_BACKOFF_SECONDS", 0.2)
    started = []

    def start() -> Agent:
        pairing = Pairing.by_code(counter.url, CODE, "till")
        agent = Agent(pairing, Journal(tmp_path / "journal.sqlite"), tmp_path / "demo", [])
        thread = threading.Thread(target=agent.run, daemon=True)
        thread.start()
        started.append((agent, thread))
        return agent

    yield start
    for agent, thread in started:
        agent.stop()
        thread.join(10)
        agent.journal.close()
