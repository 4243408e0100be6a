"""Tenants of a partner: create, list, suspend, resume, change the plan, read usage."""

from datetime import date
from decimal import Decimal
from typing import Any

from flask import Response, current_app, g
from flask_openapi3.models.tag import Tag
from sqlalchemy import select

from api.paging import page
from api.v1 import v1
from api.v1.partner.views import earlier_answer, for_partners, in_own_tenant, partner, run_once
from api.v1.schemas.partner import (
    CreatedTenant,
    ManagedTenant,
    ManagedTenantPage,
    MonthQuery,
    NewTenant,
    PartnerShape,
    PlanChoice,
    SuspendRequest,
    TenantMonths,
    TenantPath,
    TenantQuery,
    UsagePage,
)
from core.clock import now, rfc3339
from core.db import db, global_scope, tenant_scope
from core.errors import invalid
from core.i18n.catalogs import PORTAL_TEXTS
from core.settings import Settings
from core.values.money import json_number
from messaging.lines import send_lane
from messaging.lines.simulated_line import add_simulated_line
from tenants import accounts, team
from tenants.models import Tenant, UsageMonth
from tenants.partners import partners
from tenants.plans.catalog import every_plan

TAG = Tag(name="Partners")
MONTHS_SHOWN = 12


@v1.get("/partner", tags=[TAG], summary="Get your partner account", responses={200: PartnerShape})
@for_partners
def read_partner() -> dict[str, Any]:
    caller = partner()
    with global_scope():
        plans = [
            {"code": plan.code, "name": plan.name}
            for plan in every_plan()
            if plan.retired_at is None and (not caller.plans or plan.code in caller.plans)
        ]
    return {
        "id": caller.partner_id,
        "name": caller.name,
        "plans": plans,
        "most_tenants": caller.most_tenants,
    }


@v1.post("/partner/tenants", tags=[TAG], summary="Create a tenant", responses={201: CreatedTenant})
@for_partners
def create_tenant(body: NewTenant) -> Response:
    """The tenant has its test line at once. With an `Idempotency-Key`, a repeat creates no second
    tenant and gets the first response.
    """
    return earlier_answer() or run_once(lambda: _create(body), accounts.reserve_id())


@v1.get(
    "/partner/tenants",
    tags=[TAG],
    summary="List your tenants",
    responses={200: ManagedTenantPage},
)
@for_partners
def list_tenants(query: TenantQuery) -> dict[str, Any]:
    """Newest first."""
    with global_scope():
        rows = partners.list_tenants(
            partner(), _cursor(query.after), query.limit + 1, query.reference
        )
    return page(rows, query, lambda row: str(row.id), tenant_json)


@v1.get(
    "/partner/tenants/<int:tenant_id>",
    tags=[TAG],
    summary="Get a tenant",
    responses={200: ManagedTenant},
)
@in_own_tenant
def read_tenant(path: TenantPath) -> dict[str, Any]:
    return _shown(path.tenant_id)


@v1.post(
    "/partner/tenants/<int:tenant_id>/suspend",
    tags=[TAG],
    summary="Suspend a tenant",
    responses={200: ManagedTenant},
)
@in_own_tenant
def suspend_tenant(path: TenantPath, body: SuspendRequest) -> dict[str, Any]:
    """Its API keys are refused at once and its messages are held. Nothing is lost."""
    with tenant_scope(path.tenant_id):
        partners.suspend_tenant(body.reason or f"by {partner().name}")
    accounts.drop_tenant_cache(path.tenant_id)
    return _shown(path.tenant_id)


@v1.post(
    "/partner/tenants/<int:tenant_id>/resume",
    tags=[TAG],
    summary="Resume a tenant",
    responses={200: ManagedTenant},
)
@in_own_tenant
def resume_tenant(path: TenantPath) -> dict[str, Any]:
    """Only if you suspended it. Held messages are sent."""
    with tenant_scope(path.tenant_id):
        partners.resume_tenant()
        send_lane.wake_waiting_messages()
    accounts.drop_tenant_cache(path.tenant_id)
    return _shown(path.tenant_id)


@v1.post(
    "/partner/tenants/<int:tenant_id>/plan",
    tags=[TAG],
    summary="Change a tenant's plan",
    responses={200: ManagedTenant},
)
@in_own_tenant
def change_plan(path: TenantPath, body: PlanChoice) -> dict[str, Any]:
    """The new limits hold at once. The plan has no end date: you are billed for your tenants."""
    with tenant_scope(path.tenant_id):
        partners.set_plan(partner(), body.plan)
    accounts.drop_tenant_cache(path.tenant_id)
    return _shown(path.tenant_id)


@v1.get(
    "/partner/usage",
    tags=[TAG],
    summary="Get a month's usage by tenant",
    responses={200: UsagePage},
)
@for_partners
def usage(query: MonthQuery) -> dict[str, Any]:
    """Every tenant is listed, newest first, also those that sent nothing."""
    month = _month(query.month)
    with global_scope():
        rows = partners.list_tenants(partner(), _cursor(query.after), query.limit + 1)
    used = partners.usage_of([row.id for row in rows[: query.limit]], month)
    nothing = (0, Decimal(0))
    return {
        "month": f"{month:%Y-%m}",
        **page(
            rows,
            query,
            lambda row: str(row.id),
            lambda row: {
                "tenant_id": row.id,
                "reference": row.partner_reference,
                "plan": row.plan,
                "messages": used.get(row.id, nothing)[0],
                "spend_usd": json_number(used.get(row.id, nothing)[1]),
            },
        ),
    }


@v1.get(
    "/partner/tenants/<int:tenant_id>/usage",
    tags=[TAG],
    summary="Get a tenant's usage by month",
    responses={200: TenantMonths},
)
@in_own_tenant
def tenant_usage(path: TenantPath) -> dict[str, Any]:
    """The last 12 months in which the tenant sent something, newest first."""
    with tenant_scope(path.tenant_id):
        months = db.session.scalars(
            select(UsageMonth)
            .where(UsageMonth.tenant_id == path.tenant_id)
            .order_by(UsageMonth.month.desc())
            .limit(MONTHS_SHOWN)
        ).all()
    data = [
        {
            "month": f"{one.month:%Y-%m}",
            "messages": one.messages,
            "spend_usd": json_number(one.spend_usd),
        }
        for one in months
    ]
    return {"data": data, "next": None}


def tenant_json(tenant: Tenant) -> dict[str, Any]:
    return {
        "id": tenant.id,
        "name": tenant.name,
        "reference": tenant.partner_reference,
        "state": tenant.state,
        "plan": tenant.plan,
        "created_at": rfc3339(tenant.created_at),
        "suspended_at": tenant.suspended_at and rfc3339(tenant.suspended_at),
        "suspended_because": tenant.suspended_because,
    }


def _create(body: NewTenant) -> tuple[dict[str, Any], int, dict[str, str]]:
    settings: Settings = current_app.extensions["comanda"]
    tenant = partners.create_tenant(
        partner(),
        body.name,
        plan=body.plan,
        reference=body.reference,
        locale=body.locale,
        time_zone=body.time_zone,
    )
    g.tenant_id = tenant.id
    name = PORTAL_TEXTS.text(body.locale, "Test line")
    add_simulated_line(name, settings.base_url, settings.simulator_secret, test=True)
    link = None
    if body.owner_email is not None:
        _, token = team.invite(body.owner_email, "owner", "owner", partner().name)
        link = f"{settings.base_url}/invitations/{token}"
    where = {"Location": f"/api/v1/partner/tenants/{tenant.id}"}
    return {**tenant_json(tenant), "owner_invitation_url": link}, 201, where


def _shown(tenant_id: int) -> dict[str, Any]:
    with global_scope():
        return tenant_json(partners.own_tenant(partner(), tenant_id))


def _cursor(after: str | None) -> int | None:
    if after is None:
        return None
    if not (after.isascii() and after.isdecimal() and len(after) < 19):
        raise invalid(
            "after", "invalid_cursor", "Use the `next` value of the previous page for `after`."
        )
    return int(after)


def _month(text: str | None) -> date:
    if text is None:
        return now().date().replace(day=1)
    year, month = text.split("-")
    if int(year) < 1:
        raise invalid("month", "invalid_month", "Write a month as 2026-03.")
    return date(int(year), int(month), 1)
