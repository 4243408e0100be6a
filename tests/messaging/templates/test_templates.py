"""Templates: read from the network, stored as a copy, and used to check sends."""

from datetime import timedelta

import pytest

from core.clock import now
from core.db import db, tenant_scope
from jobs.lines import template_sync as job
from messaging import reasons
from messaging.contacts import identities as contact_identities
from messaging.costs.usage import UsageTally
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import LineUpdate
from messaging.lines.drivers.cloud.templates import listing as template_list
from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate
from messaging.lines.simulated_line import add_simulated_line
from messaging.messages.receive import receive_line_update, receive_message
from messaging.templates import repository as template_repository
from messaging.templates.components import filled_preview, required_parameters, sample_values
from messaging.templates.repository import TemplateFilters
from tests.line_factory import make_line
from tests.messaging.message_factory import wrote
from tests.simulator_process import run_simulator

BODY = {"type": "BODY", "text": "Hi {{1}}, order {{2}}."}
ASYNC = {"Prefer": "respond-async"}


@pytest.fixture(scope="module")
def network(settings):
    with run_simulator(settings) as url:
        yield url


@pytest.fixture
def line(restaurant, settings):
    with restaurant.scope():
        return add_simulated_line(
            "Front desk", "http://localhost", settings.simulator_secret, test=False, default=True
        )


def network_template(name="order", language="en", state="approved", **more):
    return NetworkTemplate("1", name, language, "utility", state, **{"components": [BODY], **more})


def store(business, line, *found):
    with business.scope():
        template_repository.store_templates(template_repository.template_account(line), list(found))


def names(business, **wanted):
    with business.scope():
        return [
            (one.name, one.language, one.state)
            for one in template_repository.list_templates(TemplateFilters(**wanted))
        ]


def send(app, business, **body):
    return app.test_client().post(
        "/api/v1/messages/send-template",
        json={"phone": "905321112233", **body},
        headers={**business.bearer, **ASYNC},
    )


def test_a_new_line_learns_its_templates_over_all_pages(
    restaurant, line, network, run_jobs, monkeypatch
):
    monkeypatch.setattr(template_list, "PAGE", 3)
    run_jobs()
    found = names(restaurant)
    assert len(found) == 15
    assert ("weekend_menu", "tr", "approved") in found
    assert ("we_miss_you", "en", "paused") in found
    with restaurant.scope():
        assert line_repository.get(line.id).templates_at is not None
        [rejected] = template_repository.list_templates(TemplateFilters(state="rejected"))
        assert rejected.reason == "INCORRECT_CATEGORY"


def test_what_the_network_lists_no_more_is_gone_and_what_changed_is_changed(restaurant, line):
    store(restaurant, line, network_template("one"), network_template("two"))
    store(restaurant, line, network_template("two", state="paused"), network_template("three"))
    assert names(restaurant) == [("three", "en", "approved"), ("two", "en", "paused")]


def test_an_account_that_cannot_be_reached_keeps_its_templates_and_gives_the_reason(
    app, restaurant, line, network, settings
):
    store(restaurant, line, network_template("one"))
    with restaurant.scope():
        line_repository.get(line.id).token = "expired"
    job.sync_tenant(settings, restaurant.tenant_id)
    assert names(restaurant) == [("one", "en", "approved")]
    with restaurant.scope():
        assert line_repository.get(line.id).templates_error == reasons.TOKEN_REJECTED


def test_an_update_of_the_network_changes_one_template(restaurant, line):
    store(restaurant, line, network_template("one"), network_template("two"))
    detail = {
        "field": "message_template_status_update",
        "account_id": template_repository.template_account(line),
        "event": "REJECTED",
        "reason": "SCAM",
        "message_template_name": "one",
        "message_template_language": "en",
    }
    with restaurant.scope():
        receive_line_update(line, LineUpdate("template", detail))
    assert names(restaurant) == [("one", "en", "rejected"), ("two", "en", "approved")]
    with restaurant.scope():
        assert template_repository.list_templates(TemplateFilters(name="one"))[0].reason == "SCAM"


def test_an_update_of_an_unknown_template_requests_the_list(restaurant, line, network, run_jobs):
    run_jobs()
    with restaurant.scope():
        db.session.delete(
            template_repository.list_templates(TemplateFilters(name="hello_world"))[0]
        )
    with restaurant.scope():
        receive_line_update(
            line,
            LineUpdate(
                "template",
                {
                    "field": "message_template_status_update",
                    "event": "APPROVED",
                    "message_template_name": "hello_world",
                    "message_template_language": "en_US",
                },
            ),
        )
    run_jobs()
    assert ("hello_world", "en_US", "approved") in names(restaurant)


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"name": "ordr", "language": "en", "parameters": ["a", "b"]}, "name", "no template named"),
        (
            {"name": "order", "language": "de", "parameters": ["a", "b"]},
            "language",
            "Available languages: en",
        ),
        ({"name": "order", "language": "en", "parameters": ["a"]}, "parameters", "2 needed"),
        ({"name": "old", "language": "en"}, "name", "status is paused"),
        ({"name": "photo", "language": "en"}, "parameters", "header to fill"),
        ({"name": "order", "language": "en", "parameters": {"buttons": 3}}, "parameters", "form"),
    ],
)
def test_a_send_that_the_network_would_refuse_is_refused_before_it_is_queued(
    app, restaurant, line, body, field, words
):
    header = {"type": "HEADER", "format": "IMAGE"}
    store(
        restaurant,
        line,
        network_template(),
        network_template("old", state="paused"),
        network_template("photo", components=[header, {"type": "BODY", "text": "Look!"}]),
    )
    answer = send(app, restaurant, **body)
    assert answer.status_code == 422, answer.json
    assert answer.json["errors"][0]["field"] == field
    assert words in answer.json["message"]
    listed = app.test_client().get("/api/v1/messages", headers=restaurant.bearer).json["data"]
    assert listed == []


def test_a_good_send_is_queued_with_its_words_and_its_own_price(app, restaurant, line):
    store(restaurant, line, network_template(), network_template("menu", components=[BODY]))
    answer = send(app, restaurant, name="order", language="en", parameters=["Zeynep", "M-1"])
    assert answer.status_code == 202
    message = app.test_client().get(
        f"/api/v1/messages/{answer.json['id']}", headers=restaurant.bearer
    )
    assert message.json["text"] == "Hi Zeynep, order M-1."
    assert answer.json["cost_usd"] > 0


def test_marketing_to_who_opted_out_is_refused_and_their_order_is_not(app, restaurant, line):
    offer = NetworkTemplate("2", "offer", "en", "marketing", "approved", components=[BODY])
    store(restaurant, line, network_template(), offer)
    with restaurant.scope():
        receive_message(line, wrote("DUR"), UsageTally())
    refused = send(app, restaurant, name="offer", language="en", parameters=["a", "b"])
    assert (refused.status_code, refused.json["code"]) == (422, "recipient_opted_out")
    assert refused.json["errors"][0]["field"] == "phone"
    order = send(app, restaurant, name="order", language="en", parameters=["a", "b"])
    assert order.status_code == 202
    with restaurant.scope():
        contact_identities.record_opt_in(
            contact_identities.find_contact("905321112233"), now() + timedelta(seconds=1)
        )
    again = send(app, restaurant, name="offer", language="en", parameters=["a", "b"])
    assert again.status_code == 202


def test_what_was_never_synced_is_left_to_the_network(app, restaurant):
    make_line(restaurant)
    answer = send(app, restaurant, name="anything", language="en", parameters=["1", "2", "3"])
    assert answer.status_code == 202


def test_the_list_over_the_api_shows_what_to_fill(app, restaurant, line, shop):
    store(restaurant, line, network_template(), network_template("old", state="paused"))
    client = app.test_client()
    answer = client.get("/api/v1/templates?state=approved", headers=restaurant.bearer).json
    [one] = answer["data"]
    assert (one["name"], one["places"], one["instance_ids"]) == ("order", ["1", "2"], [line.id])
    assert one["body"] == "Hi {{1}}, order {{2}}."
    page = client.get("/api/v1/templates?limit=1", headers=restaurant.bearer).json
    after = page["next"]
    rest = client.get(f"/api/v1/templates?limit=1&after={after}", headers=restaurant.bearer).json
    assert [one["name"] for one in page["data"] + rest["data"]] == ["old", "order"]
    assert client.get(f"/api/v1/templates/{one['id']}", headers=shop.bearer).status_code == 404


def test_a_preview_has_the_authors_samples():
    components = [
        {"type": "HEADER", "format": "TEXT", "text": "Lokanta"},
        {**BODY, "example": {"body_text": [["Zeynep", "M-0184"]]}},
        {"type": "FOOTER", "text": "Bye"},
        {"type": "BUTTONS", "buttons": [{"type": "URL", "text": "See", "url": "https://x/{{1}}"}]},
    ]
    shown = filled_preview(components, sample_values(components))
    assert (shown.header, shown.body, shown.footer, shown.buttons) == (
        "Lokanta",
        "Hi Zeynep, order M-0184.",
        "Bye",
        ("See",),
    )
    assert required_parameters(components).buttons == (0,)
    named = [
        {
            "type": "BODY",
            "text": "Hi {{first}}",
            "example": {"body_text_named_params": [{"param_name": "first", "example": "Ada"}]},
        }
    ]
    assert filled_preview(named, sample_values(named)).body == "Hi Ada"
    assert filled_preview(named, {}).body == "Hi [first]"


def test_everybody_with_a_cloud_line_is_asked_about(app, restaurant, line, network, run_jobs):
    run_jobs()
    with tenant_scope(restaurant.tenant_id):
        line_repository.get(line.id).templates_at = None
    with app.app_context():
        assert job.request_all() >= 1
    run_jobs()
    with restaurant.scope():
        assert line_repository.get(line.id).templates_at is not None


def test_outside_the_window_the_network_gets_the_template_once(
    app, restaurant, line, network, run_jobs
):
    run_jobs()
    client, number = app.test_client(), "905550000002"
    body = {
        "phone": number,
        "message": "Your table is ready!",
        "fallback_template": {"name": "table_ready", "language": "en", "parameters": ["Ada"]},
    }
    answer = client.post(
        "/api/v1/messages/send", json=body, headers={**restaurant.bearer, **ASYNC}
    ).json
    run_jobs()
    path = f"/api/v1/messages/{answer['id']}"
    message = client.get(path, headers=restaurant.bearer).json
    assert (message["type"], message["status_code"]) == ("template", "sent")
    assert message["text"] == "Ada, your table is ready."
    timeline = client.get(f"{path}/timeline", headers=restaurant.bearer).json["data"]
    assert [one["status_code"] for one in timeline] == [
        *("queued", "sending", "queued", "sending", "sent")
    ]


def test_a_sample_of_the_simulated_network_can_be_edited_and_deleted(
    app, restaurant, line, network, run_jobs
):
    run_jobs()
    with restaurant.scope():
        [known] = template_repository.list_templates(TemplateFilters(name="table_ready"))
    path = f"/api/v1/templates/{known.id}"
    client = app.test_client()
    body = {"body": "Your table is ready. See you soon!"}
    changed = client.patch(path, json=body, headers=restaurant.bearer)
    assert (changed.status_code, changed.json["state"]) == (200, "pending"), changed.json
    assert client.delete(path, headers=restaurant.bearer).status_code == 204
    with restaurant.scope():
        template_repository.request_sync()
    run_jobs()
    assert "table_ready" not in {name for name, *_ in names(restaurant)}


def category_update(**value):
    return LineUpdate(
        "template",
        {
            "field": "template_category_update",
            "message_template_name": "order",
            "message_template_language": "en",
            **value,
        },
    )


def categories(business):
    with business.scope():
        [known] = template_repository.list_templates(TemplateFilters(name="order"))
        return known.category, known.next_category


def test_an_announced_category_is_shown_until_it_applies(restaurant, line):
    store(restaurant, line, network_template())
    with restaurant.scope():
        announced = category_update(correct_category="MARKETING", new_category="UTILITY")
        receive_line_update(line_repository.get(line.id), announced)
    assert categories(restaurant) == ("utility", "marketing")
    with restaurant.scope():
        applied = category_update(previous_category="UTILITY", new_category="MARKETING")
        receive_line_update(line_repository.get(line.id), applied)
    assert categories(restaurant) == ("marketing", "")


def test_a_sync_that_finds_the_new_category_ends_the_announcement(restaurant, line):
    store(restaurant, line, network_template())
    with restaurant.scope():
        announced = category_update(correct_category="MARKETING", new_category="UTILITY")
        receive_line_update(line_repository.get(line.id), announced)
    store(
        restaurant,
        line,
        NetworkTemplate("1", "order", "en", "marketing", "approved", components=[BODY]),
    )
    assert categories(restaurant) == ("marketing", "")
