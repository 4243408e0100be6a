"""Connections to stores and forms, automations, and their runs."""

from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.paging import PageQuery, page
from api.v1 import v1
from api.v1.schemas.messaging.automations import (
    AutomationPage,
    AutomationPath,
    AutomationShape,
    ConnectionPage,
    ConnectionPath,
    ConnectionShape,
    RunPage,
    RunQuery,
)
from core.clock import rfc3339
from core.db import tenant_scope
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.automations.definitions import RunSummary
from messaging.automations.reasons import AUTOMATION_REASONS
from messaging.automations.recipes import RECIPES
from messaging.models import Automation, Connection

TAG = Tag(name="Stores and automations")


@v1.get("/connections", tags=[TAG], summary="List connections", responses={200: ConnectionPage})
@key_may("webhooks")
def list_connections() -> dict[str, Any]:
    """Returns all of them. Their addresses and secrets are only shown in the portal."""
    with tenant_scope(g.tenant_id):
        listed = store_connections.list_connections()
    return {"data": [connection_json(one) for one in listed], "next": None}


@v1.get(
    "/connections/<connection_id>",
    tags=[TAG],
    summary="Get a connection",
    responses={200: ConnectionShape},
)
@key_may("webhooks")
def read_connection(path: ConnectionPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return connection_json(store_connections.get(path.connection_id))


@v1.get("/automations", tags=[TAG], summary="List automations", responses={200: AutomationPage})
@key_may("webhooks")
def list_automations(query: PageQuery) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        rows = automation_definitions.automation_page(query.after, query.limit + 1)
    return page(rows, query, lambda one: one.id, automation_json)


@v1.get(
    "/automations/<automation_id>",
    tags=[TAG],
    summary="Get an automation",
    responses={200: AutomationShape},
)
@key_may("webhooks")
def read_automation(path: AutomationPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return automation_json(automation_definitions.get(path.automation_id))


@v1.get(
    "/automations/<automation_id>/runs",
    tags=[TAG],
    summary="List the runs of an automation",
    responses={200: RunPage},
)
@key_may("webhooks")
def list_runs(path: AutomationPath, query: RunQuery) -> dict[str, Any]:
    """Each run with its cause and its message, or the reason why nothing was sent."""
    with tenant_scope(g.tenant_id):
        automation_definitions.get(path.automation_id)
        rows = automation_definitions.list_runs(
            path.automation_id, query.after, query.limit + 1, query.state or ""
        )
    return page(rows, query, lambda one: one.run.id, run_json)


def connection_json(one: Connection) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "name": one.name,
        "enabled": one.enabled,
        "state": "connected" if one.first_event_at else "waiting",
        "refused": one.refused,
        "first_event_at": one.first_event_at and rfc3339(one.first_event_at),
        "last_event_at": one.last_event_at and rfc3339(one.last_event_at),
        "created_at": rfc3339(one.created_at),
    }


def automation_json(one: Automation) -> dict[str, Any]:
    recipe = RECIPES[one.recipe]
    return {
        "id": one.id,
        "recipe": one.recipe,
        "trigger": recipe.trigger,
        "name": one.name,
        "enabled": one.enabled,
        "connection_id": one.connection_id,
        "instance_id": one.line_id,
        "delay_minutes": one.delay_minutes,
        "conditions": one.conditions,
        "message": one.text,
        "template": one.template or None,
        "card": one.card or None,
        "marketing": recipe.marketing,
        "created_at": rfc3339(one.created_at),
        "changed_at": rfc3339(one.changed_at),
    }


def run_json(one: RunSummary) -> dict[str, Any]:
    run = one.run
    return {
        "id": run.id,
        "connection_id": run.connection_id,
        "event": one.event.kind if one.event else None,
        "cause": run.cause,
        "state": run.state,
        "because": AUTOMATION_REASONS.english(run.because),
        "phone": run.phone,
        "message_id": run.message_id,
        "message_status_code": one.message_state or None,
        "due_at": run.due_at and rfc3339(run.due_at),
        "created_at": rfc3339(run.created_at),
        "ended_at": run.ended_at and rfc3339(run.ended_at),
    }
