"""A bistro with printers and an agent."""

from dataclasses import dataclass, field
from typing import Any

from jobs import printing as jobs
from printing import agent_polling, agents, printers
from printing import queries as print_job_queries
from printing.agent_polling import AgentReport, PollAnswer
from printing.models import PrintJob
from printing.rendering.document import Document
from tests.factories import Business
from tests.messaging.message_factory import events_of
from tests.restaurant.bistro import Bistro, open_bistro


@dataclass
class Agent:
    """An agent without HTTP: it calls the domain functions and tracks its jobs."""

    bistro: Bistro
    id: str
    token: str
    hand: dict[str, dict[str, Any]] = field(default_factory=dict)

    def polls(self, states: dict[str, str] | None = None) -> list[dict[str, Any]]:
        with self.bistro.scope():
            report = AgentReport(
                have=list(self.hand),
                states=[(one, state, "") for one, state in (states or {}).items()],
            )
            turn, _ = agent_polling.begin_poll(self.id, report)
        with self.bistro.scope():
            handed: PollAnswer = agent_polling.claim_jobs(self.id, turn)
        self.hand |= {job["id"]: job for job in handed.body["jobs"]}
        return handed.body["jobs"]

    def reports(self, job: dict[str, Any], outcome: str = "printed", detail: str = "", **more: Any):
        with self.bistro.scope():
            settled = agent_polling.record_result(
                self.id, job["id"], more.get("fence", job["fence"]), outcome, detail, {}
            )
        self.hand.pop(job["id"], None)
        return settled


@dataclass
class BistroPrinters:
    bistro: Bistro
    agent: Agent
    kitchen: str
    bar: str

    def scope(self):
        return self.bistro.scope()

    def jobs(self, **wanted: Any) -> list[PrintJob]:
        """Oldest first, with their documents, which the list leaves out."""
        filters = print_job_queries.PrintJobFilters(**wanted)
        with self.scope():
            jobs = print_job_queries.listed(filters, None, 100)[::-1]
            assert all(job.document is not None for job in jobs)
            return jobs

    def states(self) -> list[str]:
        return [job.state for job in self.jobs()]

    def job(self, job_id: str) -> PrintJob:
        with self.scope():
            return print_job_queries.get(job_id)

    def printer(self, printer_id: str):
        with self.scope():
            return printers.get(printer_id)


def open_bistro_printers(business: Business, **changes: Any) -> BistroPrinters:
    """A kitchen and a bar printer on one agent; the bar is the kitchen's backup."""
    bistro = open_bistro(business, **changes)
    agent = pair(bistro)
    with bistro.scope():
        payload = {"agent_id": agent.id, "output": {"kind": "demo"}}
        bar = printers.add(
            bistro.site_id, "Bar", "agent", {**payload, "stations": ["bar"], "bills": True}
        )
        kitchen = printers.add(
            bistro.site_id,
            "Mutfak",
            "agent",
            {**payload, "stations": ["kitchen"], "fallback_id": bar.id},
        )
        return BistroPrinters(bistro, agent, kitchen.id, bar.id)


def pair(bistro: Bistro) -> Agent:
    with bistro.scope():
        code, _ = agents.new_code(bistro.site_id)
    with bistro.scope():
        paired = agents.pair(code.id, "Mutfak bilgisayarı", "1")
        assert paired is not None
        return Agent(bistro, paired.agent.id, paired.token)


def render_all(press: BistroPrinters) -> None:
    jobs.render(press.bistro.business.tenant_id)


def watch(press: BistroPrinters) -> None:
    jobs.monitor_printers(press.bistro.business.tenant_id)


def published_events(press: BistroPrinters, kind: str) -> list[dict[str, Any]]:
    """Data of the published events of this type."""
    with press.scope():
        return events_of(press.bistro.business.tenant_id, kind)


def words(job: PrintJob) -> str:
    return str(Document.from_json(job.document).as_json())
