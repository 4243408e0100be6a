"""Happy hours of a menu: hours at which some items cost less."""

from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from portal.restaurant.forms import ORDER_TYPE_NAMES, BareForm, submitted_hours, submitted_texts
from portal.restaurant.menu_views import name_lookup
from portal.web.auth import member_may
from portal.web.confirm import confirm_then
from portal.web.forms import domain_errors_on, submitted_text
from restaurant.menus import happy_hours, menus
from restaurant.menus.menu_import import normalize_price
from restaurant.models import Menu

happy_hour_pages = Blueprint("happy_hours", __name__, url_prefix="/menus")


@happy_hour_pages.route("/<menu_id>/happy-hours/new", methods=["GET", "POST"])
@member_may("restaurant.manage")
def new(menu_id: str) -> Any:
    return _edit(menu_id, "")


@happy_hour_pages.route("/<menu_id>/happy-hours/<rule_id>", methods=["GET", "POST"])
@member_may("restaurant.manage")
def edit(menu_id: str, rule_id: str) -> Any:
    return _edit(menu_id, rule_id)


@happy_hour_pages.route("/<menu_id>/happy-hours/<rule_id>/remove", methods=["GET", "POST"])
@member_may("restaurant.manage")
def remove(menu_id: str, rule_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
        name = name_lookup(menu)(dict(happy_hours.get(menu, rule_id)))

    def act() -> None:
        with tenant_scope(g.tenant_id):
            happy_hours.remove(menus.get(menu_id), rule_id)

    return confirm_then(
        act,
        title=gettext("Delete “%(name)s”?", name=name),
        text=gettext("Guests pay the regular prices again when you publish the menu."),
        yes=gettext("Delete happy hour"),
        back_url=url_for("happy_hours.edit", menu_id=menu_id, rule_id=rule_id),
        done=gettext("“%(name)s” was deleted.", name=name),
        done_url=url_for("menus.show", menu_id=menu_id),
    )


def _edit(menu_id: str, rule_id: str) -> Any:
    form = BareForm()
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
        shown: dict[str, Any] = {
            "texts": {},
            "hours": {},
            "categories": [],
            "items": [],
            "order_types": [],
            "active": True,
        }
        if rule_id:
            shown = dict(happy_hours.get(menu, rule_id))
        categories, items = menus.categories(menu_id), menus.items(menu_id)
    if form.validate_on_submit():
        shown = _typed(menu)
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                happy_hours.save(menus.get(menu_id), shown, rule_id)
            flash(
                gettext("Saved to the draft. Publish the menu to show the change to guests."),
                "success",
            )
            return redirect(url_for("menus.show", menu_id=menu_id, _anchor="happy-hours"))
    return render_template(
        "menus/happy_hour.html",
        menu=menu,
        rule_id=rule_id,
        form=form,
        shown=shown,
        categories=categories,
        items=items,
        order_types=ORDER_TYPE_NAMES,
        name=name_lookup(menu),
    )


def _typed(menu: Menu) -> dict[str, Any]:
    price = submitted_text("price", 40)
    return {
        "texts": submitted_texts(menu.languages),
        "hours": submitted_hours(),
        "percent": submitted_text("percent", 10).replace(",", "."),
        "price": normalize_price(price, menu.currency) if price else "",
        "categories": request.form.getlist("categories")[:200],
        "items": request.form.getlist("items")[:500],
        "order_types": request.form.getlist("order_types")[:3],
        "active": request.form.get("active") == "yes",
    }
