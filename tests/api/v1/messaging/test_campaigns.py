"""Campaigns by API: create, read, start, pause, follow; test keys reach test phones only."""

import io

import pytest
from PIL import Image

from core.clock import advance, frozen, now
from messaging.lines.drivers.cloud.templates.listing import read_template
from messaging.simulator.sample_templates import TEMPLATES
from messaging.templates import repository as template_repository
from tests.line_factory import make_line
from tests.messaging.campaigns.campaign_factory import meets, messages, sends, steps

CAMPAIGNS = "/api/v1/campaigns"


@pytest.fixture
def api(app, restaurant):
    client = app.test_client()

    def ask(method, path, body=None, key=restaurant.key, **headers):
        bearer = {"Authorization": f"Bearer {key}", **headers}
        sent = {"data": body} if isinstance(body, bytes) else {"json": body}
        return client.open(path, method=method, headers=bearer, **sent)

    return ask


def test_a_campaign_from_key_to_results(api, restaurant):
    make_line(restaurant)
    ayse, _ = meets(restaurant, "Ayşe Kaya", "Mehmet")
    audience = api("POST", "/api/v1/audiences", {"name": "Everybody", "filters": {}}).json
    made = api(
        "POST",
        CAMPAIGNS,
        {
            "name": "Soup day",
            "audience_id": audience["id"],
            "message": "Hi {{customer.first_name}}",
            "quiet_hours": None,
        },
    )
    assert (made.status_code, made.json["state"]) == (201, "draft")
    here = f"{CAMPAIGNS}/{made.json['id']}"
    changed = api("PATCH", here, {"message": "Soup, {{customer.first_name}}?", "rest_days": 2})
    assert (changed.json["rest_days"], changed.json["quiet_hours"]) == (2, None)

    dry = api("POST", f"{here}/dry-run").json
    assert (dry["recipients"], dry["problem"], dry["left_out"]) == (2, None, {})
    assert {one["message"] for one in dry["previews"]} == {"Soup, Ayşe?", "Soup, Mehmet?"}

    with frozen(now()):
        started = api("POST", f"{here}/start", {}, **{"Idempotency-Key": "soup"})
        again = api("POST", f"{here}/start", {}, **{"Idempotency-Key": "soup"})
        assert started.json["state"] == again.json["state"] == "running"
        assert api("POST", f"{here}/start", {}).status_code == 409
        assert api("POST", f"{here}/pause").json["state"] == "paused"
        assert api("POST", f"{here}/resume").json["state"] == "running"
        steps(restaurant)
        sends(restaurant)
        advance(5)
        steps(restaurant)
    result = api("GET", here).json
    assert (result["state"], result["results"]["sent"]) == ("finished", 2)
    first = api("GET", f"{here}/results?limit=1").json
    assert (first["data"][0]["contact_id"], first["data"][0]["state"]) == (ayse, "sent")
    second = api("GET", f"{here}/results?limit=1&after={first['next']}").json
    assert (second["data"][0]["name"], second["next"]) == ("Mehmet", None)
    assert api("GET", f"{here}/results?state=failed").json["data"] == []
    assert api("GET", f"{CAMPAIGNS}?state=finished").json["data"][0]["id"] == made.json["id"]
    assert api("DELETE", here).status_code == 409
    assert len(messages(restaurant)) == 2


def test_refusals_name_the_field(api, restaurant):
    make_line(restaurant)
    made = api("POST", CAMPAIGNS, {"name": "Soup day"})
    here = f"{CAMPAIGNS}/{made.json['id']}"
    refused = api("POST", f"{here}/start")
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "message")
    unknown = api("PATCH", here, {"message": "{{order.total}}"})
    assert unknown.json["errors"][0]["field"] == "message"
    assert "{{order.total}} is not available here" in unknown.json["message"]
    assert api("PATCH", here, {"filters": {"shoe": 43}}).status_code == 422
    assert api("POST", CAMPAIGNS, {}).status_code == 422
    far = api("POST", f"{here}/start", {"at": "2099-01-01T00:00:00Z"})
    assert far.status_code == 422
    api("PATCH", here, {"message": "Soup!"})
    past = api("POST", f"{here}/start", {"at": "2020-01-01T00:00:00Z"})
    assert (past.status_code, past.json["code"]) == (422, "time_passed")
    assert api("GET", here).json["state"] == "draft"
    assert api("DELETE", here).status_code == 204
    assert api("GET", here).status_code == 404


def test_campaigns_need_a_live_key_and_may_name_the_test_line(api, restaurant, shop):
    """A campaign reads real contacts, so test keys cannot create one."""
    make_line(restaurant)
    test_line = make_line(restaurant, default=False, test=True)
    live = api("POST", CAMPAIGNS, {"name": "Live", "message": "Hi"}).json
    body = {"name": "Test", "message": "Hi", "instance_id": test_line.id}
    test = api("POST", CAMPAIGNS, body).json
    assert (live["test"], test["test"]) == (False, True)
    refused = api("POST", f"{CAMPAIGNS}/{live['id']}/start", {}, restaurant.test_key)
    assert (refused.status_code, refused.json["code"]) == (403, "live_key_required")
    assert api("GET", f"{CAMPAIGNS}/{live['id']}", key=shop.key).status_code == 404
    narrow = restaurant.makes_key("messages:send")
    assert api("GET", CAMPAIGNS, key=narrow).status_code == 403


def picture():
    out = io.BytesIO()
    Image.new("RGB", (80, 60), "red").save(out, "PNG")
    return out.getvalue()


def test_a_file_above_the_text_is_uploaded_and_stays(api, app, restaurant, shop):
    line = make_line(restaurant)
    with restaurant.scope():
        template_repository.store_templates(
            template_repository.template_account(line), [read_template(one) for one in TEMPLATES]
        )
    meets(restaurant, "Ayşe Kaya")
    words = {
        "name": "weekend_offer",
        "language": "en",
        "parameters": ["{{customer.first_name}}"],
        "buttons": [None, "sunday"],
    }
    body = {"name": "Weekend", "template": words, "quiet_hours": None, "filters": {}}
    here = f"{CAMPAIGNS}/{api('POST', CAMPAIGNS, body).json['id']}"
    assert "Enter its URL, or upload it" in api("POST", f"{here}/dry-run").json["problem"]
    put = f"{here}/header-file?filename=weekend.png"
    assert api("PUT", put, picture(), shop.key).status_code == 404
    assert api("PUT", put, picture(), restaurant.test_key).status_code == 403
    assert api("PUT", put, b"MZ not a picture").json["errors"][0]["code"] == "unknown_file"
    assert api("PUT", put, b"").json["errors"][0]["code"] == "empty_file"
    assert api("PUT", put, b"%PDF-1.7").status_code == 200
    assert "different type of file" in api("POST", f"{here}/dry-run").json["problem"]
    answer = api("PUT", put, picture())
    assert (answer.status_code, answer.json["template"]["header_file"]) == (200, "weekend.jpg")

    changed = api("PATCH", here, {"template": {**words, "buttons": [None, "monday"]}}).json
    assert changed["template"]["header_file"] == "weekend.jpg"
    with frozen(now()):
        assert api("POST", f"{here}/start", {}).json["state"] == "running"
        steps(restaurant)
    (message,) = messages(restaurant)
    link = message.content["parameters"]["header"]["image"]
    shown = app.test_client().get(link.removeprefix("http://localhost"))
    assert (shown.status_code, shown.mimetype) == (200, "image/jpeg")
    assert api("PUT", put, picture()).status_code == 409
    plain = api("POST", CAMPAIGNS, {"name": "Plain", "message": "Hi"}).json["id"]
    refused = api("PUT", f"{CAMPAIGNS}/{plain}/header-file?filename=a.png", picture())
    assert (refused.status_code, refused.json["code"]) == (409, "no_template")
