"""Everything machines talk to, hung into the app."""

from flask_openapi3.openapi import OpenAPI

from api.health import health
from api.hooks import cloud, hooks, stores
from api.reference import reference, swagger
from api.v1 import automations, instances, me, messages, usage, v1

RESOURCES = (
    me,
    instances,
    messages,
    automations,
    usage,
)  # importing a resource adds its routes to v1
HOOKS = (cloud, stores)


def open_api_doors(app: OpenAPI) -> None:
    app.register_blueprint(health)
    app.register_blueprint(reference)
    app.register_blueprint(swagger)
    app.register_blueprint(hooks)
    app.register_api(v1)
