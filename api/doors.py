"""Everything machines talk to, hung into the app."""

from flask_openapi3.openapi import OpenAPI

from api.health import health
from api.hooks import cloud, hooks, stores
from api.hooks import payments as payment_hooks
from api.media import files
from api.reference import reference
from api.request_log import keep_request_log
from api.v1 import (
    automations,
    contact_imports,
    contacts,
    conversations,
    instances,
    me,
    menus,
    messages,
    orders,
    pairing,
    payments,
    sites,
    templates,
    usage,
    v1,
    webhooks,
)

# Importing a resource adds its routes to v1, and a kind of hook its routes to hooks.
RESOURCES = (
    me,
    instances,
    pairing,
    messages,
    contacts,
    contact_imports,
    conversations,
    automations,
    templates,
    usage,
    webhooks,
    sites,
    menus,
    orders,
    payments,
)
HOOKS = (cloud, stores, payment_hooks)


def open_api_doors(app: OpenAPI, request_log_days: int) -> None:
    keep_request_log(app, request_log_days)
    app.register_blueprint(health)
    app.register_blueprint(reference)
    app.register_blueprint(hooks)
    app.register_blueprint(files)
    app.register_api(v1)
