"""Printers, the agents that reach them, and what they print."""

from typing import Any, Literal

from flask import current_app, g
from flask_openapi3.models.tag import Tag
from pydantic import BaseModel, Field

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.paging import PageQuery, page
from api.v1 import v1
from core.clock import rfc3339
from core.db import tenant_scope
from core.settings import Settings
from printing import agents, printers, utility_tickets
from printing import choices as printing_choices
from printing import queries as print_job_queries
from printing.models import PrintAgent, Printer, PrintJob
from restaurant.sites import sites

PRINTERS, AGENTS, JOBS = Tag(name="Printers"), Tag(name="Print agents"), Tag(name="Print jobs")
PRINTER_PATHS = {"cloudprnt": "star", "server_direct": "epson"}


class PrinterPath(BaseModel):
    printer_id: str = Field(max_length=40)


class AgentPath(BaseModel):
    agent_id: str = Field(max_length=40)


class JobPath(BaseModel):
    print_job_id: str = Field(max_length=40)


class PrinterFields(BaseModel):
    """Only what is given is changed."""

    name: str | None = Field(None, max_length=80, examples=["Kitchen"])
    agent_id: str | None = Field(None, max_length=40)
    output: dict[str, Any] | None = Field(
        None,
        description="Where the agent finds it: network, usb, serial, file or demo.",
        examples=[{"kind": "network", "host": "192.168.1.50", "port": 9100}],
    )
    language: str | None = Field(
        None,
        max_length=20,
        examples=["escpos"],
        description="The printer's command language, such as `escpos` or `starprnt`.",
    )
    profile: str | None = Field(None, max_length=40, examples=["epson-tm"])
    width_mm: int | None = Field(None, ge=58, le=80, examples=[80])
    code_page: str | None = Field(None, max_length=40, examples=["13:cp857"])
    checks: bool | None = None
    stations: list[str] | None = Field(
        None, max_length=20, examples=[["kitchen"]], description="Stations whose tickets it prints."
    )
    bills: bool | None = None
    copies: int | None = Field(None, ge=1, le=3)
    fallback_id: str | None = Field(None, max_length=40)
    fallback_seconds: int | None = Field(None, ge=5, le=600)
    enabled: bool | None = None

    def given(self) -> dict[str, Any]:
        return self.model_dump(exclude_unset=True)


class NewPrinter(PrinterFields):
    site_id: str = Field(max_length=40)
    name: str = Field(max_length=80, examples=["Kitchen"])
    way: str = Field(
        max_length=20, examples=["agent"], description="agent, cloudprnt or server_direct"
    )


class PrinterShape(BaseModel):
    id: str
    site_id: str
    name: str
    way: str
    agent_id: str | None
    output: dict[str, Any]
    language: str = Field(
        description="The printer's command language, such as `escpos` or `starprnt`."
    )
    profile: str
    width_mm: int
    code_page: str | None
    checks: bool
    stations: list[str] = Field(description="Stations whose tickets it prints.")
    bills: bool
    copies: int
    fallback_id: str | None
    fallback_seconds: int
    enabled: bool
    state: str = Field(
        examples=["ready"],
        description="What the printer last reported, such as `ready` or `paper_out`.",
    )
    detail: str
    state_since: str
    seen_at: str | None
    url: str = Field(description="What a printer that asks by itself polls. Keep it secret.")


class PrinterPage(BaseModel):
    data: list[PrinterShape]
    next: None


class PrinterQuery(BaseModel):
    site_id: str | None = Field(None, max_length=40)


class AgentShape(BaseModel):
    id: str
    site_id: str
    name: str
    version: str
    online: bool
    seen_at: str | None
    paired_at: str
    found: list[dict[str, Any]] = Field(description="Printers it saw on its network.")


class AgentPage(BaseModel):
    data: list[AgentShape]
    next: None


class AgentFields(BaseModel):
    name: str = Field(max_length=80)


class NewCode(BaseModel):
    site_id: str = Field(max_length=40)


class CodeShape(BaseModel):
    code: str = Field(examples=["7KQ2-M9XD"], description="Typed at the site, good once.")
    expires_at: str


class JobShape(BaseModel):
    id: str
    site_id: str
    printer_id: str
    kind: str = Field(
        examples=["order"],
        description="What is on the ticket, such as `order`, `addition`, `void` or `bill`.",
    )
    title: str
    order_id: str = Field(description="The order's number; empty when no order made it.")
    station: str
    copy_number: int
    state: str = Field(
        examples=["printed"],
        description="`queued`, `claimed`, `printed`, `failed` or `unconfirmed`.",
    )
    detail: str
    reprint_of: str | None
    fallback_of: str | None
    queued_at: str
    settled_at: str | None
    evidence: list[dict[str, Any]]


class JobPage(BaseModel):
    data: list[JobShape]
    next: str | None


class JobQuery(PageQuery):
    printer_id: str | None = Field(None, max_length=40)
    state: Literal[printing_choices.JOB_STATES] | None = None  # type: ignore[valid-type]


class Made(BaseModel):
    id: str = Field(description="The print job that was queued.")


@v1.get("/printers", tags=[PRINTERS], summary="List printers", responses={200: PrinterPage})
@key_may("printers")
def list_printers(query: PrinterQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        found = printers.listed(query.site_id)
        return {"data": [printer_json(one) for one in found], "next": None}


@v1.post("/printers", tags=[PRINTERS], summary="Add a printer", responses={201: PrinterShape})
@key_may("printers")
@idempotent
def add_printer(body: NewPrinter) -> JsonAnswer:
    values = body.given()
    site = sites.get(values.pop("site_id"))
    made = printers.add(site.id, values.pop("name"), values.pop("way"), values)
    return printer_json(made), 201


@v1.get(
    "/printers/<printer_id>", tags=[PRINTERS], summary="One printer", responses={200: PrinterShape}
)
@key_may("printers")
def read_printer(path: PrinterPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return printer_json(printers.get(path.printer_id))


@v1.patch(
    "/printers/<printer_id>",
    tags=[PRINTERS],
    summary="Change a printer",
    responses={200: PrinterShape},
)
@key_may("printers")
def change_printer(path: PrinterPath, body: PrinterFields) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return printer_json(printers.change(path.printer_id, body.given()))


@v1.delete(
    "/printers/<printer_id>", tags=[PRINTERS], summary="Remove a printer", responses={204: None}
)
@key_may("printers")
def remove_printer(path: PrinterPath) -> tuple[str, int]:
    with tenant_scope(g.tenant_id):
        printers.remove(path.printer_id)
    return "", 204


@v1.post(
    "/printers/<printer_id>/test",
    tags=[PRINTERS],
    summary="Print a test ticket",
    responses={201: Made},
)
@key_may("printers")
@idempotent
def test_printer(path: PrinterPath) -> JsonAnswer:
    printer = printers.get(path.printer_id)
    site = sites.get(printer.site_id)
    made = utility_tickets.test_ticket(
        printer, language=site.languages[0], time_zone=site.time_zone, site=site.name
    )
    return {"id": made}, 201


@v1.get("/print-agents", tags=[AGENTS], summary="List print agents", responses={200: AgentPage})
@key_may("printers")
def list_agents() -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return {"data": [agent_json(one) for one in agents.listed()], "next": None}


@v1.post(
    "/print-agents",
    tags=[AGENTS],
    summary="A pairing code for a new agent",
    responses={201: CodeShape},
)
@key_may("printers")
@idempotent
def new_agent(body: NewCode) -> JsonAnswer:
    code, shown = agents.new_code(sites.get(body.site_id).id)
    return {"code": shown, "expires_at": rfc3339(code.expires_at)}, 201


@v1.get("/print-agents/<agent_id>", tags=[AGENTS], summary="One agent", responses={200: AgentShape})
@key_may("printers")
def read_agent(path: AgentPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return agent_json(agents.get(path.agent_id))


@v1.patch(
    "/print-agents/<agent_id>",
    tags=[AGENTS],
    summary="Rename an agent",
    responses={200: AgentShape},
)
@key_may("printers")
def change_agent(path: AgentPath, body: AgentFields) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return agent_json(agents.rename(path.agent_id, body.name))


@v1.delete(
    "/print-agents/<agent_id>", tags=[AGENTS], summary="Remove an agent", responses={204: None}
)
@key_may("printers")
def remove_agent(path: AgentPath) -> tuple[str, int]:
    with tenant_scope(g.tenant_id):
        agents.revoke(path.agent_id)
    return "", 204


@v1.get("/print-jobs", tags=[JOBS], summary="List print jobs", responses={200: JobPage})
@key_may("printers")
def list_jobs(query: JobQuery) -> dict[str, Any]:
    state = query.state if query.state in printing_choices.JOB_STATES else None
    filters = print_job_queries.PrintJobFilters(printer_id=query.printer_id, state=state)
    with tenant_scope(g.tenant_id):
        found = print_job_queries.listed(filters, query.after, query.limit + 1)
        return page(found, query, lambda row: row.id, job_json)


@v1.get(
    "/print-jobs/<print_job_id>", tags=[JOBS], summary="One print job", responses={200: JobShape}
)
@key_may("printers")
def read_job(path: JobPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return job_json(print_job_queries.get(path.print_job_id))


@v1.post(
    "/print-jobs/<print_job_id>/reprint",
    tags=[JOBS],
    summary="Print a ticket again, headed REPRINT",
    responses={201: Made},
)
@key_may("printers")
@idempotent
def reprint_job(path: JobPath) -> JsonAnswer:
    return {"id": print_job_queries.reprint(path.print_job_id)}, 201


def printer_json(printer: Printer) -> dict[str, Any]:
    settings: Settings = current_app.extensions["comanda"]
    door = PRINTER_PATHS.get(printer.way)
    same = (
        "id", "site_id", "name", "way", "agent_id", "output", "language", "profile", "width_mm",
        "code_page", "checks", "stations", "bills", "copies", "fallback_id", "fallback_seconds",
        "enabled", "state", "detail",
    )  # fmt: skip
    return {name: getattr(printer, name) for name in same} | {
        "state_since": rfc3339(printer.state_since),
        "seen_at": rfc3339(printer.seen_at) if printer.seen_at else None,
        "url": f"{settings.base_url}/print/{door}/{printer.secret}" if door else "",
    }


def agent_json(agent: PrintAgent) -> dict[str, Any]:
    return {
        "id": agent.id,
        "site_id": agent.site_id,
        "name": agent.name,
        "version": agent.version,
        "online": agents.is_online(agent),
        "seen_at": rfc3339(agent.seen_at) if agent.seen_at else None,
        "paired_at": rfc3339(agent.paired_at),
        "found": agent.found,
    }


def job_json(job: PrintJob) -> dict[str, Any]:
    same = (
        "id", "site_id", "printer_id", "kind", "title", "station", "state", "detail",
        "reprint_of", "fallback_of", "evidence",
    )  # fmt: skip
    return {name: getattr(job, name) for name in same} | {
        "order_id": job.order_number,
        "copy_number": job.copy,
        "queued_at": rfc3339(job.queued_at),
        "settled_at": rfc3339(job.settled_at) if job.settled_at else None,
    }
