"""Restaurants: create, edit by groups of settings, pause and close."""

from datetime import timedelta
from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import format_datetime, gettext, lazy_gettext

from core.clock import now
from core.db import tenant_scope
from core.errors import DomainError
from core.settings import Settings
from core.storage.blobs import Blobs
from messaging.lines import repository as line_repository
from portal.restaurant.forms import (
    AppearanceForm,
    BasicsForm,
    HoursForm,
    MoneyForm,
    NewSiteForm,
    OrdersForm,
    submitted_hours,
    typed_special_days,
)
from portal.restaurant.kitchen_forms import KitchenForm, PaceForm
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import Form, domain_errors_on, field_text, submitted_text
from portal.web.i18n import error_message
from restaurant.menus import availability, menus, photos
from restaurant.models import Site
from restaurant.sites import hours, sites, stations, tables
from tenants import accounts
from tenants.models import Account

sites_pages = Blueprint("sites", __name__, url_prefix="/restaurants")

PARTS: dict[str, type[Form]] = {
    "basics": BasicsForm,
    "hours": HoursForm,
    "orders": OrdersForm,
    "pace": PaceForm,
    "kitchen": KitchenForm,
    "money": MoneyForm,
    "looks": AppearanceForm,
}
# Filled from the site's attributes; `prefix` is left out because forms use that name.
STORED = (
    "name", "address", "phone", "country", "currency", "time_zone", "day_starts", "order_types",
    "payment_methods", "told_states", "accept_minutes", "guest_cancel_minutes", "manager_phone",
    "kitchen_warn_minutes", "kitchen_late_minutes", "prints_ticket_codes", "shows_promise",
    "feedback_minutes", "review_url", "prints_bills", "orders_in_words", "tax_included",
    "service_order_types",
    "table_orders_per_hour", "phone_orders_per_hour", "address_orders_per_hour", "tone", "host",
    "preparation_minutes", "delivery_minutes", "slot_orders", "slot_order_types",
)  # fmt: skip
PART_NAMES = {
    "basics": lazy_gettext("Details"),
    "hours": lazy_gettext("Opening hours"),
    "orders": lazy_gettext("Orders"),
    "pace": lazy_gettext("Times and capacity"),
    "kitchen": lazy_gettext("Kitchen and feedback"),
    "money": lazy_gettext("Charges and limits"),
    "looks": lazy_gettext("Appearance"),
    "stations": lazy_gettext("Stations"),
    "close": lazy_gettext("Close restaurant"),
}
PAUSES = {"20": timedelta(minutes=20), "60": timedelta(hours=1)}


@sites_pages.get("")
@member_may("restaurant.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        listed = sites.listed()
        counts = {site.id: len(tables.listed(site.id)) for site in listed}
        named = {menu.id: menu.name for menu in menus.listed()}
        why = {site.id: sites.why_no_orders_now(site) for site in listed}
    return render_template(
        "restaurants/index.html",
        sites=listed,
        counts=counts,
        named=named,
        why=why,
        address=menu_address,
    )


@sites_pages.route("/new", methods=["GET", "POST"])
@member_may("restaurant.manage")
def new() -> Any:
    with tenant_scope(g.tenant_id):
        account, country = accounts.account(), accounts.home_country()
    preset = _money_and_zone(account, country)
    form = NewSiteForm(
        country=country,
        currency=preset[0],
        time_zone=preset[1],
        language=account.locale or "en",
    )
    if form.validate_on_submit() and not _apply_country(form, account, preset):
        slug, prefix = sites.suggest_slug_and_prefix(field_text(form.name))
        with domain_errors_on(form), tenant_scope(g.tenant_id):
            site = sites.open_site(
                field_text(form.name),
                slug=field_text(form.slug).strip() or slug,
                prefix=field_text(form.order_prefix).strip() or prefix,
                currency=form.currency.data,
                time_zone=form.time_zone.data,
                country=form.country.data,
                languages=form.chosen_languages(),
            )
        if not form.errors and not form.form_errors:
            flash(
                gettext("“%(name)s” was added. Next, add tables and a menu.", name=site.name),
                "success",
            )
            return redirect(url_for("sites.show", site_id=site.id))
    return render_template(
        "restaurants/new.html", form=form, base=_host() + "/r/", preset=form.country.data or ""
    )


def _money_and_zone(account: Account, country: str) -> tuple[str, str]:
    """Currency and time zone of a country; the account's own settings apply in its own country."""
    home = country == account.country
    currency = account.currency if home else ""
    zone = account.time_zone if accounts.country_of_zone(account.time_zone) == country else ""
    return (
        currency or accounts.currency_of_country(country) or account.currency or "EUR",
        zone or accounts.time_zone_of_country(country) or account.time_zone or "UTC",
    )


def _apply_country(form: NewSiteForm, account: Account, preset: tuple[str, str]) -> bool:
    """Adjust currency and time zone to a newly chosen country.

    Only if the person left both unchanged. Returns True to show the form once more for review.
    """
    was, chosen = request.form.get("preset"), form.country.data or ""
    untouched = (form.currency.data, form.time_zone.data) == preset
    if was is None or was == chosen or not untouched:
        return False
    fitting = _money_and_zone(account, chosen)
    if fitting == preset:
        return False
    form.currency.data, form.time_zone.data = fitting
    flash(
        gettext("Currency and time zone were set for the country. Check them and save."), "warning"
    )
    return True


@sites_pages.get("/<site_id>")
@member_may("restaurant.view")
def show(site_id: str) -> Any:
    """One group of settings at a time, so that saving never loses edits in another group."""
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
    return _show(site, request.args.get("part", ""))


@sites_pages.post("/<site_id>")
@member_may("restaurant.manage")
def save(site_id: str) -> Any:
    """Save one group of settings; the others stay unchanged."""
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
    part = request.form.get("part", "")
    if part not in PARTS:
        return redirect(url_for("sites.show", site_id=site_id))
    form = _form(part, site)
    if form.validate_on_submit():
        with domain_errors_on(form):
            values = form.values(site.languages) if part == "looks" else form.values()
            if part == "looks":
                values |= _logo(form)
            with tenant_scope(g.tenant_id):
                sites.change(site_id, values)
            return redirect(url_for("sites.show", site_id=site_id, part=part, saved=1))
    return _show(site, part, form)


@sites_pages.post("/<site_id>/pause")
@member_may("orders.manage")
def pause(site_id: str) -> Any:
    """Pause for twenty minutes, an hour or the rest of the day; any other value resumes."""
    duration = request.form.get("for", "")
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
        until = None
        if duration in PAUSES:
            until = now() + PAUSES[duration]
        elif duration == "today":
            until = availability.next_business_day_start(site, now())
        sites.pause(site_id, until)
    if until is None:
        flash(gettext("“%(name)s” is taking orders again.", name=site.name), "success")
    else:
        until_words = format_datetime(until, "HH:mm")
        flash(
            gettext("“%(name)s” is paused until %(time)s.", name=site.name, time=until_words),
            "success",
        )
    return redirect(url_for("sites.show", site_id=site_id))


@sites_pages.post("/<site_id>/stations")
@member_may("restaurant.manage")
def change_stations(site_id: str) -> Any:
    removed = submitted_text("remove", 40)
    try:
        with tenant_scope(g.tenant_id):
            site = sites.get(site_id)
            if removed:
                stations.remove(site, removed)
            else:
                name = submitted_text("name", 60)
                code = sites.suggest_slug_and_prefix(name)[0].replace("-", "_")[:24] if name else ""
                stations.add(site, code, name)
    except DomainError as error:
        if error.status == 404:
            raise
        flash(error_message(error), "error")
    return redirect(url_for("sites.show", site_id=site_id, part="stations"))


@sites_pages.route("/<site_id>/close", methods=["GET", "POST"])
@member_may("restaurant.manage")
def close(site_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
    return confirm_then(
        in_tenant(sites.close_site, site_id),
        title=gettext("Close “%(name)s”?", name=site.name),
        text=gettext(
            "Its menu goes offline and its table codes stop working. You can still view its orders."
        ),
        yes=gettext("Close restaurant"),
        back_url=url_for("sites.show", site_id=site_id),
        done=gettext("“%(name)s” is closed.", name=site.name),
        done_url=url_for("sites.index"),
    )


def menu_address(site: Site) -> str:
    settings: Settings = current_app.extensions["comanda"]
    return tables.menu_url(settings.base_url, site, settings.menu_domain)


def _host() -> str:
    settings: Settings = current_app.extensions["comanda"]
    return settings.base_url.partition("://")[2]


def _show(site: Site, part: str, refused: Form | None = None) -> Any:
    """`refused` is the submitted form with its errors."""
    part = part if part in PART_NAMES else "basics"
    forms: dict[str, Form] = {}
    if may("restaurant.manage"):
        shown = [part] if part in PARTS else []
        forms = {one: refused or _form(one, site, fresh=True) for one in shown or ["basics"]}
    with tenant_scope(g.tenant_id):
        why = sites.why_no_orders_now(site)
        menu = next((one for one in menus.listed() if one.id == site.menu_id), None)
        line = sites.line_of(site)
        rows = {
            "tables": len(tables.listed(site.id)),
            "stations": stations.listed(site.id),
        }
    return render_template(
        "restaurants/show.html",
        site=site,
        forms=forms,
        why=why,
        menu=menu,
        line=line,
        address=menu_address(site),
        refused=refused,
        part=part,
        parts=[
            (url_for("sites.show", site_id=site.id, part=one), name, one == part)
            for one, name in PART_NAMES.items()
        ],
        saved=refused is None and bool(request.args.get("saved")),
        typed_hours=submitted_hours() if refused else {},
        closed_today=hours.closed_all_day(site.special_days, site.time_zone, now()),
        special_days=typed_special_days()
        if refused
        else hours.coming(site.special_days, site.time_zone, now()),
        typed_welcome={code: submitted_text(f"welcome-{code}", 400) for code in site.languages},
        **rows,
    )


def _form(part: str, site: Site, *, fresh: bool = False) -> Form:
    shown = {name: getattr(site, name) for name in STORED if hasattr(PARTS[part], name)}
    shown |= {"part": part}
    if part == "basics":
        shown |= {
            "order_prefix": site.prefix,
            "language": site.languages[0],
            "others": site.languages[1:],
            "menu_id": site.menu_id or "",
            "line_id": str(site.line_id or ""),
        }
    if part == "looks":
        shown["host"] = site.host_pending or site.host
    if part == "money":
        shown["tips"] = ", ".join(str(one) for one in site.tip_percents)
        for name in ("service_percent", "newcomer_limit"):
            amount = getattr(site, name)
            shown[name] = amount if amount is None else amount.normalize() + 0
    if part == "pace":
        shown["later_days"] = str(site.later_days)
    if part == "looks":
        shown["own_tone"] = bool(site.tone)
    form = PARTS[part](formdata=None, **shown) if fresh else PARTS[part](**shown)
    if isinstance(form, BasicsForm):
        with tenant_scope(g.tenant_id):
            known = [(menu.id, menu.name) for menu in menus.listed()]
            lines = [(str(line.id), line.name) for line in line_repository.list_lines()]
        form.offer(known, lines, site.languages)
    if isinstance(form, OrdersForm):
        form.offer()
    if isinstance(form, PaceForm):
        form.offer(site.later_days)
    return form


def _logo(form: Any) -> dict[str, Any]:
    if form.no_logo.data:
        return {"logo": ""}
    file = request.files.get("logo")
    if file is None or not file.filename:
        return {}
    blobs: Blobs = current_app.extensions["blobs"]
    data = file.read(photos.LARGEST_BYTES + 1)
    return {"logo": photos.save_photo(blobs, data, g.tenant_id)}
