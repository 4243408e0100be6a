"""A restaurant's position on the map, and its delivery zones with their fees."""

from decimal import Decimal, InvalidOperation
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext
from flask_babel import lazy_gettext as _
from wtforms import RadioField, StringField, TextAreaField
from wtforms.validators import Length, Optional

from core.db import tenant_scope
from core.values.geo import format_degrees
from core.values.money import decimal_places
from portal.maps.local_map import draw_map
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then
from portal.web.forms import Form, domain_errors_on, field_text, required
from portal.web.i18n import amount_for_input
from restaurant.couriers import couriers
from restaurant.delivery import polygons, zones
from restaurant.models import DeliveryZone, Site
from restaurant.sites import sites

delivery_pages = Blueprint("delivery", __name__, url_prefix="/restaurants")

EDITOR_M = 3000
LARGEST_TEXT = 20_000


class PositionForm(Form):
    position = StringField(_("Latitude and longitude"), [required(), Length(max=60)])


class ZoneForm(Form):
    name = StringField(_("Name"), [required(), Length(max=60)])
    kind = RadioField(
        _("Type"),
        [required()],
        choices=[("radius", _("Circle")), ("polygon", _("Drawn shape"))],
        default="radius",
    )
    radius = StringField(_("Radius (km)"), [Optional(), Length(max=12)])
    corners = TextAreaField(_("Corners"), [Optional(), Length(max=LARGEST_TEXT)])
    fee = StringField(_("Delivery fee"), [required(), Length(max=20)])
    minimum = StringField(_("Minimum order"), [Optional(), Length(max=20)])

    def outline(self) -> zones.ZoneSettings:
        corners = (
            polygons.parse_corners(field_text(self.corners)) if self.kind.data == "polygon" else []
        )
        return zones.ZoneSettings(
            name=field_text(self.name),
            kind=str(self.kind.data),
            fee=_decimal_point(field_text(self.fee)),
            minimum=_decimal_point(field_text(self.minimum)),
            radius_m=_metres(field_text(self.radius)) if self.kind.data == "radius" else None,
            corners=corners,
        )


@delivery_pages.get("/<site_id>/delivery")
@member_may("restaurant.view")
def index(site_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
    return _index(site, None)


@delivery_pages.post("/<site_id>/delivery")
@member_may("restaurant.manage")
def place(site_id: str) -> Any:
    """Save the restaurant's own position, the centre of its circular zones."""
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
    form = PositionForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            where = polygons.parse_point(field_text(form.position))
            with tenant_scope(g.tenant_id):
                values = {"latitude": where.latitude, "longitude": where.longitude}
                sites.change(site_id, values)
            flash(gettext("Saved."), "success")
            return redirect(url_for("delivery.index", site_id=site_id))
    return _index(site, form)


@delivery_pages.route("/<site_id>/delivery/zones/new", methods=["GET", "POST"])
@member_may("restaurant.manage")
def new(site_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        site = sites.get(site_id)
    form = ZoneForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                zone = zones.add(sites.get(site_id), form.outline())
            flash(gettext("Zone “%(name)s” added.", name=zone.name), "success")
            return redirect(url_for("delivery.index", site_id=site_id))
    return _zone(site, form, None)


@delivery_pages.route("/zones/<zone_id>", methods=["GET", "POST"])
@member_may("restaurant.manage")
def zone(zone_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = zones.get(zone_id)
        site = sites.get(known.site_id)
    form = ZoneForm(**_shown(known, site))
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                zones.change(sites.get(site.id), zones.get(zone_id), form.outline())
            flash(gettext("Saved."), "success")
            return redirect(url_for("delivery.index", site_id=site.id))
    return _zone(site, form, known)


@delivery_pages.route("/zones/<zone_id>/remove", methods=["GET", "POST"])
@member_may("restaurant.manage")
def remove(zone_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = zones.get(zone_id)

    def act() -> None:
        with tenant_scope(g.tenant_id):
            zones.remove(zones.get(zone_id))

    back = url_for("delivery.index", site_id=known.site_id)
    return confirm_then(
        act,
        title=gettext("Delete zone “%(name)s”?", name=known.name),
        text=gettext("Existing orders keep their delivery fee."),
        yes=gettext("Delete zone"),
        back_url=back,
        done=gettext("Zone “%(name)s” deleted.", name=known.name),
    )


def _index(site: Site, form: PositionForm | None) -> Any:
    with tenant_scope(g.tenant_id):
        known = zones.listed(site.id)
        riders = couriers.listed(site.id, active=True)
    if form is None and may("restaurant.manage"):
        where = zones.site_position(site)
        form = PositionForm(formdata=None, position=str(where) if where else "")
    page = render_template(
        "restaurants/delivery.html",
        site=site,
        zones=known,
        riders=riders,
        map=draw_map(site, known),
        form=form,
        offered="delivery" in site.order_types,
    )
    return page, 422 if form is not None and form.errors else 200


def _zone(site: Site, form: ZoneForm, known: DeliveryZone | None) -> Any:
    with tenant_scope(g.tenant_id):
        others = [one for one in zones.listed(site.id) if known is None or one.id != known.id]
        reach = zones.area_m2(known) ** 0.5 if known else EDITOR_M
    page = render_template(
        "restaurants/zone.html",
        site=site,
        zone=known,
        form=form,
        map=draw_map(site, others, least_m=max(EDITOR_M, reach)),
    )
    return page, 422 if request.method == "POST" else 200


def _shown(zone: DeliveryZone, site: Site) -> dict[str, str]:
    step = Decimal(1).scaleb(-decimal_places(site.currency))
    corners = "\n".join(
        f"{format_degrees(Decimal(a))}, {format_degrees(Decimal(b))}" for a, b in zone.corners
    )
    return {
        "name": zone.name,
        "kind": zone.kind,
        "radius": amount_for_input(f"{zone.radius_m / 1000:g}") if zone.radius_m else "",
        "corners": corners,
        "fee": amount_for_input(zone.fee.quantize(step)),
        "minimum": amount_for_input(zone.minimum.quantize(step)),
    }


def _decimal_point(amount: str) -> str:
    """Accept a decimal comma, as in 12,50."""
    return amount.strip().replace(",", ".")


def _metres(kilometres: str) -> int | None:
    try:
        far = Decimal(_decimal_point(kilometres)) * 1000
        return int(far) if far == far.to_integral_value() and abs(far) < 10**9 else None
    except (InvalidOperation, ValueError):
        return None
