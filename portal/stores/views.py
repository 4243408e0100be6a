"""Stores and forms: connections, how to set them up, and the events received from each."""

import json
from typing import Any

from flask import Blueprint, current_app, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import notify_workers, tenant_scope
from core.queue import lanes
from core.settings import Settings
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations import store_events
from messaging.models import Connection
from portal.stores.forms import (
    ConnectionForm,
    MappingForm,
    NewConnectionForm,
    SecretForm,
    StoreApiForm,
)
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import domain_errors_on, field_text
from tenants import accounts
from webhooks.inbound import hook_queue
from webhooks.stores import website_form as form_builder
from webhooks.stores.base import FormAnswer, Platform
from webhooks.stores.form_fields import FIELD_ROLES
from webhooks.stores.registry import PLATFORMS

stores_pages = Blueprint("stores", __name__, url_prefix="/stores")

PAGE = 20
STATES = ("done", "waiting", "parked")
LONGEST_BODY = 20_000


def hook_url(connection: Connection) -> str:
    settings: Settings = current_app.extensions["comanda"]
    return f"{settings.base_url}/hooks/{connection.kind}/{connection.token}"


@stores_pages.app_template_global()
def store_platforms() -> dict[str, Platform]:
    return PLATFORMS


@stores_pages.get("")
@member_may("stores.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        listed = store_connections.list_connections()
    return render_template("stores/index.html", connections=listed)


@stores_pages.route("/new", methods=["GET", "POST"])
@member_may("stores.manage")
def new() -> Any:
    with tenant_scope(g.tenant_id):
        country = accounts.account().country
    form = NewConnectionForm(kind=request.args.get("kind", next(iter(PLATFORMS))), country=country)
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                made = store_connections.add(
                    form.kind.data, field_text(form.name), country=form.country.data or ""
                )
            return redirect(url_for("stores.connection", connection_id=made.id))
    return render_template("stores/new.html", form=form)


@stores_pages.get("/<connection_id>")
@member_may("stores.view")
def connection(connection_id: str) -> Any:
    """One connection; with `X-Part`, only the parts that change: its state and received events."""
    return _page(_connection(connection_id))


@stores_pages.post("/<connection_id>")
@member_may("stores.manage")
def save(connection_id: str) -> Any:
    known, form = _connection(connection_id), ConnectionForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                store_connections.change(
                    connection_id, field_text(form.name), form.country.data or ""
                )
            flash(gettext("Saved."), "success")
            return redirect(url_for("stores.connection", connection_id=connection_id))
    return _page(known, form=form)


@stores_pages.post("/<connection_id>/access")
@member_may("stores.manage")
def access(connection_id: str) -> Any:
    """Save the secret that the platform issued, or generate one."""
    known, form = _connection(connection_id), SecretForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                if request.form.get("act") == "renew":
                    store_connections.renew_secret(connection_id)
                else:
                    store_connections.set_secret(connection_id, field_text(form.secret))
            flash(gettext("The secret takes effect within a few seconds."), "success")
            return redirect(url_for("stores.connection", connection_id=connection_id))
    return _page(known, secret_form=form)


@stores_pages.post("/<connection_id>/api-access")
@member_may("stores.manage")
def api_access(connection_id: str) -> Any:
    """Save how journeys reach the store itself."""
    known, form = _connection(connection_id), StoreApiForm()
    if form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                store_connections.set_api_access(
                    connection_id,
                    field_text(form.url),
                    field_text(form.key),
                    field_text(form.secret),
                )
            flash(gettext("Saved."), "success")
            return redirect(url_for("stores.connection", connection_id=connection_id))
    return _page(known, api_form=form)


@stores_pages.post("/<connection_id>/mapping")
@member_may("stores.manage")
def mapping(connection_id: str) -> Any:
    known, form = _connection(connection_id), MappingForm()
    form.offer(_fields(known))
    if form.validate_on_submit():
        chosen = {role: form[role].data or "" for role in FIELD_ROLES}
        with tenant_scope(g.tenant_id):
            store_connections.set_mapping(connection_id, chosen)
        flash(gettext("Saved. The mapping applies from the next submission."), "success")
        return redirect(url_for("stores.connection", connection_id=connection_id))
    return _page(known, mapping_form=form)


@stores_pages.post("/<connection_id>/enabled")
@member_may("stores.manage")
def enabled(connection_id: str) -> Any:
    on = request.form.get("on") == "yes"
    with tenant_scope(g.tenant_id):
        store_connections.set_enabled(connection_id, on)
    if on:
        flash(gettext("The connection is on."), "success")
    else:
        flash(
            gettext("The connection is off. Incoming events are accepted but ignored."), "success"
        )
    return redirect(url_for("stores.connection", connection_id=connection_id))


@stores_pages.route("/<connection_id>/remove", methods=["GET", "POST"])
@member_may("stores.manage")
def remove(connection_id: str) -> Any:
    known = _connection(connection_id)
    return confirm_then(
        in_tenant(store_connections.remove, connection_id),
        title=gettext("Delete “%(name)s”?", name=known.name),
        text=gettext(
            "Its address stops working immediately. Messages its automations have sent stay listed."
        ),
        yes=gettext("Delete connection"),
        back_url=url_for("stores.connection", connection_id=connection_id),
        done=gettext("“%(name)s” was deleted.", name=known.name),
        done_url=url_for("stores.index"),
    )


@stores_pages.get("/<connection_id>/hooks/<hook_id>")
@member_may("stores.view")
def hook(connection_id: str, hook_id: str) -> Any:
    known = _connection(connection_id)
    with tenant_scope(g.tenant_id):
        post = store_connections.get_received(connection_id, hook_id)
        events = _events_and_runs([post.id]).get(post.id, [])
        facts = {name: value for name, value in (post.facts or {}).items() if value}
    return render_template(
        "stores/hook.html",
        connection=known,
        hook=post,
        events=events,
        facts=facts,
        body=_readable(bytes(post.body)),
        names=_automation_names(),
    )


@stores_pages.post("/<connection_id>/hooks/<hook_id>/again")
@member_may("stores.manage")
def again(connection_id: str, hook_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        store_connections.get(connection_id)
        post = store_connections.get_received(connection_id, hook_id)
        freed = hook_queue.requeue_parked(post.id)
        lanes.mark_due(hook_queue.LANE, g.tenant_id)
        notify_workers("jobs.inbound.hooks.drain")
    if freed:
        flash(gettext("Processing again."), "success")
    else:
        flash(gettext("This is no longer marked as failed, so there is nothing to retry."), "error")
    return redirect(url_for("stores.hook", connection_id=connection_id, hook_id=hook_id))


def _connection(connection_id: str) -> Connection:
    with tenant_scope(g.tenant_id):
        return store_connections.get(connection_id)


def _page(
    known: Connection,
    *,
    form: ConnectionForm | None = None,
    secret_form: SecretForm | None = None,
    mapping_form: MappingForm | None = None,
    api_form: StoreApiForm | None = None,
) -> str:
    """Render the page; a rejected form keeps its input, the other forms are new."""
    after, state = request.args.get("after"), request.args.get("state", "")
    state = state if state in STATES else ""
    with tenant_scope(g.tenant_id):
        posts = store_connections.list_received(known.id, after, PAGE + 1, state)
        events_by_hook = _events_and_runs([post.id for post in posts])
    shown = posts[:PAGE]
    here: dict[str, Any] = {"connection_id": known.id, "state": state or None}
    manages = may("stores.manage")
    if manages:
        form = form or ConnectionForm(formdata=None, name=known.name, country=known.country)
        secret_form = secret_form or SecretForm(formdata=None)
        if PLATFORMS[known.kind].update_order:
            api_form = api_form or StoreApiForm(formdata=None, url=known.api_url)
        if PLATFORMS[known.kind].complete and mapping_form is None:
            mapping_form = _mapping_form(known)
    template = "stores/live.html" if request.headers.get("X-Part") else "stores/connection.html"
    return render_template(
        template,
        connection=known,
        url=hook_url(known) if manages else "",
        posts=shown,
        events_by_hook=events_by_hook,
        names=_automation_names(),
        state=state,
        next_url=url_for("stores.connection", **here, after=shown[-1].id)
        if len(posts) > PAGE
        else None,
        previous_url=url_for("stores.connection", **here) if after else None,
        form=form,
        secret_form=secret_form,
        mapping_form=mapping_form,
        api_form=api_form,
        guessed=not known.mapping,
    )


def _events_and_runs(hook_ids: list[str]) -> dict[str, list[tuple[Any, list[Any]]]]:
    """For each received post, its events and the automation runs of each event."""
    events = store_events.events_of_hooks(hook_ids)
    runs: dict[str, list[Any]] = {}
    for run in automation_definitions.runs_of_events([event.id for event in events]):
        runs.setdefault(run.event_id, []).append(run)
    found: dict[str, list[tuple[Any, list[Any]]]] = {}
    for event in events:
        found.setdefault(str(event.hook_id), []).append((event, runs.get(event.id, [])))
    return found


def _automation_names() -> dict[str, str]:
    with tenant_scope(g.tenant_id):
        return automation_definitions.automation_names()


def _mapping_form(known: Connection) -> MappingForm | None:
    """Built from the last submission; None until one has arrived."""
    fields, answers = _fields(known), _last_answers(known)
    if not fields:
        return None
    form = MappingForm(formdata=None, **form_builder.effective_fields(known.mapping, answers))
    form.offer(fields)
    return form


def _fields(known: Connection) -> list[tuple[str, str]]:
    """Each field with its last submitted value, so that people recognise it."""
    found = {}
    for one in _last_answers(known):
        said_there = f" ({one.value[:40]})" if one.value else ""
        found[one.key] = f"{one.label}{said_there}"
    for key in known.mapping.values():
        found.setdefault(str(key), str(key))
    return list(found.items())


def _last_answers(known: Connection) -> list[FormAnswer]:
    with tenant_scope(g.tenant_id):
        last = store_events.last_event(("form.submitted",), known.id)
        return form_builder.answers_of(last.data) if last else []


def _readable(body: bytes) -> str:
    """Indented JSON, or any other body unchanged; long bodies are truncated."""
    try:
        text = json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        text = body[: LONGEST_BODY * 4].decode("utf-8", "replace")
    text = text.encode("utf-8", "replace").decode().replace("\0", "␀")
    return text if len(text) <= LONGEST_BODY else text[:LONGEST_BODY] + "\n…"
