"""The OpenAPI document, generated from the code."""

from pathlib import Path
from typing import Any, cast

import flask_openapi3_swagger
from flask import Blueprint, Response, current_app, jsonify, redirect, url_for
from flask_openapi3.models.info import Info
from flask_openapi3.openapi import OpenAPI
from flask_openapi3.types import SecuritySchemesDict

from api.answers import API_VERSION

reference = Blueprint("reference", __name__, url_prefix="/api/v1")

# Swagger UI's own files, served from the installed package.
SWAGGER_FOLDER = Path(flask_openapi3_swagger.__file__).parent / "templates" / "swagger"
swagger = Blueprint(
    "swagger", __name__, static_folder=SWAGGER_FOLDER, static_url_path="/static/swagger"
)

INFO = Info(
    title="Comanda API",
    version=API_VERSION,
    description=(
        "Send messages through a line, hear what customers write, run a restaurant's orders. "
        "Every request carries `Authorization: Bearer <API key>`."
    ),
)
SECURITY_SCHEMES: SecuritySchemesDict = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key of your account: ck_live_… or ck_test_…",
    }
}


@reference.get("/openapi.json")
def document() -> Response:
    return jsonify(openapi_document())


@reference.get("/docs")
def docs() -> Any:
    return redirect(url_for("integrations.reference"))


def openapi_document() -> dict[str, Any]:
    document: dict[str, Any] = dict(cast(OpenAPI, current_app).api_doc)
    document["servers"] = [{"url": current_app.extensions["comanda"].base_url}]
    return document
