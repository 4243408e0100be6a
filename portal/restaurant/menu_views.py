"""Menus: the draft and its order, the changes to publish, and a preview for diners."""

from typing import Any

from flask import Blueprint, flash, g, make_response, redirect, render_template, request, url_for
from flask_babel import get_locale, gettext

from core.clock import now
from core.db import tenant_scope
from core.errors import DomainError, NotFound
from portal.diner import views as diner_pages
from portal.diner.menu_cache import MenuFacts, menu_cache
from portal.restaurant.forms import BareForm, NewMenuForm, submitted_hours, submitted_texts
from portal.web.auth import may, member_may
from portal.web.forms import domain_errors_on, field_text, submitted_text
from portal.web.i18n import error_message
from restaurant.menus import menus, publishing, version_diff
from restaurant.menus.validation import MOST_COURSES
from restaurant.models import Menu, MenuCategory, Site
from restaurant.sites import sites
from tenants import accounts

menus_pages = Blueprint("menus", __name__, url_prefix="/menus")

NO_TABLE = '{"table": "", "seated": false, "unknown": false}'
KINDS = ("items", "categories", "groups")


@menus_pages.get("")
@member_may("restaurant.view")
def index() -> Any:
    return _index(_new_form(fresh=True) if may("restaurant.manage") else None)


@menus_pages.post("")
@member_may("restaurant.manage")
def create() -> Any:
    """Create a menu; restaurants without one in the same currency start to use it."""
    form = _new_form()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                menu = menus.create(
                    field_text(form.name),
                    currency=form.currency.data,
                    languages=form.chosen_languages(),
                )
                for site in sites.listed():
                    if site.menu_id is None and site.currency == menu.currency:
                        sites.change(site.id, {"menu_id": menu.id})
            return redirect(url_for("menus.show", menu_id=menu.id))
    return _index(form)


def _index(form: NewMenuForm | None) -> Any:
    with tenant_scope(g.tenant_id):
        listed = menus.listed()
        used = {
            menu.id: [s.name for s in sites.listed() if s.menu_id == menu.id] for menu in listed
        }
        counts = {menu.id: len(menus.items(menu.id)) for menu in listed}
    return render_template(
        "menus/index.html",
        menus=listed,
        used=used,
        counts=counts,
        form=form,
        has_changes=publishing.has_changes,
    )


@menus_pages.get("/<menu_id>")
@member_may("restaurant.view")
def show(menu_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
        categories, items = menus.categories(menu_id), menus.items(menu_id)
        groups = menus.groups(menu_id)
        options = menus.options_of([group.id for group in groups])
        used = [site for site in sites.listed() if site.menu_id == menu_id]
    by_category: dict[str, list[Any]] = {category.id: [] for category in categories}
    for item in items:
        by_category[item.category_id].append(item)
    return render_template(
        "menus/show.html",
        menu=menu,
        categories=categories,
        items=by_category,
        groups=groups,
        options=options,
        used=used,
        name=name_lookup(menu),
        unpublished=publishing.has_changes(menu),
    )


@menus_pages.post("/<menu_id>/rename")
@member_may("restaurant.manage")
def rename(menu_id: str) -> Any:
    try:
        with tenant_scope(g.tenant_id):
            menus.rename(menu_id, submitted_text("name", 200))
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
    return redirect(url_for("menus.show", menu_id=menu_id))


@menus_pages.post("/<menu_id>/order")
@member_may("restaurant.manage")
def order(menu_id: str) -> Any:
    """Reorder. Dragging sends `ids` in their new order; a button moves `id` `up` or `down`."""
    kind = request.form.get("kind", "")
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
        if kind in KINDS:
            ids = request.form.get("ids", "").split(",") if request.form.get("ids") else None
            if ids is None:
                ids = _moved_by_one(
                    menu, kind, submitted_text("id", 60), request.form.get("by") == "up"
                )
            menus.reorder(menu, kind, ids)
    if "X-Part" in request.headers:
        return "", 204
    return redirect(
        url_for("menus.show", menu_id=menu_id, _anchor=submitted_text("id", 60) or None)
    )


@menus_pages.route("/<menu_id>/publish", methods=["GET", "POST"])
@member_may("restaurant.manage")
def publish(menu_id: str) -> Any:
    form = BareForm()
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
        before = publishing.published_version(menu_id)
        draft = publishing.draft_content(menu)
        used = [site for site in sites.listed() if site.menu_id == menu_id]
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                publishing.publish(menu_id)
            menu_cache.forget()
            flash(gettext("Menu published. Guests can see it now."), "success")
            return redirect(url_for("menus.show", menu_id=menu_id))
    found = version_diff.diff_versions(before.content if before else None, draft)
    return render_template(
        "menus/publish.html",
        menu=menu,
        form=form,
        changes=found,
        used=used,
        before=before,
        empty_menu=not draft["categories"],
    )


@menus_pages.get("/<menu_id>/preview")
@member_may("restaurant.view")
def preview(menu_id: str) -> Any:
    """The diner's page with the draft; ordering is disabled."""
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
        content = publishing.draft_content(menu)
        known = sites.listed()
        site = next((one for one in known if one.menu_id == menu_id), None)
        site = site or _preview_site(menu)
    requested = request.args.get("lang", "")
    language = requested if requested in site.languages else site.languages[0]
    facts = MenuFacts(g.tenant_id, site, menu.version, content, frozenset(), [], "", now())
    words = gettext("This is a preview of the draft. You cannot order here.")
    page = diner_pages.render_menu(facts, language, words)
    answer = make_response(diner_pages.fill_in_table(page, NO_TABLE, ""))
    answer.headers["Content-Security-Policy"] = diner_pages.POLICY
    answer.headers["Cache-Control"] = "no-store"
    return answer


@menus_pages.route("/<menu_id>/categories/new", methods=["GET", "POST"])
@member_may("restaurant.manage")
def new_category(menu_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        menu = menus.get(menu_id)
    return _category(menu, None)


@menus_pages.route("/categories/<category_id>", methods=["GET", "POST"])
@member_may("restaurant.manage")
def category(category_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        one = menus.category(category_id)
        menu = menus.get(one.menu_id)
    return _category(menu, one)


@menus_pages.post("/categories/<category_id>/remove")
@member_may("restaurant.manage")
def remove_category(category_id: str) -> Any:
    """Delete a category. It must be empty, so no confirmation is needed."""
    with tenant_scope(g.tenant_id):
        one = menus.category(category_id)
    try:
        with tenant_scope(g.tenant_id):
            menus.remove_category(category_id)
    except DomainError as error:
        flash(error_message(error), "error")
        return redirect(url_for("menus.category", category_id=category_id))
    flash(gettext("Category deleted."), "success")
    return redirect(url_for("menus.show", menu_id=one.menu_id))


def _category(menu: Menu, one: MenuCategory | None) -> Any:
    form = BareForm()
    texts, hours = (one.texts, one.available) if one else ({}, {})
    hidden, course = bool(one and one.hidden), str(one.course if one else 0)
    if form.validate_on_submit():
        texts, hours = submitted_texts(menu.languages), submitted_hours()
        hidden = request.form.get("hidden") == "yes"
        course = request.form.get("course", course)[:2]
        values = {"texts": texts, "available": hours, "hidden": hidden, "course": course}
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                if one is None:
                    menus.add_category(menus.get(menu.id), values)
                else:
                    menus.change_category(one.id, values)
            return redirect(url_for("menus.show", menu_id=menu.id))
    return render_template(
        "menus/category.html",
        menu=menu,
        category=one,
        form=form,
        texts=texts,
        hours=hours,
        hidden=hidden,
        course=course,
        courses=range(1, MOST_COURSES + 1),
        name=name_lookup(menu),
    )


def name_lookup(menu: Menu) -> Any:
    """A function that returns a name in the reader's language if the menu has it."""
    languages = [str(get_locale()), *menu.languages]

    def name(thing: Any) -> str:
        texts = thing["texts"] if isinstance(thing, dict) else thing.texts
        for language in languages:
            if language in menu.languages and (texts.get(language) or {}).get("name"):
                return str(texts[language]["name"])
        return next((str(text["name"]) for text in texts.values()), "")

    return name


def _new_form(*, fresh: bool = False) -> NewMenuForm:
    with tenant_scope(g.tenant_id):
        account = accounts.account()
        first = next(iter(sites.listed()), None)
    more: dict[str, Any] = {"formdata": None} if fresh else {}
    return NewMenuForm(
        **more,
        currency=first.currency if first else account.currency,
        language=first.languages[0] if first else account.locale,
        others=first.languages[1:] if first else [],
    )


def _moved_by_one(menu: Menu, kind: str, row_id: str, up: bool) -> list[str]:
    """Swap with the neighbour; an item stays in its category."""
    if kind == "items":
        rows: list[Any] = list(menus.items(menu.id))
    else:
        rows = list(menus.categories(menu.id) if kind == "categories" else menus.groups(menu.id))
    ids = [row.id for row in rows]
    if row_id not in ids:
        return ids
    moved = rows[ids.index(row_id)]
    peers = [r.id for r in rows if kind != "items" or r.category_id == moved.category_id]
    at = peers.index(row_id)
    to = at - 1 if up else at + 1
    if 0 <= to < len(peers):
        a, b = ids.index(row_id), ids.index(peers[to])
        ids[a], ids[b] = ids[b], ids[a]
    return ids


def _preview_site(menu: Menu) -> Site:
    """A placeholder site to preview a menu that no restaurant uses yet."""
    return Site(
        id="sit_preview",
        name=menu.name,
        slug="preview",
        currency=menu.currency,
        languages=menu.languages,
        time_zone="UTC",
        order_types=["dine_in"],
        payment_methods=["pos_at_table"],
        tip_percents=[],
        service_percent=0,
        service_order_types=[],
        welcome={},
        hours={},
        logo="",
        tone="",
    )
