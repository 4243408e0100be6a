"""Everything machines talk to, hung into the app."""

from flask_openapi3.openapi import OpenAPI

from api.health import health
from api.reference import reference, swagger
from api.v1 import me, v1

RESOURCES = (me,)  # importing a resource adds its routes to v1


def open_api_doors(app: OpenAPI) -> None:
    app.register_blueprint(health)
    app.register_blueprint(reference)
    app.register_blueprint(swagger)
    app.register_api(v1)
