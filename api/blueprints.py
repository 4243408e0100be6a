"""Register all blueprints for machines with the app."""

from flask_openapi3.openapi import OpenAPI

from api.health import health
from api.hooks import cloud, hooks, stores
from api.hooks import payments as payment_hooks
from api.mcp import public_routes
from api.mcp.routes import mcp_routes
from api.media import files
from api.openapi_routes import TAGS, reference
from api.print_agents import print_agents
from api.printers import cloudprnt, printer_routes, server_direct
from api.request_log import setup_request_log
from api.v1 import ad_report, me, response_times, simulated_clock, triggers, usage, v1, webhooks
from api.v1.messaging import (
    audiences,
    automations,
    campaigns,
    contact_imports,
    contacts,
    conversations,
    instances,
    journeys,
    line_setup,
    media,
    message_types,
    messages,
    pairing,
    templates,
)
from api.v1.partner import tenant_parts as partner_tenant_parts
from api.v1.partner import tenants as partner_tenants
from api.v1.restaurant import delivery, loyalty, menus, orders, payments, printers, sites, tabs
from api.v1.schemas.events.catalogue import EVENT_CATALOGUE

# Importing a resource adds its routes to v1, and importing a hook module its routes to hooks.
V1_RESOURCES = (
    me,
    instances,
    line_setup,
    pairing,
    messages,
    message_types,
    media,
    contacts,
    contact_imports,
    conversations,
    delivery,
    automations,
    journeys,
    audiences,
    campaigns,
    templates,
    usage,
    response_times,
    ad_report,
    webhooks,
    sites,
    menus,
    orders,
    tabs,
    loyalty,
    payments,
    printers,
    triggers,
    simulated_clock,
    partner_tenants,
    partner_tenant_parts,
)
HOOKS = (cloud, stores, payment_hooks)
PRINTERS = (cloudprnt, server_direct)
MCP = (public_routes,)  # adds its route to the MCP blueprint


def register_api(app: OpenAPI, request_log_days: int) -> None:
    setup_request_log(app, request_log_days)
    app.register_blueprint(health)
    app.register_blueprint(reference)
    app.register_blueprint(hooks)
    app.register_blueprint(files)
    app.register_blueprint(print_agents)
    app.register_blueprint(printer_routes)
    app.register_blueprint(mcp_routes)
    app.register_api(v1)
    app.extensions["openapi_tags"] = TAGS
    app.extensions["openapi_webhooks"] = EVENT_CATALOGUE
