"""Delivery: zones with their fees, couriers, and the courier of each order."""

from decimal import Decimal
from typing import Any

from flask import Response, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.schemas import ErrorBody, OfSite
from api.v1 import v1
from api.v1.restaurant.orders import order_json
from api.v1.schemas.restaurant.delivery import (
    Assign,
    CourierFields,
    CourierLinkShape,
    CourierPage,
    CourierPath,
    CourierShape,
    CourierUpdate,
    Located,
    NewCourier,
    NewZone,
    PlaceQuery,
    QuoteShape,
    RideShape,
    ZoneFields,
    ZonePage,
    ZonePath,
    ZoneShape,
)
from api.v1.schemas.restaurant.orders import OrderPath, OrderShape
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import Conflict, NotFound
from core.values.money import json_number
from restaurant.chat import shared_locations
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.couriers import trips as courier_trips
from restaurant.delivery import addresses, polygons, zones
from restaurant.delivery.zones import ZoneSettings
from restaurant.models import Courier, DeliveryZone, Order, Site
from restaurant.orders import notifications as order_notifications
from restaurant.orders import queries as order_queries
from restaurant.sites import sites

ZONES, COURIERS = Tag(name="Delivery zones"), Tag(name="Couriers")


@v1.get(
    "/delivery-zones", tags=[ZONES], summary="List delivery zones",
    responses={200: ZonePage},
)  # fmt: skip
@key_may("menus", test_keys=True)
def list_zones(query: OfSite) -> dict[str, Any]:
    """Smallest first: zones are searched in this order."""
    with tenant_scope(g.tenant_id):
        site = sites.get(query.site_id)
        return {"data": [zone_json(one) for one in zones.listed(site.id)], "next": None}


@v1.post("/delivery-zones", tags=[ZONES], summary="Add a zone", responses={201: ZoneShape})
@key_may("menus")
@idempotent
def add_zone(body: NewZone) -> JsonAnswer:
    site = sites.get(body.site_id)
    corners = polygons.check_pairs(body.corners or []) if body.kind == "polygon" else []
    minimum = Decimal(0) if body.minimum is None else body.minimum
    outline = ZoneSettings(body.name, body.kind, body.fee, minimum, body.radius_m, corners)
    return zone_json(zones.add(site, outline)), 201


@v1.patch(
    "/delivery-zones/<zone_id>",
    tags=[ZONES],
    summary="Update a delivery zone",
    responses={200: ZoneShape},
)
@key_may("menus")
def change_zone(path: ZonePath, body: ZoneFields) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        zone = zones.get(path.zone_id)
        was = zones.settings_of(zone)
        corners = was.corners if body.corners is None else polygons.check_pairs(body.corners)
        outline = ZoneSettings(
            was.name if body.name is None else body.name,
            was.kind if body.kind is None else body.kind,
            was.fee if body.fee is None else body.fee,
            was.minimum if body.minimum is None else body.minimum,
            was.radius_m if body.radius_m is None else body.radius_m,
            corners,
        )
        return zone_json(zones.change(sites.get(zone.site_id), zone, outline))


@v1.delete(
    "/delivery-zones/<zone_id>",
    tags=[ZONES],
    summary="Delete a delivery zone",
    responses={204: None},
)
@key_may("menus")
def remove_zone(path: ZonePath) -> Response:
    with tenant_scope(g.tenant_id):
        zones.remove(zones.get(path.zone_id))
    return Response(status=204)


@v1.get(
    "/delivery-zones/find", tags=[ZONES], summary="Find the delivery zone of a location",
    responses={200: QuoteShape},
)  # fmt: skip
@key_may("orders", test_keys=True)
def find_zone(query: PlaceQuery) -> dict[str, Any]:
    """The delivery fee for a place. The smallest zone around it applies."""
    with tenant_scope(g.tenant_id):
        site = sites.get(query.site_id)
        where = addresses.parse_coordinates(query.latitude, query.longitude)
        if where is None:
            raise NotFound()
        zone = zones.find_covering(site, where, zones.listed(site.id))
        return {"zone": zone_json(zone) if zone else None, "route_url": where.route_url}


@v1.get(
    "/couriers", tags=[COURIERS], summary="A restaurant's couriers", responses={200: CourierPage}
)
@key_may("orders")
def list_couriers(query: OfSite) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        site = sites.get(query.site_id)
        return {"data": [courier_json(one) for one in couriers.listed(site.id)], "next": None}


@v1.post(
    "/couriers",
    tags=[COURIERS],
    summary="Add courier",
    responses={201: CourierShape, 409: ErrorBody},
)
@key_may("orders")
@idempotent
def add_courier(body: NewCourier) -> JsonAnswer:
    made = couriers.add(sites.get(body.site_id), body.name, body.phone, body.language)
    return courier_json(made), 201


@v1.get(
    "/couriers/<courier_id>", tags=[COURIERS], summary="One courier", responses={200: CourierShape}
)
@key_may("orders")
def read_courier(path: CourierPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return courier_json(couriers.get_not_removed(path.courier_id))


@v1.patch(
    "/couriers/<courier_id>",
    tags=[COURIERS],
    summary="Update a courier",
    responses={200: CourierShape, 409: ErrorBody},
)
@key_may("orders")
def change_courier(path: CourierPath, body: CourierFields) -> dict[str, Any]:
    """`active: false` (off duty) invalidates all links sent so far."""
    with tenant_scope(g.tenant_id):
        courier = couriers.get_not_removed(path.courier_id)
        values = body.model_dump(exclude_none=True)
        return courier_json(couriers.change(sites.get(courier.site_id), courier, values))


@v1.delete(
    "/couriers/<courier_id>", tags=[COURIERS], summary="Delete a courier", responses={204: None}
)
@key_may("orders")
def remove_courier(path: CourierPath) -> Response:
    with tenant_scope(g.tenant_id):
        couriers.remove(couriers.get_not_removed(path.courier_id))
    return Response(status=204)


@v1.post(
    "/couriers/<courier_id>/link",
    tags=[COURIERS],
    summary="Create a link to a courier's list",
    responses={200: CourierLinkShape, 409: ErrorBody},
)
@key_may("orders")
def courier_link(path: CourierPath) -> dict[str, Any]:
    """Valid for a day, without signing in. It is also in every order message to the courier."""
    with tenant_scope(g.tenant_id):
        courier = couriers.get_not_removed(path.courier_id)
        if not courier.active:
            raise Conflict("off_duty", "This courier is off duty.")
        url, until = couriers.link_url(courier)
        return {"url": url, "expires_at": rfc3339(until)}


@v1.get(
    "/orders/<order_id>/delivery",
    tags=[COURIERS],
    summary="Get the courier of an order",
    responses={200: RideShape},
)
@key_may("orders")
def get_order_courier(path: OrderPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return ride_json(order_queries.get(path.order_id))


@v1.post(
    "/orders/<order_id>/courier",
    tags=[COURIERS],
    summary="Assign an order to a courier",
    responses={200: RideShape, 409: ErrorBody},
)
@key_may("orders")
@idempotent
def assign_courier(path: OrderPath, body: Assign) -> JsonAnswer:
    """The courier gets a message with the address, the route and the amount to collect."""
    site, order = _order(path)
    courier = couriers.get_not_removed(body.courier_id) if body.courier_id else None
    courier_dispatch.assign(site, order, courier, shown_version=body.version)
    return ride_json(order)


@v1.post(
    "/orders/<order_id>/delivery",
    tags=[COURIERS],
    summary="Update the delivery status of an order",
    responses={200: RideShape, 409: ErrorBody},
)
@key_may("orders")
@idempotent
def record_courier_update(path: OrderPath, body: CourierUpdate) -> JsonAnswer:
    site, order = _order(path)
    if courier_trips.trip_of(order.id) is None:
        raise Conflict("no_courier", "This order is not assigned to a courier.")
    order = courier_dispatch.record_step(
        site, order, body.status, kind=body.problem or "", note=body.note
    )
    return ride_json(order)


@v1.post(
    "/orders/<order_id>/location",
    tags=[COURIERS],
    summary="Set the delivery location of an order",
    responses={200: OrderShape, 409: ErrorBody},
)
@key_may("orders")
@idempotent
def locate_order(path: OrderPath, body: Located) -> JsonAnswer:
    """Like a location that the customer shares in chat: the zone may set the fee, once."""
    site, order = _order(path)
    if order.order_type != "delivery" or order.ended_at is not None:
        raise Conflict("no_delivery", "Only an open delivery order has a delivery zone.")
    where = addresses.parse_coordinates(body.latitude, body.longitude)
    if where is None:
        raise NotFound()
    order = shared_locations.set_location(site, order, where, body.address)
    return order_json(order, order_queries.items_of(order.id), site.name)


def zone_json(zone: DeliveryZone) -> dict[str, Any]:
    return {
        "id": zone.id,
        "site_id": zone.site_id,
        "name": zone.name,
        "kind": zone.kind,
        "radius_m": zone.radius_m,
        "corners": [[float(a), float(b)] for a, b in zone.corners],
        "fee": json_number(zone.fee),
        "minimum": json_number(zone.minimum),
    }


def courier_json(courier: Courier) -> dict[str, Any]:
    return {
        "id": courier.id,
        "site_id": courier.site_id,
        "name": courier.name,
        "phone": f"+{courier.phone}",
        "language": courier.language,
        "active": courier.active,
        "created_at": rfc3339(courier.created_at),
    }


def ride_json(order: Order) -> dict[str, Any]:
    ride = courier_dispatch.trip_of_order(order)
    collected = courier_trips.amount_to_collect(order)
    return {
        "order_id": order.number,
        "status": order.state,
        "courier": order_notifications.courier_facts(ride.trip, ride.courier) if ride else None,
        "collect": {"by": collected.way, "amount": json_number(collected.amount)},
        "delivery": order_notifications.delivery_facts(order),
    }


def _order(path: OrderPath) -> tuple[Site, Order]:
    order = order_queries.get(path.order_id)
    return sites.of_order(order), order
