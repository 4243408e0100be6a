"""Webhook deliveries: each delivery with its attempts and responses, and redelivery."""

import json
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import DomainError
from core.http import errors as outbound
from core.ids import BadId, canonical_id
from core.values.reasons import decode_reason
from portal.web.auth import member_may
from portal.web.forms import text_in_url
from portal.web.i18n import error_message
from webhooks import endpoints
from webhooks import queries as webhook_queries
from webhooks.delivery import reasons
from webhooks.delivery.post import USER_AGENT
from webhooks.delivery.reasons import DELIVERY_REASONS
from webhooks.event_types import EVENT_TYPES
from webhooks.models import WebhookAttempt, WebhookDelivery
from webhooks.queries import STATES, DeliveryFilters

deliveries_pages = Blueprint("deliveries", __name__)

PAGE = 50


@deliveries_pages.get("/webhooks/deliveries")
@member_may("webhooks.view")
def index() -> Any:
    filters: dict[str, Any] = _filters_in_url()
    after = request.args.get("after")
    with tenant_scope(g.tenant_id):
        known = {one.id: one for one in endpoints.list_with_removed()}
        found = webhook_queries.list_deliveries(_filters(filters, set(known)), after, PAGE + 1)
    shown = found[:PAGE]
    next_url = previous_url = None
    if len(found) > PAGE:
        next_url = url_for("deliveries.index", **filters, after=shown[-1].id)
    if after:
        previous_url = url_for("deliveries.index", **filters)
    return render_template(
        "webhooks/deliveries.html",
        deliveries=shown,
        endpoints=known,
        kinds=EVENT_TYPES,
        states=STATES,
        filters=filters,
        error_words=attempt_error,
        next_url=next_url,
        previous_url=previous_url,
    )


@deliveries_pages.get("/webhooks/deliveries/<delivery_id>")
@member_may("webhooks.view")
def delivery(delivery_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = webhook_queries.get_delivery(delivery_id)
        tries = webhook_queries.list_attempts(known.id)
        body = webhook_queries.delivery_body(known)
        endpoint = next(
            (e for e in endpoints.list_with_removed() if e.id == known.endpoint_id), None
        )
    return render_template(
        "webhooks/delivery.html",
        delivery=known,
        endpoint=endpoint,
        attempts=tries,
        last=tries[-1] if tries else None,
        request_headers=_request_headers(known, tries[-1]) if tries else {},
        body=json.dumps(body, ensure_ascii=False, indent=2) if body is not None else None,
        final=known.state in ("delivered", "failed", "cancelled"),
        error_words=attempt_error,
    )


@deliveries_pages.post("/webhooks/deliveries/<delivery_id>/resend")
@member_may("webhooks.manage")
def resend(delivery_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = webhook_queries.get_delivery(delivery_id)
    try:
        with tenant_scope(g.tenant_id):
            webhook_queries.resend_delivery(known.id)
        flash(gettext("Sending again."), "success")
    except DomainError as error:
        endpoint_removed = error.status == 404  # the endpoint was removed meanwhile
        flash(
            gettext("The endpoint for this webhook delivery was deleted.")
            if endpoint_removed
            else error_message(error),
            "error",
        )
    return redirect(url_for("deliveries.delivery", delivery_id=known.id))


def attempt_error(status: int | None, error: str | None) -> str:
    """Why an attempt failed, in the reader's language."""
    if not error:
        return ""
    if status == 410:
        return str(
            gettext("The server responded with 410 (Gone), so it no longer receives events.")
        )
    if status is not None and 300 <= status < 400:
        return str(
            gettext(
                "The server responded with %(s)s, a redirect. Redirects are not followed.", s=status
            )
        )
    if status in (429, 503):
        return str(gettext("The server responded with %(s)s and asked us to try later.", s=status))
    if status is not None:
        return str(gettext("The server responded with %(s)s.", s=status))
    reason = decode_reason(error)
    shown = _reason_texts().get(str(reason.values.get("problem") or reason.code))
    return shown or DELIVERY_REASONS.english(error)


def _reason_texts() -> dict[str, str]:
    """By the code of a reason, or by the problem of a call (core/http/errors.py)."""
    return {
        outbound.ANSWER_TIMED_OUT: gettext("The server did not respond within 15 seconds."),
        outbound.CONNECTION_TIMED_OUT: gettext("The server did not accept the connection in time."),
        outbound.NO_CONNECTION: gettext("The server refused the connection."),
        outbound.BROKE_OFF: gettext(
            "The server closed the connection or did not send a valid HTTP response."
        ),
        outbound.NAME_NOT_FOUND: gettext("The host name could not be found."),
        outbound.BAD_CERTIFICATE: gettext("The server's certificate is not valid."),
        outbound.NO_TLS: gettext("A TLS connection could not be established."),
        outbound.RefusedAddress.code: gettext("The address is not on the public internet."),
        reasons.EVENT_EXPIRED: gettext("The event is no longer stored."),
        reasons.SWITCHED_OFF: gettext("The endpoint was turned off."),
        reasons.REMOVED: gettext("The endpoint was deleted."),
    }


def _request_headers(known: WebhookDelivery, last: WebhookAttempt) -> dict[str, str]:
    """The headers of the last attempt."""
    return {
        "content-type": "application/json",
        "user-agent": USER_AGENT,
        "webhook-id": known.event_id,
        "webhook-timestamp": str(int(last.at.timestamp())),
        "webhook-signature": last.signature,
    }


def _filters_in_url() -> dict[str, str]:
    """The filters in the URL, without empty values."""
    given = {name: text_in_url(name, 64) for name in ("to", "event", "state", "id")}
    return {name: value for name, value in given.items() if value}


def _filters(given: dict[str, str], known: set[str]) -> DeliveryFilters:
    """Unknown choices are ignored; an invalid id matches nothing."""
    endpoint, event, state = (given.get(name, "") for name in ("to", "event", "state"))
    return DeliveryFilters(
        endpoint_id=endpoint if endpoint in known else None,
        type=event if event in EVENT_TYPES else None,
        state=state if state in STATES else None,
        event_id=_event_id(given["id"]) if "id" in given else None,
    )


def _event_id(written: str) -> str:
    try:
        return canonical_id("evt", written)
    except BadId:
        return canonical_id("evt", f"evt_{'0' * 26}")
