"""Importing a menu from a file, and marking items as sold out."""

import base64
import binascii
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.clock import now
from core.db import tenant_scope
from core.errors import DomainError, NotFound, invalid
from portal.restaurant.forms import BareForm, station_names
from portal.restaurant.item_views import typed_count
from portal.restaurant.menu_views import name_lookup
from portal.web.auth import member_may
from portal.web.csv_files import csv_response, xlsx_answer
from portal.web.forms import domain_errors_on, submitted_text, text_in_url
from portal.web.i18n import error_message
from restaurant.menus import availability, import_files, menu_import, menus, stock
from restaurant.models import Menu, Site
from restaurant.sites import sites

kitchen_pages = Blueprint("kitchen", __name__)

SHOWN = 200
SAMPLE_COLUMNS = {
    "en": "category|name|description|price|tax|stations|allergens|diets|synonyms|code",
    "tr": "kategori|ad|açıklama|fiyat|kdv|istasyon|alerjenler|diyet|diğer adlar|kod",
}
SAMPLE = {
    "en": (
        "Starters|Lentil soup|With lemon|6.50|10|kitchen|celery|vegan|lentil|101",
        "Grill|Grilled sea bass|With rocket|18.90|10|kitchen|fish||bass;sea bass|201",
        "Drinks|Lemonade||4.00|10|bar||vegan||301",
    ),
    "tr": (
        "Çorbalar|Mercimek çorbası|Limonla|120|10|mutfak|kereviz|vegan|mercimek|101",
        "Izgara|Izgara levrek|Roka ile|480,50|10|mutfak|balık||levrek|201",
        "İçecekler|Ayran||45|10|bar|süt|vejetaryen||301",
    ),
}


@kitchen_pages.route("/menus/<menu_id>/import", methods=["GET", "POST"])
@member_may("restaurant.manage")
def bring_in(menu_id: str) -> Any:
    """Upload, review, then import with one more click; the file is carried in the form."""
    form, reading, carried = BareForm(), None, ""
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
        places = _places(menu)
        names = station_names(places)
    if form.validate_on_submit():
        with domain_errors_on(form):
            data, filename = _file()
            data = import_files.as_table(data)
            with tenant_scope(g.tenant_id):
                reading = menu_import.parse_file(menu, data, filename, places)
            carried = base64.b64encode(data).decode()
            if request.form.get("act") == "write" and not reading.faults:
                with tenant_scope(g.tenant_id):
                    done = menu_import.apply_import(
                        menus.get(menu_id), reading, _station_choices(), places
                    )
                flash(
                    gettext(
                        "Imported into the draft: %(added)s new, %(changed)s updated.",
                        added=done.added,
                        changed=done.changed,
                    ),
                    "success",
                )
                return redirect(url_for("menus.show", menu_id=menu_id))
    return render_template(
        "menus/import.html",
        menu=menu,
        form=form,
        reading=reading,
        carried=carried,
        shown=SHOWN,
        error_text=error_message,
        columns=_columns(menu.languages),
        stations=names,
        places=places,
        new_station=menu_import.NEW_STATION,
    )


@kitchen_pages.get("/menus/<menu_id>/import/sample.csv")
@member_may("restaurant.manage")
def sample(menu_id: str) -> Any:
    return csv_response("menu", *_sample(menu_id))


@kitchen_pages.get("/menus/<menu_id>/import/sample.xlsx")
@member_may("restaurant.manage")
def sample_xlsx(menu_id: str) -> Any:
    return xlsx_answer("menu", *_sample(menu_id))


def _sample(menu_id: str) -> tuple[list[str], list[list[str]]]:
    """A few sample rows to overwrite, with column names in the menu's language."""
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
    language, others = "tr" if menu.languages[0] == "tr" else "en", menu.languages[1:]
    head = [*SAMPLE_COLUMNS[language].split("|"), *(f"name_{one}" for one in others)]
    rows = [[*row.split("|"), *("" for _one in others)] for row in SAMPLE[language]]
    return head, rows


@kitchen_pages.get("/restaurants/<site_id>/sold-out")
@member_may("orders.view")
def sold_out(site_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        sold_out_ids = availability.sold_out_now(site_id)
        left = stock.left_counts(site_id)
        menu, rows, options = None, [], []
        if site.menu_id is not None:
            menu = menus.get(site.menu_id)
            items = menus.items(menu.id)
            rows = [
                (category, [item for item in items if item.category_id == category.id])
                for category in menus.categories(menu.id)
            ]
            groups = menus.groups(menu.id)
            by_group = menus.options_of([group.id for group in groups])
            options = [(group, by_group[group.id]) for group in groups]
    query = text_in_url("q", 80)
    name = name_lookup(menu) if menu else None
    if query and name:
        rows = [
            (category, [item for item in items if query.casefold() in name(item).casefold()])
            for category, items in rows
        ]
        options = []
    return render_template(
        "restaurants/sold_out.html",
        site=site,
        menu=menu,
        rows=[row for row in rows if row[1]],
        options=options,
        gone=sold_out_ids,
        left=left,
        name=name,
        q=query,
    )


@kitchen_pages.post("/restaurants/<site_id>/sold-out")
@member_may("orders.manage")
def sell_out(site_id: str) -> Any:
    """`until`: tomorrow, put_back (until staff put it back), or back (available again)."""
    thing, until = submitted_text("thing", 60), request.form.get("until", "")
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        if until == "back":
            availability.mark_available(site, thing)
        elif thing.startswith(("itm_", "opt_")):
            back = (
                availability.next_business_day_start(site, now()) if until == "tomorrow" else None
            )
            availability.mark_sold_out(site, thing, back)
    return redirect(url_for("kitchen.sold_out", site_id=site_id, _anchor=thing or None))


@kitchen_pages.post("/restaurants/<site_id>/sold-out/count")
@member_may("orders.manage")
def count(site_id: str) -> Any:
    """Enter how many pieces of an item are left; empty: no longer count it."""
    thing, typed = submitted_text("thing", 60), submitted_text("left", 6)
    try:
        with tenant_scope(g.tenant_id):
            site = sites.get(site_id)
            if thing.startswith("itm_"):
                stock.set_left(site, thing, typed_count(typed))
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(url_for("kitchen.sold_out", site_id=site_id, _anchor=thing or None))


def _file() -> tuple[bytes, str]:
    if carried := request.form.get("carried"):
        try:
            return base64.b64decode(carried, validate=True), ""
        except (binascii.Error, ValueError) as error:
            raise invalid("file", "no_file", "Choose a file.") from error
    file = request.files.get("file")
    if file is None or not file.filename:
        raise invalid("file", "no_file", "Choose a file.")
    return file.read(import_files.LARGEST_FILE + 1), file.filename


def _places(menu: Menu) -> list[Site]:
    """The restaurants that use the menu; all restaurants if none does."""
    known = sites.listed()
    return [site for site in known if site.menu_id == menu.id] or known


def _station_choices() -> dict[str, str]:
    """The choice made for each station in the file that no restaurant has."""
    prefix = "station-"
    return {
        name.removeprefix(prefix): value[:40]
        for name, value in request.form.items()
        if name.startswith(prefix)
    }


def _columns(languages: list[str]) -> list[str]:
    names = ["category", "name", "description", "price", "tax", "stations", "allergens", "diets",
             "synonyms"]  # fmt: skip
    return [*names, "code", *(f"name_{one}" for one in languages[1:])]
