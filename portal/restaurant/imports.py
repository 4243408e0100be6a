"""A menu from a file, and what is sold out: both in one step."""

import base64
import binascii
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.clock import now
from core.db import tenant_scope
from core.errors import invalid
from portal.forms import refusals_on
from portal.restaurant.forms import Plain, typed
from portal.restaurant.menus import namer
from portal.visitors import member_may
from portal.words import in_words
from restaurant import availability, menu_import, menus, sites

kitchen_pages = Blueprint("kitchen", __name__)

SHOWN = 200


@kitchen_pages.route("/menus/<menu_id>/import", methods=["GET", "POST"])
@member_may("restaurant.manage")
def bring_in(menu_id: str) -> Any:
    """Uploaded, looked at, then written with one more click; the file travels with the form."""
    form, reading, carried = Plain(), None, ""
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
    if form.validate_on_submit():
        with refusals_on(form):
            data, filename = _file()
            reading = menu_import.read(menu, data, filename)
            carried = base64.b64encode(data).decode()
            if request.form.get("act") == "write" and not reading.faults:
                with tenant_scope(g.tenant_id):
                    done = menu_import.write(menus.get(menu_id), reading)
                flash(
                    gettext(
                        "Imported to the draft: %(added)s new, %(changed)s changed.",
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
        said=in_words,
        columns=_columns(menu.languages),
    )


@kitchen_pages.get("/restaurants/<site_id>/sold-out")
@member_may("orders.view")
def sold_out(site_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        gone = availability.sold_out_now(site_id)
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
    asked = request.args.get("q", "").replace("\0", "").strip()
    name = namer(menu) if menu else None
    if asked and name:
        rows = [
            (category, [item for item in items if asked.casefold() in name(item).casefold()])
            for category, items in rows
        ]
        options = []
    return render_template(
        "restaurants/sold_out.html",
        site=site,
        menu=menu,
        rows=[row for row in rows if row[1]],
        options=options,
        gone=gone,
        name=name,
        q=asked,
    )


@kitchen_pages.post("/restaurants/<site_id>/sold-out")
@member_may("orders.manage")
def sell_out(site_id: str) -> Any:
    """`until`: tomorrow, put_back (until somebody puts it back), or back."""
    thing, until = typed("thing", 60), request.form.get("until", "")
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        if until == "back":
            availability.put_back(site, thing)
        elif thing.startswith(("itm_", "opt_")):
            back = availability.until_tomorrow(site, now()) if until == "tomorrow" else None
            availability.sell_out(site, thing, back)
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
    return file.read(menu_import.LARGEST_FILE + 1), file.filename


def _columns(languages: list[str]) -> list[str]:
    names = ["category", "name", "description", "price", "tax", "stations", "allergens", "diets"]
    return [*names, "code", *(f"name_{one}" for one in languages[1:])]
