"""Webhooks: endpoints, their deliveries, and the same events as a feed."""

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

from flask import Response, current_app, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.key_mode import check_mode
from api.paging import page
from api.v1 import v1
from api.v1.schemas.webhooks import (
    DeliveryPage,
    DeliveryPath,
    DeliveryQuery,
    DeliveryShape,
    DeliveryWithAttempts,
    EndpointChange,
    EndpointPage,
    EndpointPath,
    EndpointShape,
    EndpointWithSecret,
    EventPage,
    FeedQuery,
    NewEndpoint,
    ReplayAnswer,
    ReplayRequest,
    RotateRequest,
    attempt_json,
    delivery_json,
    endpoint_json,
)
from core.clock import now
from core.db import tenant_scope
from core.errors import Forbidden, NotFound, invalid
from core.http import Policy
from core.ids import BadId
from core.queue.tenant_waiters import tenant_waiters
from core.queue.wakeups import TENANT_SETS
from messaging.api_caller import ApiCaller
from webhooks import endpoints
from webhooks import queries as webhook_queries
from webhooks.endpoints import EndpointFields
from webhooks.feed import event_page
from webhooks.models import Endpoint, WebhookDelivery
from webhooks.queries import DeliveryFilters, ReplayRange

TAG = Tag(name="Webhooks")
FEED_WAKEUPS = TENANT_SETS["jobs.webhooks.worker.drain"]  # sent for every new event


def _with_secret(answer: Response) -> Response:
    """Stored responses contain no secret: it is decrypted and added each time."""
    body = json.loads(answer.get_data())
    try:
        body["secret"] = endpoints.get(body["id"]).secret
    except NotFound:
        return answer
    answer.set_data(json.dumps(body, ensure_ascii=False))
    return answer


def _sees_all_lines() -> None:
    """Refuse a key that is limited to some lines, because events belong to the whole account."""
    caller: ApiCaller = g.caller
    if caller.key.line_ids is not None:
        raise Forbidden(
            "line_not_allowed",
            "Webhooks cover all lines, but this key is restricted to some. Use another key.",
        )


@v1.get("/webhooks", tags=[TAG], summary="List endpoints", responses={200: EndpointPage})
@key_may("webhooks", test_keys=True)
def list_endpoints() -> dict[str, Any]:
    """Returns all of them; there are at most 20."""
    _sees_all_lines()
    with tenant_scope(g.tenant_id):
        return {"data": [endpoint_json(one) for one in _visible_endpoints()], "next": None}


@v1.post(
    "/webhooks", tags=[TAG], summary="Register an endpoint", responses={201: EndpointWithSecret}
)
@key_may("webhooks", test_keys=True)
@idempotent(check=_sees_all_lines, complete=_with_secret)
def register(body: NewEndpoint) -> JsonAnswer:
    """The signing secret is only shown in this response. An endpoint that is registered with a test
    key gets test events only.
    """
    endpoint = endpoints.register(_fields(body), outbound_policy(), test=g.caller.test)
    where = {"Location": f"/api/v1/webhooks/{endpoint.id}"}
    return {**endpoint_json(endpoint), "secret": None}, 201, where


@v1.get(
    "/webhooks/<endpoint_id>", tags=[TAG], summary="Get an endpoint", responses={200: EndpointShape}
)
@key_may("webhooks", test_keys=True)
def read_endpoint(path: EndpointPath) -> dict[str, Any]:
    _sees_all_lines()
    with tenant_scope(g.tenant_id):
        return endpoint_json(_endpoint(path.endpoint_id))


@v1.patch(
    "/webhooks/<endpoint_id>",
    tags=[TAG],
    summary="Update an endpoint",
    responses={200: EndpointShape},
)
@key_may("webhooks", test_keys=True)
def change_endpoint(path: EndpointPath, body: EndpointChange) -> dict[str, Any]:
    """Missing fields stay unchanged."""
    _sees_all_lines()
    with tenant_scope(g.tenant_id):
        endpoint, fields = _endpoint(path.endpoint_id), _fields(body)
        if fields != EndpointFields():
            endpoint = endpoints.change(path.endpoint_id, fields, outbound_policy())
        if body.enabled is not None:
            endpoint = endpoints.set_enabled(path.endpoint_id, body.enabled)
        return endpoint_json(endpoint)


@v1.delete(
    "/webhooks/<endpoint_id>", tags=[TAG], summary="Delete an endpoint", responses={204: None}
)
@key_may("webhooks", test_keys=True)
def remove_endpoint(path: EndpointPath) -> tuple[str, int]:
    _sees_all_lines()
    with tenant_scope(g.tenant_id):
        endpoints.remove(_endpoint(path.endpoint_id).id)
    return "", 204


@v1.post(
    "/webhooks/<endpoint_id>/test",
    tags=[TAG],
    summary="Send test event",
    responses={202: DeliveryShape},
)
@key_may("webhooks", test_keys=True)
@idempotent(check=_sees_all_lines)
def test_endpoint(path: EndpointPath) -> JsonAnswer:
    """Sends the event `webhooks.test` to this endpoint only, at once."""
    delivery = webhook_queries.get_delivery(
        endpoints.send_test_event(_endpoint(path.endpoint_id).id)
    )
    where = {"Location": f"/api/v1/webhooks/deliveries/{delivery.id}"}
    return delivery_json(delivery), 202, where


@v1.post(
    "/webhooks/<endpoint_id>/rotate",
    tags=[TAG],
    summary="Rotate an endpoint's secret",
    responses={200: EndpointWithSecret},
)
@key_may("webhooks", test_keys=True)
@idempotent(check=_sees_all_lines, complete=_with_secret)
def rotate(path: EndpointPath, body: RotateRequest) -> JsonAnswer:
    """Until the overlap ends, deliveries have a signature of each secret."""
    endpoint = endpoints.rotate_secret(
        _endpoint(path.endpoint_id).id, timedelta(hours=body.overlap_hours)
    )
    return {**endpoint_json(endpoint), "secret": None}


@v1.get(
    "/webhooks/deliveries", tags=[TAG], summary="List deliveries", responses={200: DeliveryPage}
)
@key_may("webhooks", test_keys=True)
def list_deliveries(query: DeliveryQuery) -> dict[str, Any]:
    """Newest first. Kept for 30 days, unless the operator has set another time."""
    _sees_all_lines()
    filters = DeliveryFilters(
        endpoint_id=query.endpoint_id,
        event_id=query.event_id,
        type=query.event,
        state=query.state,
        since=query.since,
        until=query.until,
    )
    with tenant_scope(g.tenant_id):
        if g.caller.test:
            filters = replace(
                filters, endpoint_ids=frozenset(one.id for one in _visible_endpoints())
            )
        rows = webhook_queries.list_deliveries(filters, query.after, query.limit + 1)
    return page(rows, query, lambda row: row.id, delivery_json)


@v1.get(
    "/webhooks/deliveries/<delivery_id>",
    tags=[TAG],
    summary="Get a delivery with its attempts",
    responses={200: DeliveryWithAttempts},
)
@key_may("webhooks", test_keys=True)
def read_delivery(path: DeliveryPath) -> dict[str, Any]:
    _sees_all_lines()
    with tenant_scope(g.tenant_id):
        delivery = _delivery(path.delivery_id)
        return {
            **delivery_json(delivery),
            "tries": [attempt_json(one) for one in webhook_queries.list_attempts(delivery.id)],
            "body": webhook_queries.delivery_body(delivery),
        }


@v1.post(
    "/webhooks/deliveries/<delivery_id>/retry",
    tags=[TAG],
    summary="Send a delivery again",
    responses={202: DeliveryShape},
)
@key_may("webhooks", test_keys=True)
@idempotent(check=_sees_all_lines)
def retry(path: DeliveryPath) -> JsonAnswer:
    """Sent at once, whether it was delivered before or not; the event id stays the same."""
    return delivery_json(webhook_queries.resend_delivery(_delivery(path.delivery_id).id)), 202


@v1.post(
    "/webhooks/replay",
    tags=[TAG],
    summary="Send the events of a time range again",
    responses={202: ReplayAnswer},
)
@key_may("webhooks", test_keys=True)
@idempotent(check=_sees_all_lines)
def replay(body: ReplayRequest) -> JsonAnswer:
    """To one endpoint or to all, if they subscribe to the events. At most 10,000."""
    replay_range = ReplayRange(body.since, body.until or now(), body.only_missed)
    count = sum(
        webhook_queries.replay_events(one.id, replay_range)
        for one in _chosen_endpoint(body.endpoint_id)
    )
    return {"replayed": count}, 202


@v1.get("/events", tags=[TAG], summary="Pull events", responses={200: EventPage})
@key_may("webhooks", test_keys=True)
def feed(query: FeedQuery) -> dict[str, Any] | tuple[dict[str, Any], int, dict[str, str]]:
    """Oldest first, numbered without gaps: the same events that endpoints get. With `wait`, the
    response is held until there is an event after `after`, or until the seconds are over.
    """
    _sees_all_lines()
    if not query.wait:
        return _read_feed(query)

    found, waited = tenant_waiters().read_until(
        FEED_WAKEUPS,
        g.tenant_id,
        query.wait,
        read=lambda: _read_feed(query),
        is_empty=lambda page: not page["data"] and page["next"] is None,
    )
    return found if waited else (found, 200, {"Retry-After": "1"})


def _read_feed(query: FeedQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return event_page(query.after, query.limit, test=g.caller.test)


def _fields(body: NewEndpoint | EndpointChange) -> EndpointFields:
    filters = None if body.filters is None else [one.model_dump() for one in body.filters]
    if body.instance_ids is not None:
        known = {line.id for line in g.caller.lines if line.test or not g.caller.test}
        for one in body.instance_ids:
            if one not in known:
                raise invalid("instance_ids", "unknown_instance", "There is no line {id}.", id=one)
    return EndpointFields(
        url=body.url,
        events=body.events,
        description=body.description,
        line_ids=body.instance_ids,
        filters=filters,
        headers=body.headers,
        ordered=body.ordered,
    )


def outbound_policy() -> Policy:
    settings = current_app.extensions["comanda"]
    return Policy(ports=settings.ports_allowed, allow_loopback=settings.allow_loopback)


def _visible_endpoints() -> list[Endpoint]:
    """Return the endpoints the key may see: only those in test mode for a test key."""
    return [one for one in endpoints.list_endpoints() if one.test or not g.caller.test]


def _endpoint(endpoint_id: str) -> Endpoint:
    return check_mode(endpoints.get(endpoint_id))


def _delivery(delivery_id: str) -> WebhookDelivery:
    delivery = webhook_queries.get_delivery(delivery_id)
    if g.caller.test:
        _endpoint(delivery.endpoint_id)
    return delivery


def _chosen_endpoint(endpoint_id: str | None) -> list[Endpoint]:
    if endpoint_id is None:
        return [one for one in _visible_endpoints() if one.enabled]
    try:
        return [_endpoint(endpoint_id)]
    except (NotFound, BadId):
        raise invalid(
            "endpoint_id", "unknown_endpoint", "There is no endpoint with that id."
        ) from None
