"""Values for the buttons of templates: texts of quick replies, catalogs and Flows."""

import pytest

from messaging.campaigns.template_values import message_content, template_shape
from messaging.lines.drivers.cloud.templates.payload import template_payload
from messaging.messages.kinds.template import TemplateFields
from messaging.models import Template
from messaging.templates import repository as template_repository
from messaging.templates.repository import TemplateFilters
from tests.factories import Browser
from tests.messaging.messages.kind_examples import resolve_file
from tests.messaging.templates.test_templates import (
    ASYNC,
    line,
    network,
    network_template,
    send,
    store,
)

__all__ = ["line", "network"]

BODY = {"type": "BODY", "text": "Hi {{1}}."}
FLOW = {"type": "FLOW", "text": "Book", "flow_id": "7"}
CATALOG = {"type": "CATALOG", "text": "View catalog"}
QUICK = {"type": "QUICK_REPLY", "text": "Yes"}


def with_buttons(*buttons):
    return [BODY, {"type": "BUTTONS", "buttons": list(buttons)}]


def wire(*buttons):
    """The components of the buttons, as a cloud line sends them."""
    parameters = {"body": ["Ada"], "buttons": list(buttons)}
    fields = TemplateFields(name="visit", language="en", parameters=parameters)
    return template_payload(fields.message_content(resolve_file))["components"][1:]


@pytest.mark.parametrize(
    ("button", "sub_type", "value"),
    [
        (
            {"type": "quick_reply", "text": "resolved"},
            "quick_reply",
            {"type": "text", "text": "resolved"},
        ),
        ({"type": "quick_reply", "text": True}, "quick_reply", {"type": "text", "text": "true"}),
        (
            {"type": "quick_reply", "payload": "p-1"},
            "quick_reply",
            {"type": "payload", "payload": "p-1"},
        ),
        (
            {"type": "catalog", "product_id": "ayran"},
            "CATALOG",
            {"type": "action", "action": {"thumbnail_product_retailer_id": "ayran"}},
        ),
        ({"type": "flow"}, "flow", {"type": "action", "action": {"flow_token": "unused"}}),
        (
            {"type": "flow", "token": "t-1", "data": {"guests": 4}},
            "flow",
            {
                "type": "action",
                "action": {"flow_token": "t-1", "flow_action_data": {"guests": 4}},
            },
        ),
    ],
)
def test_the_request_to_the_network(button, sub_type, value):
    expected = {"type": "button", "sub_type": sub_type, "index": "1", "parameters": [value]}
    assert wire(None, button) == [expected]


@pytest.mark.parametrize(
    ("button", "field", "code"),
    [
        ({"type": "quick_reply"}, "payload", "invalid_button"),
        ({"type": "quick_reply", "text": "x" * 257}, "text", "invalid_button"),
        ({"type": "catalog"}, "product_id", "invalid_button"),
        ({"type": "catalog", "product_id": "x" * 101}, "product_id", "long_product_id"),
        ({"type": "flow", "token": "x" * 201}, "token", "long_token"),
        ({"type": "flow", "data": "guests"}, "data", "invalid_button"),
    ],
)
def test_a_wrong_value_names_its_field(app, restaurant, line, button, field, code):
    parameters = {"body": ["Ada"], "buttons": [None, button]}
    answer = send(app, restaurant, name="visit", language="en", parameters=parameters)
    assert answer.status_code == 422, answer.json
    [error] = answer.json["errors"]
    assert (error["field"], error["code"]) == (f"parameters.buttons.1.{field}", code)


@pytest.mark.parametrize("button", [{"type": "flow"}, {"type": "catalog", "product_id": "ayran"}])
def test_a_value_for_a_button_of_another_type_is_refused(app, restaurant, line, button):
    store(restaurant, line, network_template("visit", components=with_buttons(QUICK)))
    parameters = {"body": ["Ada"], "buttons": [button]}
    answer = send(app, restaurant, name="visit", language="en", parameters=parameters)
    assert (answer.status_code, answer.json["code"]) == (422, "template_unusable")
    assert answer.json["errors"][0]["field"] == "parameters.buttons.0"


def test_a_flow_button_gets_a_token_if_none_is_given(app, restaurant, line):
    store(restaurant, line, network_template("visit", components=with_buttons(QUICK, FLOW)))
    answer = app.test_client().post(
        "/api/v1/messages/preview",
        json={
            "to": {"phone": "905321112233"},
            "type": "template",
            "name": "visit",
            "language": "en",
            "parameters": ["Ada"],
        },
        headers=restaurant.bearer,
    )
    body, button = answer.json["body"]["template"]["components"]
    assert body["parameters"] == [{"type": "text", "text": "Ada"}]
    assert (button["index"], button["sub_type"]) == ("1", "flow")
    assert button["parameters"][0]["action"] == {"flow_token": "unused"}


def test_a_campaign_sends_templates_with_flow_buttons():
    known = Template(name="visit", language="en", components=with_buttons(FLOW))
    stored = {"name": "visit", "language": "en", "parameters": ["{{customer.first_name}}"]}
    content = message_content(stored, {"customer.first_name": "Ada"}, template_shape(known))
    assert content["parameters"] == {"body": ["Ada"], "buttons": [{"type": "flow"}]}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("table_booking", ["Ada"]),
        ("table_booking", {"body": ["Ada"], "buttons": [{"type": "flow", "data": {"a": 1}}]}),
        ("catalog_offer", ["Ada", "₺100"]),
        (
            "catalog_offer",
            {"body": ["Ada", "₺100"], "buttons": [{"type": "catalog", "product_id": "ayran"}]},
        ),
        (
            "weekend_menu",
            {"body": ["Ada"], "buttons": [{"type": "quick_reply", "text": "menu"}]},
        ),
    ],
)
def test_the_simulated_network_takes_them(
    app, restaurant, line, network, run_jobs, name, parameters
):
    run_jobs()
    answer = send(app, restaurant, name=name, language="en", parameters=parameters)
    assert answer.status_code == 202, answer.json
    run_jobs()
    path = f"/api/v1/messages/{answer.json['id']}"
    message = app.test_client().get(path, headers={**restaurant.bearer, **ASYNC}).json
    assert message["status_code"] == "sent", message


def test_a_template_that_the_editor_cannot_write_is_not_changed_into_another(app, restaurant, line):
    store(restaurant, line, network_template("visit", components=with_buttons(FLOW)))
    with restaurant.scope():
        [known] = template_repository.list_templates(TemplateFilters(name="visit"))
    owner = Browser(app.test_client()).signs_in(restaurant.owner)
    page = owner.get(f"/templates/{known.id}").get_data(as_text=True)
    assert "Delete template" in page
    assert f"/templates/{known.id}/edit" not in page
    assert owner.get(f"/templates/{known.id}/edit").status_code == 409
    assert owner.get(f"/templates/new?from={known.id}").status_code == 409
    answer = app.test_client().post(
        f"/api/v1/templates/{known.id}/duplicate", json={}, headers=restaurant.bearer
    )
    assert (answer.status_code, answer.json["code"]) == (409, "unsupported_template")
