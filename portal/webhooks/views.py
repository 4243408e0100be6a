"""Webhooks: the endpoints that receive a tenant's events."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, url_for
from flask_babel import format_date, gettext
from flask_login import current_user

from core.clock import now, zone
from core.db import tenant_scope
from core.errors import DomainError, invalid
from core.http import Policy
from messaging.lines import repository as line_repository
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import error_message
from portal.webhooks.forms import EndpointForm, ReplayForm, RotateSecretForm
from tenants.api_keys import OVERLAPS
from webhooks import endpoints
from webhooks import queries as webhook_queries
from webhooks.custom_headers import format_headers, parse_headers, unpack_headers
from webhooks.endpoints import EndpointFields
from webhooks.event_types import ALL_EVENTS, EVENT_GROUPS
from webhooks.filters import format_conditions, parse_conditions
from webhooks.models import Endpoint, EndpointDay
from webhooks.queries import DeliveryFilters, ReplayRange

webhooks_pages = Blueprint("webhooks", __name__)

DAYS = 14
ENDPOINT = "/webhooks/<endpoint_id>"


@webhooks_pages.get("/webhooks")
@member_may("webhooks.view")
def index() -> Any:
    first = now().date() - timedelta(days=DAYS - 1)
    with tenant_scope(g.tenant_id):
        listed = sorted(endpoints.list_endpoints(), key=lambda one: not one.enabled)
        counted = webhook_queries.daily_counts(first)
        late = webhook_queries.list_deliveries(DeliveryFilters(state="failed"), None, 5)
    return render_template(
        "webhooks/index.html",
        endpoints=listed,
        health={one.id: endpoints.state_of(one) for one in listed},
        sparks={one.id: _per_day(counted.get(one.id, []), first) for one in listed},
        late=late,
        most=endpoints.MAX_ENDPOINTS,
    )


@webhooks_pages.route("/webhooks/new", methods=["GET", "POST"])
@member_may("webhooks.manage")
def new() -> Any:
    form = _with_lines(EndpointForm())
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                made = endpoints.register(_endpoint_settings(form), _policy())
            return _secret_page(made, gettext("The endpoint is ready to receive events."))
    return render_template("webhooks/new.html", form=form, groups=EVENT_GROUPS)


@webhooks_pages.get(ENDPOINT)
@member_may("webhooks.view")
def endpoint(endpoint_id: str) -> Any:
    return _page(_endpoint(endpoint_id))


@webhooks_pages.post(ENDPOINT)
@member_may("webhooks.manage")
def save(endpoint_id: str) -> Any:
    known, form = _endpoint(endpoint_id), _with_lines(EndpointForm())
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                endpoints.change(endpoint_id, _endpoint_settings(form, known), _policy())
            flash(gettext("Saved."), "success")
            return redirect(url_for("webhooks.endpoint", endpoint_id=endpoint_id))
    return _page(known, form=form)


@webhooks_pages.post(f"{ENDPOINT}/test")
@member_may("webhooks.manage")
def test(endpoint_id: str) -> Any:
    try:
        with tenant_scope(g.tenant_id):
            delivery_id = endpoints.send_test_event(endpoint_id)
    except DomainError as error:
        if error.status == 404:
            raise
        flash(error_message(error), "error")
        return redirect(url_for("webhooks.endpoint", endpoint_id=endpoint_id))
    return redirect(url_for("deliveries.delivery", delivery_id=delivery_id))


@webhooks_pages.post(f"{ENDPOINT}/rotate")
@member_may("webhooks.manage")
def rotate(endpoint_id: str) -> Any:
    known, form = _endpoint(endpoint_id), RotateSecretForm()
    if not form.validate_on_submit():
        return redirect(url_for("webhooks.endpoint", endpoint_id=endpoint_id))
    with tenant_scope(g.tenant_id):
        known = endpoints.rotate_secret(endpoint_id, OVERLAPS[form.overlap.data])
    return _secret_page(
        known, gettext("New secret created. Webhook deliveries are now signed with it.")
    )


@webhooks_pages.post(f"{ENDPOINT}/on")
@member_may("webhooks.manage")
def switch_on(endpoint_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        endpoints.set_enabled(endpoint_id, True)
    flash(gettext("The endpoint is on. You can replay the events it missed."), "success")
    return redirect(url_for("webhooks.endpoint", endpoint_id=endpoint_id, _anchor="replay"))


@webhooks_pages.route(f"{ENDPOINT}/off", methods=["GET", "POST"])
@member_may("webhooks.manage")
def switch_off(endpoint_id: str) -> Any:
    known = _endpoint(endpoint_id)
    return confirm_then(
        in_tenant(endpoints.set_enabled, endpoint_id, False),
        title=gettext("Turn off the endpoint?"),
        text=gettext(
            "%(url)s stops receiving events, and waiting deliveries are cancelled. "
            "After you turn it on again, you can replay the events it missed.",
            url=known.url,
        ),
        yes=gettext("Turn off"),
        back_url=url_for("webhooks.endpoint", endpoint_id=endpoint_id),
        done=gettext("The endpoint is off."),
    )


@webhooks_pages.route(f"{ENDPOINT}/remove", methods=["GET", "POST"])
@member_may("webhooks.manage")
def remove(endpoint_id: str) -> Any:
    known = _endpoint(endpoint_id)
    return confirm_then(
        in_tenant(endpoints.remove, endpoint_id),
        title=gettext("Delete the endpoint?"),
        text=gettext(
            "%(url)s stops receiving events and its secret is deleted. You cannot undo this.",
            url=known.url,
        ),
        yes=gettext("Delete endpoint"),
        back_url=url_for("webhooks.endpoint", endpoint_id=endpoint_id),
        done=gettext("Endpoint deleted."),
        done_url=url_for("webhooks.index"),
    )


@webhooks_pages.post(f"{ENDPOINT}/replay")
@member_may("webhooks.manage")
def replay(endpoint_id: str) -> Any:
    known, form = _endpoint(endpoint_id), ReplayForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            replay_range = ReplayRange(
                _viewer_time(form.since.data), _viewer_time(form.until.data), form.missed.data
            )
            with tenant_scope(g.tenant_id):
                count = webhook_queries.replay_events(endpoint_id, replay_range)
            if count:
                flash(gettext("Events being sent again: %(count)s.", count=count), "success")
            else:
                flash(gettext("There were no events to send again in this period."), "warning")
            return redirect(url_for("deliveries.index", to=endpoint_id))
    return _page(known, replay_form=form)


def _page(
    known: Endpoint, *, form: EndpointForm | None = None, replay_form: ReplayForm | None = None
) -> str:
    """Render the page; a rejected form keeps its input, the other forms are new."""
    first = now().date() - timedelta(days=DAYS - 1)
    with tenant_scope(g.tenant_id):
        counted = webhook_queries.daily_counts(first).get(known.id, [])
        latest = webhook_queries.list_deliveries(DeliveryFilters(endpoint_id=known.id), None, 6)
    if may("webhooks.manage"):
        every = ALL_EVENTS in known.events
        form = form or _with_lines(
            EndpointForm(
                formdata=None,
                url=known.url,
                description=known.description,
                every="yes" if every else "no",
                events=[] if every else known.events,
                lines=known.line_ids or [],
                filters=format_conditions(known.filters),
                headers=format_headers(unpack_headers(known.headers)),
                ordered=known.ordered,
            )
        )
        replay_form = replay_form or _fresh_replay(known)
    return render_template(
        "webhooks/endpoint.html",
        endpoint=known,
        health=endpoints.state_of(known),
        delivered=sum(day.delivered for day in counted),
        failed=sum(day.failed for day in counted),
        millis=_average(counted),
        days=_named_days(counted, first),
        latest=latest,
        form=form,
        groups=EVENT_GROUPS,
        secret_form=RotateSecretForm(formdata=None) if may("webhooks.manage") else None,
        replay_form=replay_form,
    )


def _fresh_replay(known: Endpoint) -> ReplayForm:
    """Starts at the last successful delivery, or a day ago, in the viewer's time zone."""
    there = zone(current_user.person.time_zone)
    since = max(known.last_success_at or known.created_at, now() - timedelta(days=29))
    return ReplayForm(
        formdata=None,
        since=min(since, now() - timedelta(hours=1)).astimezone(there).replace(tzinfo=None),
        until=now().astimezone(there).replace(tzinfo=None),
        missed=True,
    )


def _secret_page(known: Endpoint, words: str) -> str:
    return render_template("webhooks/secret.html", endpoint=known, secret=known.secret, words=words)


def _endpoint(endpoint_id: str) -> Endpoint:
    with tenant_scope(g.tenant_id):
        return endpoints.get(endpoint_id)


def _endpoint_settings(form: EndpointForm, known: Endpoint | None = None) -> EndpointFields:
    headers = unpack_headers(known.headers) if known is not None else {}
    return EndpointFields(
        url=field_text(form.url),
        events=form.chosen(),
        description=field_text(form.description),
        line_ids=list(form.lines.data or []),
        filters=parse_conditions(field_text(form.filters)),
        headers=parse_headers(field_text(form.headers), headers),
        ordered=bool(form.ordered.data),
    )


def _with_lines(form: EndpointForm) -> EndpointForm:
    """Removed lines are left out, unless the endpoint still names them."""
    with tenant_scope(g.tenant_id):
        labels = line_repository.line_labels()
    chosen = form.lines.data or []
    form.lines.choices = [
        (one.id, one.name) for one in labels if not one.removed or one.id in chosen
    ]
    return form


def _policy() -> Policy:
    settings = current_app.extensions["comanda"]
    return Policy(ports=settings.ports_allowed, allow_loopback=settings.allow_loopback)


def _viewer_time(local: datetime | None) -> datetime:
    """Interpret a local time in the viewer's time zone."""
    there = zone(current_user.person.time_zone)
    try:
        return (local or now()).replace(tzinfo=there).astimezone(UTC)
    except OverflowError:
        raise invalid("since", "invalid_time", "Enter a valid date and time.") from None


def _per_day(counted: list[EndpointDay], first: date) -> list[int]:
    known = {day.day: day.delivered + day.failed for day in counted}
    return [known.get(first + timedelta(days=number), 0) for number in range(DAYS)]


def _named_days(counted: list[EndpointDay], first: date) -> list[tuple[str, int]]:
    values = _per_day(counted, first)
    if not any(values):
        return []
    return [
        (format_date(first + timedelta(days=number), "d MMM"), value)
        for number, value in enumerate(values)
    ]


def _average(counted: list[EndpointDay]) -> int | None:
    tries = sum(day.delivered + day.failed for day in counted)
    return round(sum(day.millis for day in counted) / tries) if tries else None
