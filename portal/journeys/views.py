"""Journeys: the list, the editor with its simulated phone, publishing, and runs."""

import json
from collections.abc import Callable
from typing import Any

from flask import Blueprint, flash, g, redirect, render_template, request, url_for
from flask_babel import gettext

from core.db import tenant_scope
from core.errors import DomainError, NotFound
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations.recipes import RECIPES
from messaging.contacts import repository as contact_repository
from messaging.journeys import player, queries, reasons, repository
from messaging.journeys.definition import (
    STEP_CLASSES,
    Definition,
    step_title,
    waits_for_answer,
)
from messaging.journeys.ready_made import READY_MADE
from messaging.journeys.validation import UnfinishedJourney, placeholder_names, sentence
from messaging.lines import repository as line_repository
from messaging.templates import repository as template_repository
from messaging.templates.repository import TemplateFilters
from portal.journeys import forms
from portal.web.auth import may, member_may
from portal.web.confirm import confirm_then, in_tenant
from portal.web.forms import submitted_text, text_in_url
from portal.web.i18n import error_message
from tenants import accounts, team

journeys_pages = Blueprint("journeys", __name__, url_prefix="/journeys")

PAGE = 50


@journeys_pages.get("")
@member_may("stores.view")
def index() -> Any:
    with tenant_scope(g.tenant_id):
        listed = repository.list_journeys()
        counts = queries.count_by_state([one.id for one in listed])
        automations = automation_definitions.list_automations()
    return render_template(
        "journeys/index.html",
        journeys=listed,
        counts=counts,
        automations=automations,
        ready_made=READY_MADE,
        recipes=RECIPES,
    )


@journeys_pages.post("")
@member_may("stores.manage")
def add() -> Any:
    """An empty journey, or a copy of a ready-made one."""
    code, name = submitted_text("ready_made", 40), submitted_text("name", 120)
    ready = READY_MADE.get(code)
    try:
        with tenant_scope(g.tenant_id):
            definition = ready.in_language(accounts.account().locale) if ready else None
            made = repository.create(name or gettext("New journey"), definition)
    except DomainError as error:
        flash(error_message(error), "error")
        return redirect(url_for("journeys.index"))
    return redirect(url_for("journeys.edit", journey_id=made.id))


@journeys_pages.get("/<journey_id>")
@member_may("stores.view")
def edit(journey_id: str) -> Any:
    return _editor(journey_id, text_in_url("step", 40))


@journeys_pages.post("/<journey_id>/name")
@member_may("stores.manage")
def rename(journey_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        draft = repository.draft_of(repository.get(journey_id))
    return _change(journey_id, lambda _: draft, name=submitted_text("name", 120))


@journeys_pages.post("/<journey_id>/when")
@member_may("stores.manage")
def when(journey_id: str) -> Any:
    return _change(journey_id, forms.changed_when)


@journeys_pages.post("/<journey_id>/steps")
@member_may("stores.manage")
def add_step(journey_id: str) -> Any:
    made: list[str] = []

    def change(draft: Definition) -> Definition:
        changed, step_id = forms.with_new_step(draft, submitted_text("kind", 20))
        made.append(step_id)
        return changed

    return _change(journey_id, change, lambda: made[0])


@journeys_pages.post("/<journey_id>/steps/<step_id>")
@member_may("stores.manage")
def save_step(journey_id: str, step_id: str) -> Any:
    stays = submitted_text("act", 10) == "more"
    change = _on_step(step_id, lambda draft: forms.with_saved_step(draft, step_id))
    return _change(journey_id, change, lambda: step_id if stays else "", failed_step=step_id)


@journeys_pages.post("/<journey_id>/steps/<step_id>/move")
@member_may("stores.manage")
def move_step(journey_id: str, step_id: str) -> Any:
    down = submitted_text("to", 5) == "down"
    return _change(
        journey_id, _on_step(step_id, lambda draft: forms.with_moved_step(draft, step_id, down))
    )


@journeys_pages.post("/<journey_id>/steps/<step_id>/remove")
@member_may("stores.manage")
def remove_step(journey_id: str, step_id: str) -> Any:
    return _change(journey_id, _on_step(step_id, lambda draft: forms.without_step(draft, step_id)))


@journeys_pages.post("/<journey_id>/publish")
@member_may("stores.manage")
def publish(journey_id: str) -> Any:
    try:
        with tenant_scope(g.tenant_id):
            published = repository.publish(journey_id)
            version = published.version
    except UnfinishedJourney as error:
        flash(sentence(error.problems[0], gettext), "error")
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
    else:
        flash(gettext("Version %(number)s is published.", number=version), "success")
    return redirect(url_for("journeys.edit", journey_id=journey_id))


@journeys_pages.post("/<journey_id>/live")
@member_may("stores.manage")
def live(journey_id: str) -> Any:
    on = submitted_text("on", 5) == "yes"
    try:
        with tenant_scope(g.tenant_id):
            name = repository.set_live(journey_id, on).name
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
    else:
        told = (
            gettext("“%(name)s” is on.", name=name)
            if on
            else gettext(
                "“%(name)s” is paused: it starts no conversations, and open ones have ended.",
                name=name,
            )
        )
        flash(told, "success")
    return redirect(url_for("journeys.edit", journey_id=journey_id))


@journeys_pages.route("/<journey_id>/remove", methods=["GET", "POST"])
@member_may("stores.manage")
def remove(journey_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        known = repository.get(journey_id)
    return confirm_then(
        in_tenant(repository.remove, journey_id),
        title=gettext("Delete “%(name)s”?", name=known.name),
        text=gettext("It starts no new conversations, and those that have begun end."),
        yes=gettext("Delete journey"),
        back_url=url_for("journeys.edit", journey_id=journey_id),
        done=gettext("“%(name)s” was deleted.", name=known.name),
        done_url=url_for("journeys.index"),
    )


@journeys_pages.post("/<journey_id>/play")
@member_may("stores.view")
def play(journey_id: str) -> Any:
    """The draft on the phone. Sends nothing and stores nothing."""
    said = forms.said_so_far()
    if request.headers.get("X-Part") != "phone":
        return _editor(journey_id, "", said)
    with tenant_scope(g.tenant_id):
        journey = repository.get(journey_id)
        played = player.play(repository.draft_of(journey), said)
    return render_template(
        "journeys/phone.html", journey=journey, played=played, said=_as_json(played)
    )


@journeys_pages.get("/<journey_id>/runs")
@member_may("stores.view")
def runs(journey_id: str) -> Any:
    after, state = text_in_url("after", 40) or None, text_in_url("state", 12)
    state = state if state in queries.STATES else ""
    with tenant_scope(g.tenant_id):
        journey = repository.get(journey_id)
        found = queries.list_runs(journey.id, state=state, after=after, limit=PAGE + 1)
    shown = found[:PAGE]
    here: dict[str, Any] = {"journey_id": journey_id, "state": state or None}
    more = len(found) > PAGE
    return render_template(
        "journeys/runs.html",
        journey=journey,
        runs=shown,
        states=queries.STATES,
        state=state,
        next_url=url_for("journeys.runs", **here, after=shown[-1].run.id) if more else None,
        previous_url=url_for("journeys.runs", **here) if after else None,
    )


@journeys_pages.get("/runs/<run_id>")
@member_may("stores.view")
def run(run_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        detail = queries.run_detail(run_id)
    return render_template("journeys/run.html", detail=detail, step_title=step_title)


@journeys_pages.post("/runs/<run_id>/stop")
@member_may("stores.manage")
def stop_run(run_id: str) -> Any:
    with tenant_scope(g.tenant_id):
        queries.stop_run(run_id, reasons.STOPPED_BY_PERSON)
    flash(gettext("The journey of this customer has ended."), "success")
    return redirect(url_for("journeys.run", run_id=run_id))


def _editor(journey_id: str, open_step: str, said: list[dict[str, Any]] | None = None) -> Any:
    with tenant_scope(g.tenant_id):
        journey = repository.get(journey_id)
        draft = repository.draft_of(journey)
        problems = repository.problems_of(draft)
        played = player.play(draft, said or [])
        lines = [one for one in line_repository.list_lines() if not one.test]
        shops = store_connections.list_connections()
        tags = contact_repository.list_tags(200)
        members = team.members() if may("stores.manage") else []
        approved = TemplateFilters(state="approved")
        templates = (
            template_repository.list_templates(approved, limit=200) if may("stores.manage") else []
        )
    return render_template(
        "journeys/edit.html",
        journey=journey,
        draft=draft,
        problems=[(one, sentence(one, gettext)) for one in problems],
        open_step=open_step,
        played=played,
        said=_as_json(played),
        lines=lines,
        shops=shops,
        tags=tags,
        members=members,
        templates=templates,
        kinds=STEP_CLASSES,
        step_title=step_title,
        waits_for_answer=waits_for_answer,
        names=placeholder_names(draft.when),
        answers=sorted({getattr(one, "save_as", "") for one in draft.steps} - {""}),
    )


def _change(
    journey_id: str,
    change: Callable[[Definition], Definition],
    open_step: Callable[[], str] = lambda: "",
    *,
    name: str | None = None,
    failed_step: str = "",
) -> Any:
    """Change the draft, then show the editor, with a step open if its form is to be filled in."""
    shown, anchor = "", "steps"
    try:
        with tenant_scope(g.tenant_id):
            journey = repository.get(journey_id, lock=True)
            changed = change(repository.draft_of(journey))
            repository.change_draft(journey_id, changed, name=name)
        shown = open_step()
    except NotFound:
        raise
    except DomainError as error:
        flash(error_message(error), "error")
        shown = failed_step
    if shown:
        anchor = f"step-{shown}"
    where = url_for("journeys.edit", journey_id=journey_id, step=shown or None, _anchor=anchor)
    return redirect(where)


def _on_step(
    step_id: str, change: Callable[[Definition], Definition]
) -> Callable[[Definition], Definition]:
    def checked(draft: Definition) -> Definition:
        if draft.position(step_id) is None:
            raise NotFound()
        return change(draft)

    return checked


def _as_json(played: player.Played) -> str:
    return json.dumps(played.inputs, ensure_ascii=False)
