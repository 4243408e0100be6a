"""Areas, tables and their QR codes, on sheets to cut out or one by one."""

from typing import Any

from flask import (
    Blueprint,
    Response,
    current_app,
    flash,
    g,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext, ngettext

from core.db import tenant_scope
from core.errors import Invalid
from core.settings import Settings
from core.storage.blobs import Blobs, NoSuchBlob
from portal.restaurant.forms import AreaForm, TableForm, TablesForm
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text, submitted_text
from restaurant.models import Area, Site, Table
from restaurant.sites import sites, table_codes_pdf, tables

tables_pages = Blueprint("tables", __name__, url_prefix="/restaurants")


@tables_pages.get("/<site_id>/tables")
@member_may("restaurant.view")
def index(site_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        areas, listed = tables.areas(site.id), tables.listed(site.id)
    return _index(site, areas, listed, _form(areas) if may("restaurant.manage") else None)


@tables_pages.post("/<site_id>/tables")
@member_may("restaurant.manage")
def add(site_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        areas, listed = tables.areas(site.id), tables.listed(site.id)
    form = _form(areas)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                area_id = form.area_id.data or None
                if name := submitted_text("area", 60):
                    area_id = tables.add_area(site, name).id
                made = tables.add_tables(
                    site,
                    submitted_text("numbers", 400),
                    area_id=area_id,
                    seats=form.seats.data or 4,
                )
            message = ngettext("%(num)s table added.", "%(num)s tables added.", len(made))
            flash(message, "success")
            return redirect(url_for("tables.index", site_id=site_id))
    return _index(site, areas, listed, form)


@tables_pages.get("/<site_id>/tables.pdf")
@member_may("restaurant.manage")
def sheet(site_id: str) -> Any:
    """The codes of all tables, or of one area, six to a page."""
    area = request.args.get("area", "")
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        chosen = [one for one in tables.listed(site_id) if not area or one.area_id == area]
    if not chosen:
        raise Invalid("no_tables", "Add a table first. There are no table codes to print.")
    data = table_codes_pdf.render_pdf(
        site, chosen, lambda table: _address(site, table), _logo(site)
    )
    answer = Response(data, mimetype="application/pdf")
    answer.headers["Content-Disposition"] = f'inline; filename="{site.slug}-tables.pdf"'
    return answer


@tables_pages.route("/tables/<table_id>", methods=["GET", "POST"])
@member_may("restaurant.manage")
def edit(table_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        table = tables.get(table_id)
        site = sites.get(table.site_id)
        areas = tables.areas(site.id)
    form = TableForm(number=table.number, seats=table.seats, area_id=table.area_id or "")
    form.offer([(area.id, area.name) for area in areas])
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                area_id = form.area_id.data or None
                if name := submitted_text("area", 60):
                    area_id = tables.add_area(site, name).id
                tables.change(
                    table_id,
                    number=field_text(form.number),
                    seats=form.seats.data or 4,
                    area_id=area_id,
                )
            flash(gettext("Saved."), "success")
            return redirect(url_for("tables.index", site_id=site.id, _anchor=table_id))
    return render_template("restaurants/table.html", site=site, table=table, form=form)


@tables_pages.route("/areas/<area_id>", methods=["GET", "POST"])
@member_may("restaurant.manage")
def rename_area(area_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        area = tables.area(area_id)
        site = sites.get(area.site_id)
    form = AreaForm(name=area.name)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                tables.rename_area(area_id, field_text(form.name))
            flash(gettext("Saved."), "success")
            return redirect(url_for("tables.index", site_id=site.id))
    return render_template("restaurants/area.html", site=site, area=area, form=form)


@tables_pages.get("/tables/<table_id>/code.svg")
@member_may("restaurant.manage")
def svg(table_id: str) -> Any:
    name, address = _code(table_id)
    return _download(table_codes_pdf.code_svg(address), "image/svg+xml", f"{name}.svg")


@tables_pages.get("/tables/<table_id>/code.png")
@member_may("restaurant.manage")
def png(table_id: str) -> Any:
    name, address = _code(table_id)
    return _download(table_codes_pdf.code_png(address), "image/png", f"{name}.png")


@tables_pages.route("/tables/<table_id>/rotate", methods=["GET", "POST"])
@member_may("restaurant.manage")
def rotate(table_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        table = tables.get(table_id)
    return confirm_then(
        in_tenant(tables.rotate_token, table_id),
        title=gettext("Create a new code for table %(number)s?", number=table.number),
        text=gettext(
            "The printed code no longer confirms that a guest is at this "
            "table. Print the new code and replace it."
        ),
        yes=gettext("Create new code"),
        back_url=url_for("tables.index", site_id=table.site_id),
        done=gettext(
            "Table %(number)s has a new code. Print it and replace the old one.",
            number=table.number,
        ),
    )


@tables_pages.route("/tables/<table_id>/remove", methods=["GET", "POST"])
@member_may("restaurant.manage")
def remove(table_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        table = tables.get(table_id)
    return confirm_then(
        in_tenant(tables.remove, table_id),
        title=gettext("Delete table %(number)s?", number=table.number),
        text=gettext("Its printed code still opens the menu, but without a table."),
        yes=gettext("Delete table"),
        back_url=url_for("tables.index", site_id=table.site_id),
        done=gettext("Table %(number)s deleted.", number=table.number),
    )


def _code(table_id: str) -> tuple[str, str]:
    with tenant_scope(g.tenant_id):
        table = tables.get(table_id)
        site = sites.get(table.site_id)
    return sites.suggest_slug_and_prefix(f"{site.slug} {table.number}")[0], _address(site, table)


def _download(data: bytes, kind: str, name: str) -> Response:
    answer = Response(data, mimetype=kind)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _index(site: Site, areas: list[Area], listed: list[Table], form: TablesForm | None) -> Any:
    rooms: list[tuple[Any, list[Table]]] = [
        (area, [one for one in listed if one.area_id == area.id]) for area in areas
    ]
    rooms.append((None, [one for one in listed if one.area_id is None]))
    return render_template(
        "restaurants/tables.html",
        site=site,
        rooms=[(area, found) for area, found in rooms if found],
        form=form,
        any_tables=bool(listed),
    )


def _form(areas: list[Area]) -> TablesForm:
    form = TablesForm()
    form.offer([(area.id, area.name) for area in areas])
    return form


def _address(site: Site, table: Table) -> str:
    settings: Settings = current_app.extensions["comanda"]
    return tables.table_url(settings.base_url, site, table, settings.menu_domain)


def _logo(site: Site) -> bytes | None:
    blobs: Blobs = current_app.extensions["blobs"]
    if not site.logo:
        return None
    try:
        with blobs.open(f"photos/{site.logo}") as file:
            return file.read()
    except NoSuchBlob:
        return None
