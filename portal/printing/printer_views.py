"""Printers and print agents: their state, and the stations they print for."""

from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.clock import now
from core.db import tenant_scope
from core.errors import DomainError, NotFound
from core.ids import BadId
from core.settings import Settings
from portal.printing.agent_setup import SYSTEMS, guess_system, setup_for
from portal.printing.forms import NewPrinterForm, PrinterForm
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text, submitted_text
from printing import agents, printers, utility_tickets
from printing import queries as print_job_queries
from printing.choices import output_label
from printing.connections.base import Connection
from printing.connections.registry import CONNECTIONS
from printing.models import Printer
from printing.rendering.profiles import UnsupportedFormat
from printing.rendering.render import code_page_choices
from restaurant.models import Site
from restaurant.orders.printing import station_coverage
from restaurant.sites import sites, stations

printers_pages = Blueprint("printers", __name__, url_prefix="/printers")

PRINTER = "/<printer_id>"


@printers_pages.app_template_global()
def printer_connections() -> dict[str, Connection]:
    return CONNECTIONS


@printers_pages.get("")
@member_may("printing.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        known = sites.listed()
        listed = printers.listed()
        computers = agents.listed()
        waiting = {one.id: print_job_queries.queue_length(one.id) for one in listed}
        unsure = print_job_queries.unconfirmed_jobs()
        missing = {
            site.id: bare for site, bare in station_coverage.uncovered_stations(known, listed)
        }
        shown = {
            site.id: [one for one in stations.listed(site.id) if one.display_only] for site in known
        }
    return render_template(
        "printing/printers.html",
        sites=known,
        printers=listed,
        names={one.id: one.name for one in listed},
        agents=computers,
        online={one.id: agents.is_online(one) for one in computers},
        waiting=waiting,
        unsure=unsure,
        missing=missing,
        displays=shown,
        output_words=output_label,
    )


@printers_pages.post("/stations")
@member_may("printing.manage")
def station() -> Any:
    """Mark a station as using the kitchen display: no printer and no warning needed."""
    try:
        with tenant_scope(g.tenant_id):
            site = sites.get(request.form.get("site", "")[:40])
            code = submitted_text("station", 40)
            known = stations.set_display_only(site, code, request.form.get("display") == "yes")
            name = gettext(known.name)
    except (NotFound, BadId):
        flash(gettext("This station no longer exists."), "error")
        return redirect(url_for("printers.index"))
    if known.display_only:
        flash(gettext("“%(name)s” uses the kitchen display.", name=name), "success")
    else:
        flash(gettext("“%(name)s” requires a printer again.", name=name), "success")
    return redirect(url_for("printers.index"))


@printers_pages.route("/new", methods=["GET", "POST"])
@member_may("printing.manage")
def new() -> Any:
    """Ask for name and connection first; the other settings are on the printer's page."""
    form = NewPrinterForm(site=request.args.get("site", "")[:40])
    with tenant_scope(g.tenant_id):
        form.offer([(one.id, one.name) for one in sites.listed()])
    if not form.site.choices:
        flash(gettext("Add a restaurant first."), "info")
        return redirect(url_for("printers.index"))
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                site = sites.get(form.site.data)
                made = _add(site, field_text(form.name), form.way.data)
            return redirect(url_for("printers.printer", printer_id=made.id))
    return render_template("printing/new.html", form=form)


def _add(site: Site, name: str, way: str) -> Printer:
    """Add a printer for the first station, and for bills, that have no printer yet."""
    served = {code for one in printers.listed(site.id) for code in one.stations}
    free = [one.code for one in stations.listed(site.id) if one.code not in served]
    values: dict[str, Any] = {
        "stations": free[:1],
        "bills": not printers.for_bills(site.id),
    }
    if not CONNECTIONS[way].polls:
        computers = agents.listed(site.id)
        values |= {"output": {"kind": "demo"}, "agent_id": computers[0].id if computers else None}
    return printers.add(site.id, name, way, values)


@printers_pages.get(PRINTER)
@member_may("printing.view")
def printer(printer_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = printers.get(printer_id)
    return _page(known, None)


@printers_pages.post(PRINTER)
@member_may("printing.manage")
def save(printer_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = printers.get(printer_id)
        form = _form(known)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                printers.change(printer_id, form.values(known.way))
            flash(gettext("Saved."), "success")
            return redirect(url_for("printers.printer", printer_id=printer_id))
    return _page(known, form)


@printers_pages.post(f"{PRINTER}/test")
@member_may("printing.manage")
def test(printer_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = printers.get(printer_id)
        site = sites.get(known.site_id)
        job_id = utility_tickets.test_ticket(
            known, language=site.languages[0], time_zone=site.time_zone, site=site.name
        )
    return redirect(url_for("print_jobs.job", print_job_id=job_id))


@printers_pages.post(f"{PRINTER}/strip")
@member_may("printing.manage")
def strip(printer_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = printers.get(printer_id)
        site = sites.get(known.site_id)
        utility_tickets.code_page_samples(
            known, language=site.languages[0], time_zone=site.time_zone
        )
    flash(gettext("The strip is being printed. Choose the row that looks right."), "success")
    return redirect(url_for("printers.printer", printer_id=printer_id, _anchor="code-page"))


@printers_pages.post(f"{PRINTER}/code-page")
@member_may("printing.manage")
def code_page(printer_id: str) -> Any:
    code_page = submitted_text("page", 40)
    with tenant_scope(g.tenant_id):
        known = printers.get(printer_id)
        if code_page and code_page not in code_page_choices(printers.print_format(known)):
            flash(gettext("Choose a row from the strip."), "error")
        else:
            printers.change(printer_id, {"code_page": code_page})
            flash(gettext("Tickets now use this code page."), "success")
    return redirect(url_for("printers.printer", printer_id=printer_id, _anchor="code-page"))


@printers_pages.route(f"{PRINTER}/address", methods=["GET", "POST"])
@member_may("printing.manage")
def address(printer_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = printers.get(printer_id)
    return confirm_then(
        in_tenant(printers.renew_secret, printer_id),
        title=gettext("Create a new address for “%(name)s”?", name=known.name),
        text=gettext(
            "The old address stops working immediately. Enter the new one in the printer."
        ),
        yes=gettext("Create new address"),
        back_url=url_for("printers.printer", printer_id=printer_id),
        done=gettext("New printer address created."),
    )


@printers_pages.route(f"{PRINTER}/remove", methods=["GET", "POST"])
@member_may("printing.manage")
def remove(printer_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = printers.get(printer_id)
    return confirm_then(
        in_tenant(printers.remove, printer_id),
        title=gettext("Delete “%(name)s”?", name=known.name),
        text=gettext("Waiting tickets will not be printed. You can still view its past tickets."),
        yes=gettext("Delete printer"),
        back_url=url_for("printers.printer", printer_id=printer_id),
        done=gettext("“%(name)s” was deleted.", name=known.name),
        done_url=url_for("printers.index"),
    )


@printers_pages.post("/pair")
@member_may("printing.manage")
def pair() -> Any:
    site_id = request.form.get("site", "")[:40]
    try:
        with tenant_scope(g.tenant_id):
            code, _shown = agents.new_code(sites.get(site_id).id)
    except (DomainError, BadId):
        flash(gettext("Choose a restaurant."), "error")
        return redirect(url_for("printers.index"))
    return redirect(url_for("printers.pairing", code_id=code.id))


@printers_pages.get("/pairing/<code_id>")
@member_may("printing.manage")
def pairing(code_id: str) -> Any:
    """With `X-Part`, only the parts that change."""
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        code = agents.code_state(code_id)
        site = sites.get(code.site_id)
        agent = agents.get(code.agent_id) if code.agent_id and code.used_at else None
    facts: dict[str, Any] = {
        "code": code,
        "site": site,
        "agent": agent,
        "late": agent is None and code.expires_at <= now(),
        "systems": SYSTEMS,
        "setup": None,
    }
    if code.code:
        system = request.args.get("system") or guess_system(request.headers.get("User-Agent", ""))
        facts["setup"] = setup_for(system, settings.base_url, code.code)
    part = "X-Part" in request.headers
    return render_template(f"printing/{'pairing_state' if part else 'pairing'}.html", **facts)


@printers_pages.route("/agents/<agent_id>/remove", methods=["GET", "POST"])
@member_may("printing.manage")
def remove_agent(agent_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = agents.get(agent_id)
    return confirm_then(
        in_tenant(agents.revoke, agent_id),
        title=gettext("Delete “%(name)s”?", name=known.name),
        text=gettext(
            "Its token stops working immediately. Its printers wait until "
            "you assign another print agent."
        ),
        yes=gettext("Delete print agent"),
        back_url=url_for("printers.index"),
        done=gettext("“%(name)s” was deleted.", name=known.name),
    )


def _page(known: Printer, broken: PrinterForm | None) -> Any:
    settings: Settings = current_app.extensions["comanda"]
    with tenant_scope(g.tenant_id):
        form = broken
        if form is None and may("printing.manage"):
            form = _form(known, fresh=True)
            form.show(known)
        recent = print_job_queries.listed(
            print_job_queries.PrintJobFilters(printer_id=known.id), None, 6
        )
        names = {one.id: one.name for one in printers.listed(known.site_id)}
        computers = {one.id: one for one in agents.listed()}
        waiting = print_job_queries.queue_length(known.id)
        site = sites.get(known.site_id)
    agent = computers.get(known.agent_id or "")
    try:
        rows = code_page_choices(printers.print_format(known))
    except UnsupportedFormat:
        rows = []
    return render_template(
        "printing/printer.html",
        printer=known,
        site=site,
        form=form,
        recent=recent,
        names=names,
        agent=agent,
        online=agent is not None and agents.is_online(agent),
        waiting=waiting,
        rows=rows,
        found=agent.found if agent else [],
        address=CONNECTIONS[known.way].address(settings.base_url, known.secret),
        output_words=output_label,
    )


def _form(known: Printer, *, fresh: bool = False) -> PrinterForm:
    form = PrinterForm(formdata=None) if fresh else PrinterForm()
    others = [one for one in printers.listed(known.site_id) if one.id != known.id]
    form.offer(agents.listed(known.site_id), stations.listed(known.site_id), others)
    return form
