"""The OpenAPI document, generated from the code."""

from typing import Any

from flask import Blueprint, Response, current_app, jsonify, redirect, url_for
from flask_openapi3.models.info import Info
from flask_openapi3.types import SecuritySchemesDict

from api.errors import API_VERSION
from core.openapi.document import openapi_document

reference = Blueprint("reference", __name__, url_prefix="/api/v1")

INFO = Info(
    title="Comanda API",
    version=API_VERSION,
    description=(
        "Send messages through a line, receive customer messages and manage restaurant orders. "
        "Every request carries `Authorization: Bearer <API key>`."
    ),
)
# The order of the groups in the document, the API reference and the Postman collection.
TAGS = (
    "Messages",
    "Contacts",
    "Conversations",
    "Templates",
    "Instances",
    "Campaigns",
    "Stores and automations",
    "Journeys",
    "Webhooks",
    "Test mode",
    "Usage",
    "Account",
    "Sites",
    "Tables",
    "Stations",
    "Menus",
    "Orders",
    "Tabs",
    "Payments",
    "Delivery zones",
    "Couriers",
    "Loyalty",
    "Printers",
    "Print agents",
    "Print jobs",
    "Partners",
)
SECURITY_SCHEMES: SecuritySchemesDict = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key of your account: ck_live_… or ck_test_…. "
        "Paths under `/partner` need a partner key: ck_partner_…",
    }
}


@reference.get("/openapi.json")
def document() -> Response:
    return jsonify(openapi_document(current_app))


@reference.get("/docs")
def docs() -> Any:
    return redirect(url_for("developers.reference"))
