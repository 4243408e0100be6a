"""The catalogue describes every event that the code publishes, and the bodies that it publishes."""

import jsonschema_rs
import pytest
from sqlalchemy import select

from api.v1.schemas.events.catalogue import EVENT_CATALOGUE
from core.db import db, global_scope, tenant_scope
from messaging.messages.states import OUT_STATES
from tenants.models import Tenant
from webhooks.event_types import EVENT_TYPES
from webhooks.events import publish_webhook_event
from webhooks.feed import event_feed


def schema_of(document, name):
    body = document["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]
    return {**body["schema"], "components": document["components"]}, body["example"]


@pytest.fixture(scope="module")
def document(app):
    return app.test_client().get("/api/v1/openapi.json").json


def test_every_event_is_described(document):
    assert list(EVENT_CATALOGUE) == list(EVENT_TYPES) == list(document["webhooks"])
    states = set(OUT_STATES) - {"scheduled", "queued", "sending"}
    assert {f"messages.{state}" for state in states} <= set(EVENT_TYPES)


def test_an_event_outside_the_catalogue_cannot_be_published(restaurant):
    with restaurant.scope(), pytest.raises(RuntimeError, match=r"orders\.eaten"):
        publish_webhook_event("orders.eaten", {})


@pytest.mark.parametrize("name", EVENT_TYPES)
def test_the_example_fits_the_schema(document, name):
    schema, example = schema_of(document, name)
    jsonschema_rs.validate(schema, example)
    assert example["event"] == name


@pytest.mark.parametrize("name", EVENT_TYPES)
def test_a_wrong_body_does_not_fit(document, name):
    schema, example = schema_of(document, name)
    fields = ("data", "order_id", "open_amount", "amount", "printer", "job")
    own = next(field for field in fields if field in example)
    broken = {key: value for key, value in example.items() if key != own}
    assert not jsonschema_rs.is_valid(schema, broken)


def test_the_events_of_the_demo_fit_their_schemas(document, demo_app):
    """They were published by the same code as those of a real business."""
    found = {}
    with demo_app.app_context():
        with global_scope():
            tenants = db.session.scalars(select(Tenant.id)).all()
        for tenant_id in tenants:
            with tenant_scope(tenant_id):
                found.setdefault(tenant_id, event_feed(0, 3000))
    events = [one for some in found.values() for one in some]
    validators = {}
    for event in events:
        name = event["event"]
        if name not in validators:
            schema, _ = schema_of(document, name)
            validators[name] = jsonschema_rs.validator_for(schema)
        validators[name].validate(event)
    assert len(validators) >= 8, sorted(validators)
