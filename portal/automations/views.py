"""Automations: turn on, edit with a preview of the last real event, and see past runs."""

from collections.abc import Iterator
from typing import Any

from flask import (
    Blueprint,
    flash,
    g,
    redirect,
    render_template,
    request,
    url_for,
)
from flask_babel import gettext

from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import DomainError
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations.definitions import AutomationInput, AutomationPreview, RunSummary
from messaging.automations.recipes import BUTTON_TAPPED, RECIPES
from messaging.lines import repository as line_repository
from messaging.models import Automation
from messaging.templates.placeholders import NAMES_BY_TRIGGER
from portal.automations.forms import UNITS, AutomationForm, in_units
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.csv_files import csv_response
from portal.web.forms import domain_errors_on, field_text
from portal.web.i18n import automation_reason

automations_pages = Blueprint("automations", __name__, url_prefix="/automations")

PAGE = 50
BATCH = 500
STATES = ("waiting", "sent", "skipped", "cancelled", "failed")
COLUMNS = ("time", "cause", "state", "because", "phone", "message_id", "ended_at")


def recipe_names() -> dict[str, str]:
    return {
        "order_confirmation": gettext("Order confirmation"),
        "shipping_link": gettext("Shipping notification"),
        "order_cancelled": gettext("Order cancellation"),
        "abandoned_cart": gettext("Abandoned cart"),
        "form_reply": gettext("Form reply"),
        "owner_notice": gettext("Owner notification"),
        "button_reply": gettext("Button reply"),
    }


@automations_pages.get("")
@member_may("stores.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        listed = automation_definitions.list_automations()
        last = {one.id: automation_definitions.last_run(one.id) for one in listed}
        shops = {one.id: one.name for one in store_connections.list_connections()}
    unused = [code for code in RECIPES if code not in {one.recipe for one in listed}]
    return render_template(
        "automations/index.html",
        automations=listed,
        unused=unused,
        last=last,
        shops=shops,
        recipes=RECIPES,
        recipe_names=recipe_names(),
    )


@automations_pages.post("/tick/<recipe>")
@member_may("stores.manage")
def tick(recipe: str) -> Any:
    """Turn on a ready-made automation; some first ask for a phone number or for buttons."""
    name = recipe_names().get(recipe, recipe)
    with tenant_scope(g.tenant_id):
        ready = automation_definitions.unsaved_automation(recipe)
    if RECIPES[ready.recipe].to_owner or RECIPES[ready.recipe].trigger == BUTTON_TAPPED:
        return redirect(url_for("automations.new", recipe=recipe))
    with tenant_scope(g.tenant_id):
        made = automation_definitions.add(recipe, name)
    flash(gettext("“%(name)s” is on.", name=name), "success")
    return redirect(url_for("automations.edit", automation_id=made.id))


@automations_pages.route("/new/<recipe>", methods=["GET", "POST"])
@member_may("stores.manage")
def new(recipe: str) -> Any:
    with tenant_scope(g.tenant_id):
        automation = automation_definitions.unsaved_automation(recipe)
        automation.name = recipe_names()[recipe]
    return _edit(automation, is_new=True)


@automations_pages.get("/<automation_id>")
@member_may("stores.view")
def edit(automation_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        automation = automation_definitions.get(automation_id)
    return _edit(automation, is_new=False)


@automations_pages.post("/<automation_id>")
@member_may("stores.manage")
def save(automation_id: str) -> Any:
    return edit(automation_id)


@automations_pages.post("/<automation_id>/enabled")
@member_may("stores.manage")
def enabled(automation_id: str) -> Any:
    on = request.form.get("on") == "yes"
    with tenant_scope(g.tenant_id):
        name = automation_definitions.set_enabled(automation_id, on).name
    if on:
        flash(gettext("“%(name)s” is on.", name=name), "success")
    else:
        flash(
            gettext("“%(name)s” is off. Waiting messages will not be sent.", name=name), "success"
        )
    return redirect(url_for("automations.index"))


@automations_pages.route("/<automation_id>/remove", methods=["GET", "POST"])
@member_may("stores.manage")
def remove(automation_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = automation_definitions.get(automation_id)
    return confirm_then(
        in_tenant(automation_definitions.remove, automation_id),
        title=gettext("Delete “%(name)s”?", name=known.name),
        text=gettext("Messages that are waiting will not be sent. Sent messages are kept."),
        yes=gettext("Delete automation"),
        back_url=url_for("automations.edit", automation_id=automation_id),
        done=gettext("“%(name)s” was deleted.", name=known.name),
        done_url=url_for("automations.index"),
    )


@automations_pages.get("/<automation_id>/runs")
@member_may("stores.view")
def runs(automation_id: str) -> Any:
    after, state = request.args.get("after"), _state()
    with tenant_scope(g.tenant_id):
        automation = automation_definitions.get(automation_id)
        found = automation_definitions.list_runs(automation_id, after, PAGE + 1, state)
    shown = found[:PAGE]
    here: dict[str, Any] = {"automation_id": automation_id, "state": state or None}
    more = len(found) > PAGE
    return render_template(
        "automations/runs.html",
        automation=automation,
        runs=shown,
        states=STATES,
        state=state,
        next_url=url_for("automations.runs", **here, after=shown[-1].run.id) if more else None,
        previous_url=url_for("automations.runs", **here) if after else None,
        csv_url=url_for("automations.export", **here),
    )


@automations_pages.get("/<automation_id>/runs.csv")
@member_may("stores.view")
def export(automation_id: str) -> Any:
    """Stream the runs in batches, each in its own transaction."""
    tenant_id, state = g.tenant_id, _state()
    with tenant_scope(tenant_id):
        automation_definitions.get(automation_id)

    def rows() -> Iterator[tuple[str, ...]]:
        after = None
        while True:
            with tenant_scope(tenant_id):
                batch = automation_definitions.list_runs(automation_id, after, BATCH, state)
            yield from (_cells(one) for one in batch)
            if len(batch) < BATCH:
                return
            after = batch[-1].run.id

    return csv_response("runs", COLUMNS, rows())


def _edit(automation: Automation, *, is_new: bool) -> Any:
    """Preview first: warn about empty placeholders before saving, but allow it on confirmation."""
    form = _form(automation) if may("stores.manage") else None
    missing: tuple[str, ...] = ()
    if form is not None and form.validate_on_submit():
        with domain_errors_on(form):
            with tenant_scope(g.tenant_id):
                automation_definitions.write_input(
                    automation, _automation_settings(form, automation)
                )
                missing = automation_definitions.preview_automation(automation).missing
            act = request.form.get("act")
            if act == "anyway" or (act == "save" and not missing):
                return _save(form, automation, is_new)
    with tenant_scope(g.tenant_id):
        preview = _preview(automation)
    recipe = RECIPES[automation.recipe]
    return render_template(
        "automations/edit.html",
        automation=automation,
        recipe=recipe,
        recipe_names=recipe_names(),
        is_new=is_new,
        form=form,
        preview=preview,
        confirming=bool(missing) and request.form.get("act") == "save",
        names=NAMES_BY_TRIGGER[recipe.trigger],
    )


def _save(form: AutomationForm, automation: Automation, is_new: bool) -> Any:
    values = _automation_settings(form, automation)
    with tenant_scope(g.tenant_id):
        if is_new:
            made = automation_definitions.add(automation.recipe, values.name, values.to_phone)
            automation_id = automation_definitions.change(made.id, values).id
        else:
            automation_id = automation_definitions.change(automation.id, values).id
    flash(gettext("Saved. The change applies from the next event."), "success")
    return redirect(url_for("automations.edit", automation_id=automation_id))


def _form(automation: Automation) -> AutomationForm:
    with tenant_scope(g.tenant_id):
        shops = store_connections.list_connections()
        lines = [line for line in line_repository.list_lines() if not line.test]
    delay, unit = in_units(automation.delay_minutes)
    conditions, template = automation.conditions, automation.template
    form = AutomationForm(
        name=automation.name,
        connection_id=automation.connection_id or "",
        line_id=str(automation.line_id or ""),
        to_phone=automation.to_phone,
        delay=delay,
        unit=unit,
        paid=bool(conditions.get("paid")),
        tracking=bool(conditions.get("tracking")),
        consent=bool(conditions.get("consent")),
        at_least=conditions.get("at_least", ""),
        countries=", ".join(conditions.get("countries", [])),
        tapped="\n".join(conditions.get("tapped", [])),
        says="template" if template else "text",
        text=automation.text,
        template_name=template.get("name", ""),
        template_language=template.get("language", ""),
        parameters="\n".join(template.get("parameters", [])),
    )
    form.offer(shops, lines)
    if not form.is_submitted():
        form.fill(automation.card)
    return form


def _automation_settings(form: AutomationForm, automation: Automation) -> AutomationInput:
    as_template = form.says.data == "template"
    template = {
        "name": field_text(form.template_name),
        "language": field_text(form.template_language),
        "parameters": field_text(form.parameters).splitlines(),
    }
    line, shop = form.line_id.data or "", form.connection_id.data or None
    return AutomationInput(
        name=field_text(form.name),
        text=field_text(form.text) if not as_template or template["name"] else "",
        template=template if as_template else {},
        card=None if as_template else form.card(),
        delay_minutes=(form.delay.data or 0) * UNITS.get(form.unit.data, 1),
        conditions={
            "paid": form.paid.data,
            "tracking": form.tracking.data,
            "consent": form.consent.data,
            "at_least": field_text(form.at_least).strip(),
            "countries": field_text(form.countries).strip(),
            "tapped": field_text(form.tapped),
        },
        connection_id=shop,
        line_id=int(line) if line.isdigit() else None,
        to_phone=field_text(form.to_phone) or automation.to_phone,
    )


def _preview(automation: Automation) -> AutomationPreview:
    try:
        return automation_definitions.preview_automation(automation)
    except DomainError:
        return AutomationPreview(None, None, ())


def _state() -> str:
    state = request.args.get("state", "")
    return state if state in STATES else ""


def _cells(one: RunSummary) -> tuple[str, ...]:
    run = one.run
    ended = rfc3339(run.ended_at) if run.ended_at else ""
    cells = (run.cause, run.state, automation_reason(run.because), run.phone, run.message_id or "")
    return (rfc3339(run.created_at), *cells, ended)
