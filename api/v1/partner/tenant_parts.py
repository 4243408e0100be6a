"""What a partner sets up for its tenants: API keys, cloud lines and webhook endpoints."""

from typing import Any

from flask import Response
from flask_openapi3.models.tag import Tag

from api.schemas import ErrorBody
from api.v1 import v1
from api.v1.messaging import line_setup
from api.v1.messaging.instances import instance_json
from api.v1.partner.views import earlier_answer, in_own_tenant, run_once
from api.v1.schemas.messaging.instances import CheckedInstance, NewCloudInstance
from api.v1.schemas.partner import (
    NewTenantEndpoint,
    NewTenantKey,
    TenantEndpointList,
    TenantEndpointPath,
    TenantInstanceList,
    TenantInstancePath,
    TenantKeyList,
    TenantKeyPath,
    TenantKeyShape,
    TenantKeyWithSecret,
    TenantPath,
)
from api.v1.schemas.webhooks import EndpointWithSecret, endpoint_json
from api.v1.webhooks import outbound_policy
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import NotFound
from messaging.lines import repository as line_repository
from messaging.lines.drivers.cloud.driver import LineProblem
from tenants import accounts, api_keys
from tenants.models import ApiKey
from webhooks import endpoints
from webhooks.endpoints import EndpointFields

TAG = Tag(name="Partners")
TENANT = "/partner/tenants/<int:tenant_id>"


@v1.get(f"{TENANT}/keys", tags=[TAG], summary="List API keys", responses={200: TenantKeyList})
@in_own_tenant
def list_tenant_keys(path: TenantPath) -> dict[str, Any]:
    """Active keys first. Keys of connected apps are not listed."""
    with tenant_scope(path.tenant_id):
        return {"data": [key_json(one) for one in api_keys.list_keys()], "next": None}


@v1.post(
    f"{TENANT}/keys", tags=[TAG], summary="Create an API key", responses={201: TenantKeyWithSecret}
)
@in_own_tenant
def create_tenant_key(path: TenantPath, body: NewTenantKey) -> Response:
    """The key itself is only in this response, and in its repetitions with the same
    `Idempotency-Key`.
    """

    def create() -> tuple[dict[str, Any], int]:
        key, secret = api_keys.create(body.name, body.mode, list(body.scopes))
        return {**key_json(key), "api_key": secret}, 201

    return run_once(create, path.tenant_id)


@v1.delete(
    f"{TENANT}/keys/<key_id>",
    tags=[TAG],
    summary="Revoke an API key",
    responses={200: TenantKeyShape},
)
@in_own_tenant
def revoke_tenant_key(path: TenantKeyPath) -> dict[str, Any]:
    """The key is refused within 5 seconds."""
    with tenant_scope(path.tenant_id):
        if api_keys.get(path.key_id).app:
            raise NotFound()
        shown = key_json(api_keys.revoke(path.key_id))
    accounts.drop_tenant_cache(path.tenant_id)
    return shown


@v1.get(
    f"{TENANT}/instances", tags=[TAG], summary="List lines", responses={200: TenantInstanceList}
)
@in_own_tenant
def list_tenant_lines(path: TenantPath) -> dict[str, Any]:
    with tenant_scope(path.tenant_id):
        lines = line_repository.list_lines()
    return {"data": [instance_json(line) for line in lines], "next": None}


@v1.post(
    f"{TENANT}/instances",
    tags=[TAG],
    summary="Add a cloud line",
    responses={201: CheckedInstance, 409: ErrorBody},
)
@in_own_tenant
def add_tenant_line(path: TenantPath, body: NewCloudInstance) -> Response:
    """The line is checked with WhatsApp first, as in `POST /instances`."""
    earlier = earlier_answer()
    if earlier is not None:
        return earlier
    found = line_setup.check_new_cloud_line(body)
    return run_once(lambda: _add_line(body, found), path.tenant_id)


@v1.delete(
    f"{TENANT}/instances/<int:instance_id>",
    tags=[TAG],
    summary="Delete a line",
    responses={204: None},
)
@in_own_tenant
def delete_tenant_line(path: TenantInstancePath) -> tuple[str, int]:
    """Waiting messages are not sent, and the credentials are deleted."""
    with tenant_scope(path.tenant_id):
        line_setup.remove_line(line_repository.get(path.instance_id))
    return "", 204


@v1.get(
    f"{TENANT}/webhooks", tags=[TAG], summary="List endpoints", responses={200: TenantEndpointList}
)
@in_own_tenant
def list_tenant_endpoints(path: TenantPath) -> dict[str, Any]:
    with tenant_scope(path.tenant_id):
        return {"data": [endpoint_json(one) for one in endpoints.list_endpoints()], "next": None}


@v1.post(
    f"{TENANT}/webhooks",
    tags=[TAG],
    summary="Register an endpoint",
    responses={201: EndpointWithSecret},
)
@in_own_tenant
def add_tenant_endpoint(path: TenantPath, body: NewTenantEndpoint) -> Response:
    """The signing secret is only in this response, and in its repetitions with the same
    `Idempotency-Key`.
    """

    def register() -> tuple[dict[str, Any], int]:
        fields = EndpointFields(url=body.url, events=body.events, description=body.description)
        endpoint = endpoints.register(fields, outbound_policy(), test=body.test)
        return {**endpoint_json(endpoint), "secret": endpoint.secret}, 201

    return run_once(register, path.tenant_id)


@v1.delete(
    f"{TENANT}/webhooks/<endpoint_id>",
    tags=[TAG],
    summary="Delete an endpoint",
    responses={204: None},
)
@in_own_tenant
def remove_tenant_endpoint(path: TenantEndpointPath) -> tuple[str, int]:
    with tenant_scope(path.tenant_id):
        endpoints.remove(endpoints.get(path.endpoint_id).id)
    return "", 204


def key_json(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "mode": key.mode,
        "prefix": key.prefix,
        "scopes": key.scopes,
        "state": api_keys.state_of(key),
        "created_at": rfc3339(key.created_at),
        "last_used_at": key.last_used_at and rfc3339(key.last_used_at),
    }


def _add_line(body: NewCloudInstance, found: list[LineProblem]) -> tuple[dict[str, Any], int]:
    line = line_setup.add_cloud_line(body, found)
    answer = line_setup.checked_json(line, found)
    return {**answer, "webhook": line_setup.webhook_json(line)}, 201
