"""Editing dishes and option groups: texts in every language, prices and the rest."""

from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.storage.blobs import Blobs
from portal.restaurant.forms import (
    ORDER_TYPE_NAMES,
    BareForm,
    station_names,
    submitted_hours,
    submitted_texts,
)
from portal.restaurant.menu_views import name_lookup
from portal.web.auth import member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, submitted_text
from restaurant.menus import menus, photos, stock
from restaurant.menus.menu_import import normalize_price
from restaurant.menus.validation import ALLERGENS, DIETS, MOST_OPTIONS, OTHER_PRICES
from restaurant.models import Menu, MenuItem, OptionGroup
from restaurant.sites import sites

items_pages = Blueprint("items", __name__, url_prefix="/menus")

BLANKS = 3  # empty rows for new options; a button adds more (js/option-rows.js)


@items_pages.route("/<menu_id>/items/new", methods=["GET", "POST"])
@member_may("restaurant.manage")
def new(menu_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
    return _item(menu, None)


@items_pages.route("/items/<item_id>", methods=["GET", "POST"])
@member_may("restaurant.manage")
def edit(item_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        item = menus.item(item_id)
        menu = menus.get(item.menu_id)
    return _item(menu, item)


@items_pages.post("/items/<item_id>/hidden")
@member_may("restaurant.manage")
def hide(item_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        item = menus.change_item(item_id, {"hidden": request.form.get("on") == "yes"})
    return redirect(url_for("menus.show", menu_id=item.menu_id, _anchor=item_id))


@items_pages.route("/items/<item_id>/remove", methods=["GET", "POST"])
@member_may("restaurant.manage")
def remove(item_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        item = menus.item(item_id)
        name = name_lookup(menus.get(item.menu_id))(item)
    return confirm_then(
        in_tenant(menus.remove_item, item_id),
        title=gettext("Delete “%(name)s”?", name=name),
        text=gettext(
            "It disappears from the menu the next time you publish. "
            "Existing orders keep its name and price."
        ),
        yes=gettext("Delete item"),
        back_url=url_for("items.edit", item_id=item_id),
        done=gettext("“%(name)s” was deleted.", name=name),
        done_url=url_for("menus.show", menu_id=item.menu_id),
    )


@items_pages.route("/<menu_id>/groups/new", methods=["GET", "POST"])
@member_may("restaurant.manage")
def new_group(menu_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
    return _group(menu, None)


@items_pages.route("/groups/<group_id>", methods=["GET", "POST"])
@member_may("restaurant.manage")
def group(group_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        one = menus.group(group_id)
        menu = menus.get(one.menu_id)
    return _group(menu, one)


@items_pages.route("/groups/<group_id>/remove", methods=["GET", "POST"])
@member_may("restaurant.manage")
def remove_group(group_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        one = menus.group(group_id)
        name = name_lookup(menus.get(one.menu_id))(one)
    return confirm_then(
        in_tenant(menus.remove_group, group_id),
        title=gettext("Delete “%(name)s”?", name=name),
        text=gettext("Items that use these options will no longer offer them."),
        yes=gettext("Delete options"),
        back_url=url_for("items.group", group_id=group_id),
        done=gettext("“%(name)s” was deleted.", name=name),
        done_url=url_for("menus.show", menu_id=one.menu_id),
    )


def _item(menu: Menu, item: MenuItem | None) -> Any:
    form = BareForm()
    with tenant_scope(g.tenant_id):
        categories, groups = menus.categories(menu.id), menus.groups(menu.id)
        every_site = sites.listed()
        known = station_names(every_site)
        places = [site for site in every_site if item is not None and site.menu_id == menu.id]
        left = {site.id: stock.left_counts(site.id).get(item.id) for site in places if item}
    shown = _stored(item) if item else _blank(categories)
    for code in shown["stations"]:  # no restaurant has it any more: show it, to be unticked
        known.setdefault(code, gettext("%(code)s (unknown station)", code=code))
    if form.validate_on_submit():
        shown = {**_typed_item(menu), "photo": shown["photo"]}
        with domain_errors_on(form):
            shown["photo"] = _photo(shown["photo"])
            with tenant_scope(g.tenant_id):
                values = {**shown, "price": normalize_price(shown["price"], menu.currency)}
                stored = menus.get(menu.id)
                if item is None:
                    item = menus.add_item(stored, values)
                else:
                    item = menus.change_item(item.id, values)
                    _count_stock(item)
            flash(
                gettext("Saved to the draft. Publish the menu to show the change to guests."),
                "success",
            )
            return redirect(url_for("menus.show", menu_id=menu.id, _anchor=item.id))
    return render_template(
        "menus/item.html",
        menu=menu,
        item=item,
        form=form,
        shown=shown,
        categories=categories,
        groups=groups,
        stations=known,
        allergens=ALLERGENS,
        diets=DIETS,
        name=name_lookup(menu),
        places=places,
        left=left,
        other_prices=[one for one in ORDER_TYPE_NAMES if one[0] in OTHER_PRICES],
    )


def _count_stock(item: MenuItem) -> None:
    """Numbers that were changed on the page; others may have been counted down meanwhile."""
    for site in sites.listed():
        typed = submitted_text(f"left-{site.id}", 6)
        if typed != submitted_text(f"left-{site.id}-was", 6):
            stock.set_left(site, item.id, typed_count(typed))


def typed_count(typed: str) -> int | None:
    """Raises Invalid for what is not a number; empty: no number."""
    if not typed:
        return None
    return int(typed) if typed.isdecimal() else -1


def _stored(item: MenuItem) -> dict[str, Any]:
    fields = (*menus.ITEM_FIELDS,)
    shown = {field: getattr(item, field) for field in fields}
    shown["price"] = format(item.price.normalize(), "f")
    shown["tax_percent"] = format(item.tax_percent.normalize(), "f")
    return shown


def _blank(categories: list[Any]) -> dict[str, Any]:
    category = request.args.get("category", "")
    known = [one.id for one in categories]
    first = category if category in known else next(iter(known), "")
    return {
        "category_id": first, "code": "", "texts": {}, "price": "", "tax_percent": "", "prices": {},
        "stations": ["kitchen"], "allergens": [], "diets": [], "synonyms": [],
        "photo": "", "available": {},
        "groups": [], "hidden": False,
    }  # fmt: skip


def _typed_item(menu: Menu) -> dict[str, Any]:
    return {
        "category_id": submitted_text("category_id", 60),
        "code": submitted_text("code", 60),
        "texts": submitted_texts(menu.languages),
        "price": submitted_text("price", 40),
        "tax_percent": submitted_text("tax_percent", 20).replace(",", "."),
        "prices": {kind: _other_price(menu, kind) for kind in OTHER_PRICES},
        "stations": request.form.getlist("stations")[:20],
        "allergens": request.form.getlist("allergens")[:50],
        "diets": request.form.getlist("diets")[:50],
        "synonyms": submitted_text("synonyms", 2500).replace("\n", ",").split(","),
        "available": submitted_hours(),
        "groups": request.form.getlist("groups")[:50],
        "hidden": request.form.get("hidden") == "yes",
    }


def _other_price(menu: Menu, kind: str) -> dict[str, str]:
    price = submitted_text(f"price-{kind}", 40)
    return {
        "price": normalize_price(price, menu.currency) if price else "",
        "tax": submitted_text(f"tax-{kind}", 20).replace(",", "."),
    }


def _photo(before: str) -> str:
    if request.form.get("no_photo") == "yes":
        return ""
    file = request.files.get("photo")
    if file is None or not file.filename:
        return before
    blobs: Blobs = current_app.extensions["blobs"]
    data = file.read(photos.LARGEST_BYTES + 1)
    return photos.save_photo(blobs, data, g.tenant_id)


def _group(menu: Menu, one: OptionGroup | None) -> Any:
    form = BareForm()
    with tenant_scope(g.tenant_id):
        dishes = menus.items(menu.id)
    offering = {item.id for item in dishes if one is not None and one.id in item.groups}
    shown: dict[str, Any] = {"texts": {}, "least": 0, "most": 1, "free": 0}
    options: list[dict[str, Any]] = []
    if one is not None:
        shown = {name: getattr(one, name) for name in menus.GROUP_FIELDS}
        with tenant_scope(g.tenant_id):
            options = [
                {
                    "id": option.id,
                    "texts": option.texts,
                    "price": format(option.price.normalize(), "f"),
                    "preset": option.preset,
                    "removal": option.removal,
                    "item_id": option.item_id,
                }
                for option in menus.options_of([one.id])[one.id]
            ]
    if form.validate_on_submit():
        shown = {"texts": submitted_texts(menu.languages)} | {
            name: submitted_text(name, 4) or "0" for name in ("least", "most", "free")
        }
        options = _typed_options(menu)
        offering = set(request.form.getlist("dishes"))
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                stored = menus.get(menu.id)
                if one is None:
                    one = menus.add_group(stored, shown, options)
                else:
                    menus.change_group(one.id, shown, options)
                if "dishes_shown" in request.form:
                    menus.set_items_of_group(one, offering)
            flash(
                gettext("Saved to the draft. Publish the menu to show the change to guests."),
                "success",
            )
            return redirect(url_for("items.group", group_id=one.id))
    return render_template(
        "menus/group.html",
        menu=menu,
        group=one,
        form=form,
        shown=shown,
        options=[*options, *([{"texts": {}}] * BLANKS)],
        most=MOST_OPTIONS,
        dishes=dishes,
        offering=offering,
        name=name_lookup(menu),
    )


def _typed_options(menu: Menu) -> list[dict[str, Any]]:
    """The submitted options; a row without a name is left out, which removes the option."""
    found = []
    for row in range(MOST_OPTIONS + 1):
        texts = submitted_texts(menu.languages, f"o{row}-")
        dish = submitted_text(f"o{row}-item", 60)
        if dish or any(text["name"] for text in texts.values()):
            found.append(
                {
                    "id": submitted_text(f"o{row}-id", 60),
                    "texts": texts,
                    "price": normalize_price(
                        submitted_text(f"o{row}-price", 40) or "0", menu.currency
                    ),
                    "preset": request.form.get(f"o{row}-preset") == "yes",
                    "removal": request.form.get(f"o{row}-removal") == "yes",
                    "item_id": dish,
                }
            )
    return found
