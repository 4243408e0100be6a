"""Printing: the agent is killed at each step, the server restarts, the network is cut."""

import tempfile
import time
from decimal import Decimal
from pathlib import Path

from core.db import tenant_scope
from printing import agents, printers
from restaurant.menus.pricing import PricedItem, PricingTerms, calculate_totals
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.sites import sites
from tests.chaos.outcomes import Outcome
from tests.chaos.stage import Stage
from tests.factories import make_business
from tests.printing.agent_process import AgentProcess, CountingPrinter, wait_until

ORDERS, SETTLED_SECONDS = 30, 60.0
CUT_SECONDS = 60.0
STATES = """
SELECT state, count(*) FROM print_jobs WHERE tenant_id = %s GROUP BY state
"""


class Kitchen:
    """One restaurant with one printer and its agent."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.printer = CountingPrinter()
        self.folder = Path(tempfile.mkdtemp(prefix="agent-"))
        with stage.app.app_context():
            business = make_business("Paper")
            self.tenant_id = business.tenant_id
            with tenant_scope(self.tenant_id):
                site = sites.open_site(
                    "Paper", slug=f"paper-{self.tenant_id}", prefix="PAP", currency="TRY",
                    time_zone="Europe/Istanbul", country="TR", languages=["tr"],
                )  # fmt: skip
                self.site_id = site.id
                _, code = agents.new_code(site.id)
        self.agent = AgentProcess(stage.url, self.folder, code)
        self.agent.start()
        wait_until(lambda: (self.folder / "agent.json").is_file(), 20)
        with stage.app.app_context(), tenant_scope(self.tenant_id):
            (known,) = agents.listed(self.site_id)
            printers.add(
                self.site_id,
                "Kitchen",
                "agent",
                {"agent_id": known.id, "output": self.printer.output, "stations": ["kitchen"]},
            )

    def order(self, count: int) -> list[str]:
        made = []
        with self.stage.app.app_context():
            for _ in range(count):
                with tenant_scope(self.tenant_id):
                    line = PricedItem("", "Menemen", "", 1, Decimal(5), Decimal(0), ("kitchen",))
                    sums = calculate_totals([line], PricingTerms(currency="TRY", tax_included=True))
                    draft = order_lifecycle.OrderDraft(
                        order_type="dine_in", payment_method="cash", items=[line],
                        sums=sums.as_json(), total=sums.total, language="tr", source="api",
                        table_number="7",
                    )  # fmt: skip
                    made.append(order_lifecycle.create_order(sites.get(self.site_id), draft).number)
        return made

    def states(self) -> dict[str, int]:
        return dict(self.stage.ask(STATES, self.tenant_id))

    def settled(self) -> bool:
        found = self.states()
        return bool(found) and not set(found) - {"printed"}

    def close(self) -> None:
        self.agent.stop()
        self.printer.close()


def count(kitchen: Kitchen, made: list[str], took: float) -> Outcome:
    printed = kitchen.printer.printed()
    states = kitchen.states()
    outcome = Outcome(
        accepted=len(made),
        terminal=states.get("printed", 0),
        unknown=states.get("unconfirmed", 0),
        doubled=kitchen.printer.doubled(),
        lost=len(set(made) - set(printed)),
        seconds=took,
    )
    first = list(dict.fromkeys(printed))
    outcome.note = f"{kitchen.agent.deaths} killed, {kitchen.printer.marked()} marked"
    outcome.expect(outcome.lost == 0, f"{outcome.lost} tickets lost")
    outcome.expect(first == [one for one in made if one in first], "not in order")
    outcome.expect(took < SETTLED_SECONDS, f"not settled: {states}")
    outcome.expect(
        outcome.doubled <= kitchen.printer.marked(), f"{outcome.doubled} copies, not all marked"
    )
    return outcome


def agent_killed(stage: Stage, step: str, times: int, doubles: int = 0) -> Outcome:
    """The agent dies once during a ticket. Only that ticket may be printed twice."""
    kitchen = Kitchen(stage)
    try:
        kitchen.agent.stop()
        kitchen.agent.start(f"{step}:{times}")
        made = kitchen.order(ORDERS)
        took = wait_until(kitchen.settled, SETTLED_SECONDS, kitchen.agent)
        outcome = count(kitchen, made, took)
        outcome.expect(kitchen.agent.deaths >= 1, "nobody was killed")
        outcome.expect(outcome.doubled <= doubles, f"{outcome.doubled} printed twice")
        return outcome
    finally:
        kitchen.close()


def server_restarted(stage: Stage) -> Outcome:
    kitchen = Kitchen(stage)
    try:
        made = kitchen.order(ORDERS // 2)
        for name in ("live", "web"):
            stage.end(name)
        made += kitchen.order(ORDERS // 2)
        time.sleep(2)
        for name in ("live", "web"):
            stage.start(name)
        took = wait_until(kitchen.settled, SETTLED_SECONDS, kitchen.agent)
        outcome = count(kitchen, made, took)
        outcome.expect(outcome.doubled == 0, f"{outcome.doubled} printed twice")
        return outcome
    finally:
        kitchen.close()


def cut_off(stage: Stage) -> Outcome:
    """The agent has no connection for a minute: it prints what it has, and the rest afterwards."""
    kitchen = Kitchen(stage)
    try:
        made = kitchen.order(5)
        stage.end("live", "web")
        made += kitchen.order(ORDERS - 5)
        time.sleep(CUT_SECONDS)
        for name in ("live", "web"):
            stage.start(name)
        took = wait_until(kitchen.settled, SETTLED_SECONDS, kitchen.agent)
        outcome = count(kitchen, made, took)
        outcome.expect(outcome.doubled == 0, f"{outcome.doubled} printed twice")
        return outcome
    finally:
        kitchen.close()
