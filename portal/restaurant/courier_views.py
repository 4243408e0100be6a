"""A restaurant's couriers: contact details, their links, and their deliveries."""

from datetime import timedelta
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, url_for
from flask_babel import gettext
from flask_babel import lazy_gettext as _
from wtforms import BooleanField, SelectField, StringField
from wtforms.validators import Length, Optional

from core.clock import now
from core.db import tenant_scope
from portal.diner.menu_content import own_name
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then
from portal.web.forms import Form, domain_errors_on, field_text, required
from restaurant.chat_texts import chat_languages
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.models import Courier, Site
from restaurant.sites import sites

couriers_pages = Blueprint("couriers", __name__, url_prefix="/restaurants")

TODAY = timedelta(hours=20)


class CourierForm(Form):
    name = StringField(_("Name"), [required(), Length(max=80)])
    phone = StringField(_("Phone number"), [required(), Length(max=32)])
    language = SelectField(_("Language"), [Optional()])

    def offer(self, site: Site) -> None:
        codes = list(dict.fromkeys([*site.languages, *sorted(chat_languages())]))
        self.language.choices = [(code, own_name(code)) for code in codes]


class EditCourierForm(CourierForm):
    active = BooleanField(_("On duty"))


@couriers_pages.get("/<site_id>/couriers")
@member_may("restaurant.view")
def index(site_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
    return _index(site, None)


@couriers_pages.post("/<site_id>/couriers")
@member_may("restaurant.manage")
def add(site_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
    form = CourierForm()
    form.offer(site)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                made = couriers.add(
                    sites.get(site_id),
                    field_text(form.name),
                    field_text(form.phone),
                    form.language.data or "",
                )
            flash(gettext("%(name)s can now take deliveries.", name=made.name), "success")
            return redirect(url_for("couriers.index", site_id=site_id))
    return _index(site, form)


@couriers_pages.get("/couriers/<courier_id>")
@member_may("restaurant.view")
def courier(courier_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = couriers.get_not_removed(courier_id)
        site = sites.get(known.site_id)
    return _courier(site, known, None)


@couriers_pages.post("/couriers/<courier_id>")
@member_may("restaurant.manage")
def save(courier_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = couriers.get_not_removed(courier_id)
        site = sites.get(known.site_id)
    form = EditCourierForm()
    form.offer(site)
    if form.validate_on_submit():
        with domain_errors_on(form):
            values = {name: form[name].data for name in ("name", "phone", "language", "active")}
            with tenant_scope(g.tenant_id):
                couriers.change(sites.get(site.id), couriers.get_not_removed(courier_id), values)
            flash(gettext("Saved."), "success")
            return redirect(url_for("couriers.index", site_id=site.id))
    return _courier(site, known, form)


@couriers_pages.route("/couriers/<courier_id>/end-links", methods=["GET", "POST"])
@member_may("orders.manage")
def end_links(courier_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = couriers.get_not_removed(courier_id)

    def act() -> None:
        with tenant_scope(g.tenant_id):
            couriers.revoke_links(couriers.get_not_removed(courier_id))

    return confirm_then(
        act,
        title=gettext("Revoke the links of %(name)s?", name=known.name),
        text=gettext("All links sent so far stop working. The next order includes a new link."),
        yes=gettext("Revoke links"),
        back_url=url_for("couriers.courier", courier_id=courier_id),
        done=gettext("The links no longer work."),
        calm=True,
    )


@couriers_pages.route("/couriers/<courier_id>/remove", methods=["GET", "POST"])
@member_may("restaurant.manage")
def remove(courier_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = couriers.get_not_removed(courier_id)

    def act() -> None:
        with tenant_scope(g.tenant_id):
            couriers.remove(couriers.get_not_removed(courier_id))

    return confirm_then(
        act,
        title=gettext("Delete courier %(name)s?", name=known.name),
        text=gettext(
            "Assign their current orders to another courier. Completed deliveries "
            "stay in the reports."
        ),
        yes=gettext("Delete courier"),
        back_url=url_for("couriers.courier", courier_id=courier_id),
        done=gettext("%(name)s was deleted.", name=known.name),
        done_url=url_for("couriers.index", site_id=known.site_id),
    )


def _index(site: Site, form: CourierForm | None) -> Any:
    with tenant_scope(g.tenant_id):
        known = couriers.listed(site.id)
        rides = list(courier_dispatch.open_trips(site.id).values())
        brought = courier_dispatch.deliveries_since(site.id, now() - TODAY)
    if form is None and may("restaurant.manage"):
        form = CourierForm(formdata=None, language=site.languages[0])
        form.offer(site)
    page = render_template(
        "restaurants/couriers.html",
        site=site,
        couriers=known,
        carrying={one.id: sum(ride.courier.id == one.id for ride in rides) for one in known},
        brought=brought,
        form=form,
    )
    return page, 422 if form is not None and form.errors else 200


def _courier(site: Site, known: Courier, form: EditCourierForm | None) -> Any:
    with tenant_scope(g.tenant_id):
        todo, done = courier_dispatch.trips_of_courier(known)
        link, until = couriers.link_url(known) if may("orders.manage") else ("", None)
    if form is None and may("restaurant.manage"):
        form = EditCourierForm(
            formdata=None,
            name=known.name,
            phone=known.phone,
            language=known.language,
            active=known.active,
        )
        form.offer(site)
    page = render_template(
        "restaurants/courier.html",
        site=site,
        courier=known,
        form=form,
        todo=todo,
        done=done,
        link=link if known.active else "",
        until=until,
    )
    return page, 422 if form is not None and form.errors else 200
