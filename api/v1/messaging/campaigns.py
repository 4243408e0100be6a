"""Campaigns: create, preview, start and follow them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

from flask import current_app, g

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.paging import page
from api.schemas import ErrorBody
from api.v1 import View, takes_file, v1
from api.v1.messaging.app_sends import refuse_app
from api.v1.messaging.audiences import TAG
from api.v1.schemas.messaging.campaign_dry_run import DryRun, outlook_json
from api.v1.schemas.messaging.campaign_effect import CampaignEffect, effect_json
from api.v1.schemas.messaging.campaigns import (
    CampaignFacts,
    CampaignPage,
    CampaignPath,
    CampaignQuery,
    CampaignShape,
    FileBody,
    FileQuery,
    ResultPage,
    ResultQuery,
    StartRequest,
    campaign_json,
    result_json,
)
from core.db import tenant_scope
from core.errors import DomainError
from messaging.api_caller import ApiCaller
from messaging.campaigns import dry_run as campaign_dry_run
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import results
from messaging.lines import repository as line_repository
from messaging.messages.media import uploads as media_uploads
from messaging.models import Campaign

# The fields of a campaign's errors, and their names in the API.
WIRE_NAMES = {
    "text": "message",
    "line_id": "instance_id",
    "quiet_from": "quiet_hours",
    "parameters": "template.parameters",
    "header": "template.header",
    "header_url": "template.header_url",
    "header_file": "template.header_url",
    "buttons": "template.buttons",
    "code": "template.buttons",
    "location": "template.header_location",
    "location_name": "template.header_location.name",
    "location_address": "template.header_location.address",
    "button_1": "card.buttons",
    "rows": "card.rows",
    "list_button": "card.list_button",
    "link_text": "card.link_text",
    "link_url": "card.link_url",
}


@contextmanager
def _wire_field_names() -> Iterator[None]:
    try:
        yield
    except DomainError as error:
        error.faults = [
            replace(one, field=WIRE_NAMES.get(one.field, one.field)) for one in error.faults
        ]
        raise


def _action(name: str, summary: str) -> Callable[[View], View]:
    """Route of an action that responds with the changed campaign."""
    at = f"/campaigns/<campaign_id>/{name}"
    posted: Any = v1.post(at, tags=[TAG], summary=summary, responses={200: CampaignShape})
    return cast(Callable[[View], View], posted)


@v1.get("/campaigns", tags=[TAG], summary="List campaigns", responses={200: CampaignPage})
@key_may("campaigns")
def list_campaigns(query: CampaignQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        rows = campaign_repository.list_campaigns(query.after, query.limit + 1, query.state or "")
    return page(rows, query, lambda one: one.id, campaign_json)


@v1.post("/campaigns", tags=[TAG], summary="Make a campaign", responses={201: CampaignShape})
@key_may("campaigns")
@_wire_field_names()
@idempotent
def add_campaign(body: CampaignFacts) -> JsonAnswer:
    """Creates a draft. Nothing is sent before it is started."""
    _check_line(body)
    made = campaign_repository.add(body.to_input())
    return campaign_json(made), 201


@v1.get(
    "/campaigns/<campaign_id>", tags=[TAG], summary="Get a campaign", responses={200: CampaignShape}
)
@key_may("campaigns")
def read_campaign(path: CampaignPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return campaign_json(campaign_repository.get(path.campaign_id))


@v1.patch(
    "/campaigns/<campaign_id>",
    tags=[TAG],
    summary="Update a campaign",
    responses={200: CampaignShape},
)
@key_may("campaigns")
@_wire_field_names()
def change_campaign(path: CampaignPath, body: CampaignFacts) -> dict[str, Any]:
    """Possible for a draft, or for a scheduled campaign that has not started."""
    with tenant_scope(g.tenant_id):
        before = campaign_repository.get(path.campaign_id).template
        _check_line(body)
        changed = campaign_repository.change(path.campaign_id, body.to_input(before))
        return campaign_json(changed)


@v1.put(
    "/campaigns/<campaign_id>/header-file",
    tags=[TAG],
    summary="Upload the header file of a campaign",
    responses={200: CampaignShape, 409: ErrorBody, 413: ErrorBody},
)
@takes_file
@key_may("campaigns")
def put_header_file(path: CampaignPath, query: FileQuery, raw: FileBody) -> dict[str, Any]:
    """The image, video or document of a template with such a header, instead of `header_url`. The
    body is the raw file; its type is detected from its content.
    """
    with tenant_scope(g.tenant_id):
        campaign_repository.get(path.campaign_id)
    blobs = current_app.extensions["blobs"]
    file = media_uploads.store_upload(blobs, raw.stream, query.filename, str(g.tenant_id))
    try:
        with tenant_scope(g.tenant_id):
            return campaign_json(campaign_repository.put_header_file(path.campaign_id, file))
    except DomainError:
        blobs.delete(file.key)
        raise


@v1.delete("/campaigns/<campaign_id>", tags=[TAG], summary="Delete a draft", responses={204: None})
@key_may("campaigns")
def remove_campaign(path: CampaignPath) -> tuple[str, int]:
    with tenant_scope(g.tenant_id):
        campaign_repository.get(path.campaign_id)
        campaign_repository.remove(path.campaign_id)
    return "", 204


@v1.post(
    "/campaigns/<campaign_id>/dry-run",
    tags=[TAG],
    summary="Preview a campaign",
    responses={200: DryRun},
)
@key_may("campaigns")
def dry_run(path: CampaignPath) -> dict[str, Any]:
    """How many contacts get it, who is left out and why, what it costs and how long it takes. Sends
    nothing.
    """
    with tenant_scope(g.tenant_id):
        return outlook_json(campaign_dry_run.run_dry_run(campaign_repository.get(path.campaign_id)))


@_action("start", "Start it, now or later")
@key_may("campaigns")
@_wire_field_names()
@idempotent
def start_campaign(path: CampaignPath, body: StartRequest) -> JsonAnswer:
    """With `at`, a time in the future, it is scheduled. A campaign that has started is refused, so
    a repeated call is safe.
    """
    _may_send(path.campaign_id)
    started = campaign_lifecycle.start(path.campaign_id, body.at)
    return campaign_json(started)


@_action("unschedule", "Back to a draft")
@key_may("campaigns")
def unschedule_campaign(path: CampaignPath) -> dict[str, Any]:
    return _apply(path.campaign_id, campaign_lifecycle.unschedule_campaign)


@_action("pause", "Pause it")
@key_may("campaigns")
def pause_campaign(path: CampaignPath) -> dict[str, Any]:
    """Messages of the last few seconds that are already queued are still sent."""
    return _apply(path.campaign_id, campaign_lifecycle.pause)


@_action("resume", "Continue")
@key_may("campaigns")
@_wire_field_names()
def resume_campaign(path: CampaignPath) -> dict[str, Any]:
    return _apply(path.campaign_id, campaign_lifecycle.resume, allowed=_may_send)


@_action("stop", "Stop it for good")
@key_may("campaigns")
def stop_campaign(path: CampaignPath) -> dict[str, Any]:
    return _apply(path.campaign_id, campaign_lifecycle.stop)


@v1.get(
    "/campaigns/<campaign_id>/results",
    tags=[TAG],
    summary="List the recipients of a campaign",
    responses={200: ResultPage},
)
@key_may("campaigns")
def campaign_results(path: CampaignPath, query: ResultQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        campaign = campaign_repository.get(path.campaign_id)
        rows = results.list_results(campaign, query.state or "", query.after, query.limit + 1)
    return page(rows, query, lambda one: one.recipient.contact_id, result_json)


@v1.get(
    "/campaigns/<campaign_id>/effect",
    tags=[TAG],
    summary="Get the extra orders of a campaign",
    responses={200: CampaignEffect},
)
@key_may("campaigns")
def campaign_effect(path: CampaignPath) -> dict[str, Any]:
    """Orders and money of the recipients compared with the holdout group, with a 95 % interval.
    Updated with the other results.
    """
    with tenant_scope(g.tenant_id):
        return effect_json(campaign_repository.get(path.campaign_id))


def _caller() -> ApiCaller:
    caller: ApiCaller = g.caller
    return caller


def _apply(
    campaign_id: str,
    act: Callable[[str], Campaign],
    allowed: Callable[[str], object] | None = None,
) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        (allowed or campaign_repository.get)(campaign_id)
        return campaign_json(act(campaign_id))


def _check_line(body: CampaignFacts) -> None:
    """The requested line must be one that this key may use, or the test line."""
    if body.instance_id is not None:
        test = any(line.id == body.instance_id and line.test for line in _caller().lines)
        _choose(body.instance_id, test=test)


def _may_send(campaign_id: str) -> None:
    refuse_app()
    campaign = campaign_repository.get(campaign_id)
    _choose(campaign.line_id, test=campaign.test)


def _choose(line_id: int | None, *, test: bool) -> None:
    caller = _caller()
    line_repository.choose_route(caller.lines, line_id, test=test, allowed=caller.key.line_ids)
