"""Templates over the API: created, changed, duplicated and deleted on the simulated network."""

import io
import time

import pytest
from PIL import Image

from core.db import db
from messaging.lines.simulated_line import add_simulated_line
from messaging.models import Template
from messaging.templates import repository as template_repository
from tests.simulator_process import run_simulator

NEW = {
    "name": "order_ready",
    "language": "en",
    "category": "utility",
    "body": "Hi {{1}}, your order {{2}} is ready. Enjoy!",
    "examples": ["Zeynep", "M-0184"],
    "footer": "Lokanta Mavi",
    "buttons": [
        {"type": "quick_reply", "text": "Thanks"},
        {"type": "url", "text": "Track", "url": "https://example.com/{{1}}", "example": "184"},
    ],
}


@pytest.fixture(scope="module")
def network(settings):
    with run_simulator(settings) as url:
        yield url


@pytest.fixture
def line(restaurant, settings, network):
    with restaurant.scope():
        return add_simulated_line(
            "Front desk", "http://localhost", settings.simulator_secret, test=False, default=True
        )


@pytest.fixture
def call(app, restaurant, line):
    def ask(method, path="", json=None, **headers):
        return app.test_client().open(
            f"/api/v1/templates{path}",
            method=method,
            json=json,
            headers={**restaurant.bearer, **headers},
        )

    return ask


def sync_until_reviewed(run_jobs, restaurant, name):
    """The hook of a review goes to the line's callback, which does not exist in this test."""
    for _ in range(100):
        with restaurant.scope():
            template_repository.request_sync()
        run_jobs()
        with restaurant.scope():
            states = [
                one.state
                for one in template_repository.list_templates(
                    template_repository.TemplateFilters(name=name)
                )
            ]
        if states and "pending" not in states:
            return states
        time.sleep(0.1)
    raise AssertionError("not reviewed")


def test_a_new_template_is_reviewed_and_can_be_sent(call, app, restaurant, run_jobs):
    made = call("POST", json=NEW)
    assert made.status_code == 201, made.json
    assert made.json["state"] == "pending"
    assert made.json["preview"] == "Hi Zeynep, your order M-0184 is ready. Enjoy!"
    assert sync_until_reviewed(run_jobs, restaurant, "order_ready") == ["approved"]
    sent = app.test_client().post(
        "/api/v1/messages/send-template",
        json={
            "phone": "905321112233",
            "name": "order_ready",
            "language": "en",
            "parameters": {"body": ["Ada", "M-7"], "buttons": [None, "7"]},
        },
        headers={**restaurant.bearer, "Prefer": "respond-async"},
    )
    assert sent.status_code == 202, sent.json
    run_jobs()
    message = app.test_client().get(
        f"/api/v1/messages/{sent.json['id']}", headers=restaurant.bearer
    )
    assert message.json["status_code"] == "sent", message.json


def test_a_rejected_template_can_be_changed_and_is_reviewed_again(call, restaurant, run_jobs):
    made = call("POST", json={**NEW, "name": "please_reject_this"}).json
    assert sync_until_reviewed(run_jobs, restaurant, "please_reject_this") == ["rejected"]
    shown = call("GET", f"/{made['id']}").json
    assert (shown["state"], shown["reason"]) == ("rejected", "PROMOTIONAL")
    changed = call(
        "PATCH",
        f"/{made['id']}",
        json={"category": "marketing", "body": "See what we cook this weekend!"},
    )
    assert changed.status_code == 200, changed.json
    assert (changed.json["state"], changed.json["category"]) == ("pending", "marketing")
    assert changed.json["body"] == "See what we cook this weekend!"


def test_a_template_in_review_cannot_be_changed(call):
    made = call("POST", json={**NEW, "name": "in_review"}).json
    refused = call("PATCH", f"/{made['id']}", json={"body": "Hello again from us."})
    assert refused.status_code == 409
    assert refused.json["code"] == "template_in_review"


def test_a_repeat_with_the_same_key_creates_one_template(call):
    key = {"Idempotency-Key": "once"}
    first = call("POST", json={**NEW, "name": "only_once"}, **key)
    second = call("POST", json={**NEW, "name": "only_once"}, **key)
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json["id"] == second.json["id"]
    assert second.headers["Idempotent-Replayed"] == "true"


def test_a_duplicate_has_the_same_content_under_a_free_name(call, restaurant):
    made = call("POST", json={**NEW, "name": "first_one"}).json
    copy = call("POST", f"/{made['id']}/duplicate", json={})
    assert copy.status_code == 201, copy.json
    assert copy.json["name"] == "first_one_2"
    assert copy.json["components"] == made["components"]
    translated = call("POST", f"/{made['id']}/duplicate", json={"language": "tr"})
    assert translated.status_code == 201


def test_a_deleted_template_is_gone_on_the_network_too(call, restaurant, run_jobs):
    made = call("POST", json={**NEW, "name": "short_lived"}).json
    sync_until_reviewed(run_jobs, restaurant, "short_lived")
    assert call("DELETE", f"/{made['id']}").status_code == 204
    with restaurant.scope():
        template_repository.request_sync()
    run_jobs()
    assert call("GET", f"/{made['id']}").status_code == 404


def test_a_picture_is_uploaded_and_kept_for_the_next_edit(call, app, restaurant, network, run_jobs):
    picture = io.BytesIO()
    Image.new("RGB", (40, 30), "orange").save(picture, "JPEG")
    media = app.test_client().post(
        "/api/v1/media?filename=cake.jpg",
        data=picture.getvalue(),
        headers={**restaurant.bearer, "Content-Type": "image/jpeg"},
    )
    header = {"type": "image", "media_id": media.json["id"]}
    made = call("POST", json={**NEW, "name": "with_picture", "header": header})
    assert made.status_code == 201, made.json
    sync_until_reviewed(run_jobs, restaurant, "with_picture")
    with restaurant.scope():
        stored = db.session.get(Template, (restaurant.tenant_id, made.json["id"]))
        assert stored.header_file["filename"] == "cake.jpg"
    body = {"header": {"type": "image"}, "body": "The cake of the week is here!"}
    changed = call("PATCH", f"/{made.json['id']}", json=body)
    assert changed.status_code == 200, changed.json


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"body": "{{1}} hello"}, "body"),
        ({"header": {"type": "image"}}, "header.media_id"),
        ({"header": {"type": "image", "media_id": "med_x"}}, "header.media_id"),
        ({"name": "hello_world", "language": "en_US"}, "name"),
        ({"category": None}, "category"),
        ({"examples": ["Zeynep"]}, "examples.2"),
    ],
)
def test_a_refusal_names_the_field(call, run_jobs, change, field):
    run_jobs()
    refused = call("POST", json={**NEW, "name": "refused_here", **change})
    assert refused.status_code == 422
    assert refused.json["errors"][0]["field"] == field, refused.json


def test_the_refusal_of_the_network_is_shown_in_our_words(call):
    refused = call(
        "POST",
        json={**NEW, "name": "too_short", "body": "a {{1}} {{2}} b".replace("} {", "} , {")},
    )
    assert refused.status_code == 422
    assert refused.json["errors"][0] == {
        "field": "body",
        "code": "template_refused",
        "message": "The text has too many placeholders for its length. Write more text or use "
        "fewer placeholders.",
    }


OFFER = {
    "category": "utility",
    "language": "en",
    "body": "Big discount today: https://bit.ly/soup for all our guests.",
    "buttons": [{"type": "url", "text": "Order", "url": "http://example.com/order"}],
}
FOUND = [
    ("error", "body", "url_shortener"),
    ("warning", "buttons.0.url", "not_https"),
    ("warning", "category", "promotional_words"),
]


def found(answer):
    return [(one["severity"], one["field"], one["code"]) for one in answer["findings"]]


def test_a_text_is_checked_without_creating_a_template(call, restaurant):
    before = call("GET").json["data"]
    checked = call("POST", "/check", json=OFFER)
    assert checked.status_code == 200, checked.json
    assert set(FOUND) <= set(found(checked.json))
    assert "bit.ly" in checked.json["findings"][0]["message"]
    assert call("GET").json["data"] == before
    clean = {**NEW, "name": "checked_name"}
    clean.pop("instance_id", None)
    assert found(call("POST", "/check", json=clean).json) == []
    assert found(call("POST", "/check", json={**clean, "name": "Not A Name"}).json)[0][1] == "name"


def test_the_check_has_the_same_findings_as_the_editor(call, restaurant, browser):
    offer = {name: OFFER[name] for name in ("category", "language", "body")}
    told = call("POST", "/check", json=offer).json["findings"]
    browser.signs_in(restaurant.owner)
    shown = browser.post("/templates/check", name="draft", **offer).json["findings"]
    assert told
    assert [(one["severity"], one["field"], one["message"]) for one in told] == [
        (one["severity"], one["field"], one["message"]) for one in shown
    ]


def test_new_and_changed_templates_have_findings(call, restaurant, run_jobs):
    offer = {**NEW, "name": "reads_like_an_offer", "category": "utility"}
    offer["body"] = "Hi {{1}}, a special price for order {{2}} waits for you until Sunday. Enjoy!"
    made = call("POST", json=offer)
    assert made.status_code == 201, made.json
    assert found(made.json) == [("warning", "category", "promotional_words")]
    shown = call("GET", f"/{made.json['id']}").json
    assert shown["findings"] == made.json["findings"]
    assert "findings" not in call("GET").json["data"][0]
    sync_until_reviewed(run_jobs, restaurant, "reads_like_an_offer")
    changed = call("PATCH", f"/{made.json['id']}", json={k: NEW[k] for k in ("body", "examples")})
    assert changed.status_code == 200, changed.json
    assert changed.json["findings"] == []
