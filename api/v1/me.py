"""GET /me: the account, limits and scopes of an API key."""

from typing import Any

from flask import g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.v1 import v1
from api.v1.schemas.me import Me
from core.clock import rfc3339
from core.db import tenant_scope
from core.values.money import json_number
from messaging.api_caller import ApiCaller
from tenants.plans import quota


@v1.get(
    "/me",
    tags=[Tag(name="Account")],
    summary="Get the account and API key of this request",
    responses={200: Me},
)
@key_may(None, test_keys=True)
def me() -> dict[str, Any]:
    """Tenant, plan, limits, usage of this month, and the scopes of the key."""
    caller: ApiCaller = g.caller
    with tenant_scope(g.tenant_id):
        used = quota.usage(caller.tenant)
    return me_json(caller, used)


def me_json(caller: ApiCaller, used: quota.Usage) -> dict[str, Any]:
    tenant, key = caller.tenant, caller.key
    return {
        "tenant": {"id": tenant.id, "name": tenant.name, "state": tenant.state},
        "plan": {"code": tenant.plan, "name": tenant.plan_name},
        "limits": {
            "requests_per_second": tenant.rate_per_second,
            "burst": tenant.burst,
            "monthly_messages": tenant.monthly_messages,
            "spend_cap_usd": None
            if tenant.spend_cap_usd is None
            else json_number(tenant.spend_cap_usd),
            "trial_ends_at": used.trial_ends_at and rfc3339(used.trial_ends_at),
            "trial_messages_left": used.trial_left,
        },
        "usage": {
            "messages_this_month": used.messages,
            "spend_usd_this_month": json_number(used.spend_usd),
        },
        "key": {
            "id": key.id,
            "name": key.name,
            "mode": key.mode,
            "scopes": sorted(key.scopes),
            "instance_ids": None if key.line_ids is None else sorted(key.line_ids),
            "expires_at": key.expires_at and rfc3339(key.expires_at),
        },
    }
