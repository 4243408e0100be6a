"""Printers, print agents and print jobs."""

from typing import Any

from flask import current_app, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.paging import page
from api.v1 import v1
from api.v1.schemas.restaurant.printers import (
    AgentFields,
    AgentPage,
    AgentPath,
    AgentShape,
    CodeShape,
    JobPage,
    JobPath,
    JobQuery,
    JobShape,
    Made,
    NewCode,
    NewPrinter,
    PrinterFields,
    PrinterPage,
    PrinterPath,
    PrinterQuery,
    PrinterShape,
)
from core.clock import rfc3339
from core.db import tenant_scope
from core.settings import Settings
from printing import agents, printers, utility_tickets
from printing import choices as printing_choices
from printing import queries as print_job_queries
from printing.connections.registry import CONNECTIONS
from printing.models import PrintAgent, Printer, PrintJob
from printing.reasons import PRINTING_REASONS
from restaurant.sites import sites

PRINTERS, AGENTS, JOBS = Tag(name="Printers"), Tag(name="Print agents"), Tag(name="Print jobs")


@v1.get("/printers", tags=[PRINTERS], summary="List printers", responses={200: PrinterPage})
@key_may("printers")
def list_printers(query: PrinterQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        found = printers.listed(query.site_id)
        return {"data": [printer_json(one) for one in found], "next": None}


@v1.post("/printers", tags=[PRINTERS], summary="Add printer", responses={201: PrinterShape})
@key_may("printers")
@idempotent
def add_printer(body: NewPrinter) -> JsonAnswer:
    values = body.filled_values()
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
    summary="Update a printer",
    responses={200: PrinterShape},
)
@key_may("printers")
def change_printer(path: PrinterPath, body: PrinterFields) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return printer_json(printers.change(path.printer_id, body.filled_values()))


@v1.delete(
    "/printers/<printer_id>", tags=[PRINTERS], summary="Delete a printer", responses={204: None}
)
@key_may("printers")
def remove_printer(path: PrinterPath) -> tuple[str, int]:
    with tenant_scope(g.tenant_id):
        printers.remove(path.printer_id)
    return "", 204


@v1.post(
    "/printers/<printer_id>/test",
    tags=[PRINTERS],
    summary="Print test ticket",
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
    summary="Create a pairing code for a print agent",
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
    summary="Rename a print agent",
    responses={200: AgentShape},
)
@key_may("printers")
def change_agent(path: AgentPath, body: AgentFields) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return agent_json(agents.rename(path.agent_id, body.name))


@v1.delete(
    "/print-agents/<agent_id>", tags=[AGENTS], summary="Delete a print agent", responses={204: None}
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
    "/print-jobs/<print_job_id>", tags=[JOBS], summary="Get a print job", responses={200: JobShape}
)
@key_may("printers")
def read_job(path: JobPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return job_json(print_job_queries.get(path.print_job_id))


@v1.post(
    "/print-jobs/<print_job_id>/reprint",
    tags=[JOBS],
    summary="Reprint a ticket",
    responses={201: Made},
)
@key_may("printers")
@idempotent
def reprint_job(path: JobPath) -> JsonAnswer:
    return {"id": print_job_queries.reprint(path.print_job_id)}, 201


def printer_json(printer: Printer) -> dict[str, Any]:
    settings: Settings = current_app.extensions["comanda"]
    same = (
        "id", "site_id", "name", "way", "agent_id", "output", "language", "profile", "width_mm",
        "code_page", "checks", "stations", "bills", "copies", "fallback_id", "fallback_seconds",
        "enabled", "state",
    )  # fmt: skip
    return {name: getattr(printer, name) for name in same} | {
        "detail": PRINTING_REASONS.english(printer.detail),
        "state_since": rfc3339(printer.state_since),
        "seen_at": rfc3339(printer.seen_at) if printer.seen_at else None,
        "url": CONNECTIONS[printer.way].address(settings.base_url, printer.secret),
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
        "id", "site_id", "printer_id", "kind", "title", "station", "state",
        "reprint_of", "fallback_of", "evidence",
    )  # fmt: skip
    return {name: getattr(job, name) for name in same} | {
        "detail": PRINTING_REASONS.english(job.detail),
        "order_id": job.order_number,
        "copy_number": job.copy,
        "queued_at": rfc3339(job.queued_at),
        "settled_at": rfc3339(job.settled_at) if job.settled_at else None,
    }
