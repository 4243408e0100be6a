"""Journeys: their drafts and versions, and the runs of contacts."""

from collections.abc import Callable
from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.paging import PageQuery, page
from api.schemas import ErrorBody
from api.v1 import v1
from api.v1.messaging.app_sends import refuse_app
from api.v1.schemas.messaging.journeys import (
    JourneyDetail,
    JourneyFacts,
    JourneyPage,
    JourneyPath,
    JourneyRunDetail,
    JourneyRunPage,
    JourneyRunPath,
    JourneyRunQuery,
    JourneyRunRequest,
    JourneyRunShape,
    JourneyShape,
    detail_json,
    journey_json,
    run_detail_json,
    run_json,
    summary_json,
)
from core.db import tenant_scope
from core.errors import NotFound
from messaging.journeys import queries, reasons, repository, triggers
from messaging.lines import repository as line_repository
from messaging.models import Journey

TAG = Tag(name="Journeys")


@v1.get("/journeys", tags=[TAG], summary="List journeys", responses={200: JourneyPage})
@key_may("campaigns", test_keys=True)
def list_journeys(query: PageQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        rows = repository.journey_page(query.after, query.limit + 1)
    return page(rows, query, lambda one: one.id, journey_json)


@v1.post("/journeys", tags=[TAG], summary="Make a journey", responses={201: JourneyDetail})
@key_may("campaigns")
@idempotent
def add_journey(body: JourneyFacts) -> JsonAnswer:
    """Makes a draft. It starts nothing before it is published."""
    _check_line(body.definition.line_id)
    made = repository.create(body.name, body.definition.model_dump(mode="json"))
    return _detail(made), 201


@v1.get(
    "/journeys/<journey_id>", tags=[TAG], summary="Get a journey", responses={200: JourneyDetail}
)
@key_may("campaigns", test_keys=True)
def read_journey(path: JourneyPath) -> dict[str, Any]:
    """`problems` lists what keeps the draft from being published."""
    with tenant_scope(g.tenant_id):
        return _detail(repository.get(path.journey_id))


@v1.put(
    "/journeys/<journey_id>",
    tags=[TAG],
    summary="Change the draft of a journey",
    responses={200: JourneyDetail},
)
@key_may("campaigns")
def change_journey(path: JourneyPath, body: JourneyFacts) -> dict[str, Any]:
    """Replaces the draft. The published version stays as it is until the next one."""
    with tenant_scope(g.tenant_id):
        repository.get(path.journey_id)
        _check_line(body.definition.line_id)
        changed = repository.change_draft(path.journey_id, body.definition, name=body.name)
        return _detail(changed)


@v1.delete("/journeys/<journey_id>", tags=[TAG], summary="Delete a journey", responses={204: None})
@key_may("campaigns")
def remove_journey(path: JourneyPath) -> tuple[str, int]:
    """Runs that have begun end at once."""
    with tenant_scope(g.tenant_id):
        repository.remove(path.journey_id)
    return "", 204


@v1.post(
    "/journeys/<journey_id>/publish",
    tags=[TAG],
    summary="Publish the draft",
    responses={200: JourneyShape},
)
@key_may("campaigns")
def publish_journey(path: JourneyPath) -> dict[str, Any]:
    """The draft becomes the next version, which starts new runs. Runs that have begun keep theirs.
    A draft with mistakes is refused, and `errors` names each step.
    """
    refuse_app()
    return _apply(path.journey_id, repository.publish)


@v1.post(
    "/journeys/<journey_id>/pause",
    tags=[TAG],
    summary="Pause a journey",
    responses={200: JourneyShape},
)
@key_may("campaigns")
def pause_journey(path: JourneyPath) -> dict[str, Any]:
    """It starts no new runs, and those that have begun end at once."""
    return _apply(path.journey_id, lambda one: repository.set_live(one, False))


@v1.post(
    "/journeys/<journey_id>/resume",
    tags=[TAG],
    summary="Start new runs again",
    responses={200: JourneyShape, 409: ErrorBody},
)
@key_may("campaigns")
def resume_journey(path: JourneyPath) -> dict[str, Any]:
    refuse_app()
    return _apply(path.journey_id, lambda one: repository.set_live(one, True))


@v1.get(
    "/journeys/<journey_id>/runs",
    tags=[TAG],
    summary="List the runs of a journey",
    responses={200: JourneyRunPage},
)
@key_may("campaigns", test_keys=True)
def list_journey_runs(path: JourneyPath, query: JourneyRunQuery) -> dict[str, Any]:
    """A test key lists the runs on the test line, a live key all others."""
    with tenant_scope(g.tenant_id):
        journey = repository.get(path.journey_id)
        rows = queries.list_runs(
            journey.id,
            state=query.state or "",
            test=g.caller.test,
            after=query.after,
            limit=query.limit + 1,
        )
    return page(rows, query, lambda one: one.run.id, summary_json)


@v1.post(
    "/journeys/<journey_id>/runs",
    tags=[TAG],
    summary="Start a run for a contact",
    responses={201: JourneyRunShape, 409: ErrorBody},
)
@key_may("campaigns", test_keys=True)
@idempotent
def start_journey_run(path: JourneyPath, body: JourneyRunRequest) -> JsonAnswer:
    """Works for every live journey, whatever else starts it. A contact can be in a journey once at
    a time; blocked contacts and contacts who opted out are refused. A test key starts the run on
    the test line, whichever line the journey is for.
    """
    refuse_app()
    journey = repository.live_journey(path.journey_id)
    _check_line(body.instance_id or journey.definition.line_id)
    run_id = triggers.start_by_program(
        path.journey_id,
        body.contact_id,
        body.values,
        line_id=body.instance_id,
        test=g.caller.test,
    )
    return run_json(queries.get_run(run_id)), 201


@v1.get(
    "/journey-runs/<run_id>", tags=[TAG], summary="Get a run", responses={200: JourneyRunDetail}
)
@key_may("campaigns", test_keys=True)
def read_journey_run(path: JourneyRunPath) -> dict[str, Any]:
    """With every step that was carried out, its message and its answer."""
    with tenant_scope(g.tenant_id):
        _check_mode(path.run_id)
        return run_detail_json(queries.run_detail(path.run_id))


@v1.post(
    "/journey-runs/<run_id>/stop",
    tags=[TAG],
    summary="Stop a run",
    responses={200: JourneyRunShape},
)
@key_may("campaigns", test_keys=True)
def stop_journey_run(path: JourneyRunPath) -> dict[str, Any]:
    """A run that has ended stays as it is."""
    with tenant_scope(g.tenant_id):
        _check_mode(path.run_id)
        return run_json(queries.stop_run(path.run_id, reasons.STOPPED_BY_PROGRAM))


def _check_mode(run_id: str) -> None:
    """A test key finds only the runs on the test line."""
    if g.caller.test and not queries.get_run(run_id).test:
        raise NotFound()


def _apply(journey_id: str, act: Callable[[str], Journey]) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        _check_line(repository.draft_of(repository.get(journey_id)).line_id)
        return journey_json(act(journey_id))


def _detail(journey: Journey) -> dict[str, Any]:
    problems = repository.problems_of(repository.draft_of(journey))
    return detail_json(journey, problems)


def _check_line(line_id: int | None) -> None:
    """A key that is limited to some lines may not use another one."""
    if line_id is not None:
        caller = g.caller
        line_repository.choose_route(
            caller.lines, line_id, test=caller.test, allowed=caller.key.line_ids
        )
