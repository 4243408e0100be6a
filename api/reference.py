"""The OpenAPI document, generated from the code."""

from typing import Any, cast

from flask import Blueprint, Response, current_app, jsonify, redirect, url_for
from flask_openapi3 import Info, OpenAPI

from api.answers import API_VERSION

reference = Blueprint("reference", __name__, url_prefix="/api/v1")

INFO = Info(
    title="Comanda API",
    version=API_VERSION,
    description=(
        "Send messages through a line, hear what customers write, run a restaurant's orders. "
        "Every request carries `Authorization: Bearer <API key>`."
    ),
)
SECURITY_SCHEMES = {
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
