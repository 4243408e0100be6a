"""API keys in the portal: shown once, valid at once, revoked at once."""

import re
from datetime import timedelta

import pytest

from core.clock import frozen, now
from tenants import api_keys, audit
from tests.factories import Browser
from tests.line_factory import make_line
from tests.portal.page_reader import text_of, title_of

SECRET = re.compile(r"ck_(?:live|test)_[0-9A-Za-z]{36}")


@pytest.fixture
def owners(browser, restaurant):
    return browser.signs_in(restaurant.owner)


@pytest.fixture
def me(client):
    def ask(secret):
        answer = client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"})
        return answer.status_code, answer.json

    return ask


def create(browser, **other):
    fields = {
        "name": "Online shop",
        "mode": "test",
        "scopes": ["orders", "menus"],
        "expires": "",
    }
    return browser.post("/integrations/keys/new", **{**fields, **other})


def secret_in(answer):
    found = set(SECRET.findall(answer.get_data(as_text=True)))
    assert len(found) == 1, found
    return found.pop()


def key_named(business, name):
    with business.scope():
        return next(key for key in api_keys.list_keys() if key.name == name)


def test_a_new_key_is_shown_once_and_works_at_once(owners, restaurant, me):
    answer = create(owners)
    assert title_of(answer) == "Your new API key"
    secret = secret_in(answer)
    assert secret.startswith("ck_test_")
    status, body = me(secret)
    assert status == 200
    assert body["key"]["name"] == "Online shop"
    assert body["key"]["scopes"] == ["menus", "orders"]
    assert body["tenant"]["id"] == restaurant.tenant_id


def test_the_key_is_never_shown_again(owners, restaurant, superuser_connection):
    secret = secret_in(create(owners))
    key = key_named(restaurant, "Online shop")
    pages = ["/integrations", f"/integrations/keys/{key.id}", "/integrations/keys/new", "/audit"]
    pages += ["/audit.csv", "/home", f"/integrations/keys/{key.id}/revoke", "/mailbox"]
    for path in pages:
        page = owners.get(path).get_data(as_text=True)
        assert secret not in page, path
        assert not SECRET.search(page), path
        assert secret[12:] not in page, path
    assert key.prefix == secret[:12]
    with superuser_connection.cursor() as cursor:
        cursor.execute("SELECT string_agg(to_jsonb(k)::text, ' ') FROM api_keys k")
        assert secret not in cursor.fetchone()[0]


def test_the_answer_that_shows_it_is_not_kept_by_the_browser(owners):
    assert create(owners).headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"name": "  "}, "Enter a name."),
        ({"name": ""}, "Fill in this field."),
        ({"scopes": []}, "Choose at least one permission for the key."),
        ({"scopes": ["everything"]}, "is not a valid choice"),
        ({"mode": "god"}, "Not a valid choice"),
        ({"expires": "-5"}, "Not a valid choice"),
        ({"rate_per_second": "0"}, "Enter 1 or more."),
        ({"rate_per_second": "many"}, "Not a valid integer value"),
    ],
)
def test_a_wrong_form_makes_no_key(owners, restaurant, wrong, sentence):
    with restaurant.scope():
        before = len(api_keys.list_keys())
    answer = create(owners, **wrong)
    assert sentence in text_of(answer)
    assert not SECRET.search(answer.get_data(as_text=True))
    with restaurant.scope():
        assert len(api_keys.list_keys()) == before


def test_an_expiry_is_kept(owners, restaurant, me):
    secret = secret_in(create(owners, expires="30"))
    assert me(secret)[0] == 200
    with frozen(now() + timedelta(days=30, seconds=1)):
        status, body = me(secret)
        assert (status, body["code"]) == (401, "key_expired")
        owners.signs_in(restaurant.owner)
        assert "Expired" in text_of(owners.get("/integrations"))


def test_rotating_gives_a_second_key_and_both_work(owners, restaurant, me):
    old = secret_in(create(owners))
    key = key_named(restaurant, "Online shop")
    answer = owners.post(f"/integrations/keys/{key.id}/rotate", overlap="day")
    new = secret_in(answer)
    assert f"The old key {key.prefix}… works until" in text_of(answer)
    assert old != new
    assert me(old)[0] == me(new)[0] == 200
    assert me(new)[1]["key"]["scopes"] == ["menus", "orders"]
    with frozen(now() + timedelta(days=1, seconds=1)):
        assert me(old)[1]["code"] == "key_expired"
        assert me(new)[0] == 200


def test_rotating_at_once_stops_the_old_key_at_once(owners, restaurant, me):
    old = secret_in(create(owners))
    assert me(old)[0] == 200
    key = key_named(restaurant, "Online shop")
    answer = owners.post(f"/integrations/keys/{key.id}/rotate", overlap="now")
    assert "no longer works" in text_of(answer)
    assert me(old)[0] == 401
    assert me(secret_in(answer))[0] == 200


def test_a_rotation_that_makes_no_sense_changes_nothing(owners, restaurant, me):
    old = secret_in(create(owners))
    key = key_named(restaurant, "Online shop")
    owners.post(f"/integrations/keys/{key.id}/rotate", overlap="century")
    assert me(old)[0] == 200
    assert key_named(restaurant, "Online shop").id == key.id


def test_revoking_asks_first_and_works_at_once(owners, restaurant, me):
    secret = secret_in(create(owners))
    assert me(secret)[0] == 200
    path = f"/integrations/keys/{key_named(restaurant, 'Online shop').id}/revoke"
    assert title_of(owners.get(path)) == "Revoke “Online shop”?"
    assert me(secret)[0] == 200, "asking alone changes nothing"
    owners.post(path)
    status, body = me(secret)
    assert (status, body["code"]) == (401, "invalid_key")
    assert "Revoked" in text_of(owners.get("/integrations"))
    assert owners.post(path).status_code == 302, "a second time is no error"


def test_a_revoked_key_is_not_rotated_or_changed(owners, restaurant):
    create(owners)
    key = key_named(restaurant, "Online shop")
    owners.post(f"/integrations/keys/{key.id}/revoke")
    assert owners.post(f"/integrations/keys/{key.id}/rotate", overlap="day").status_code == 409
    owners.post(f"/integrations/keys/{key.id}", name="Back again", scopes=["lines"])
    assert key_named(restaurant, "Online shop").revoked_at is not None


def test_scopes_taken_away_are_gone_at_once(owners, restaurant, me):
    secret = secret_in(create(owners))
    me(secret)
    key = key_named(restaurant, "Online shop")
    owners.post(f"/integrations/keys/{key.id}", name="Renamed", scopes=["orders"])
    assert me(secret)[1]["key"]["scopes"] == ["orders"]
    assert me(secret)[1]["key"]["name"] == "Renamed"


def test_a_limit_of_its_own_is_kept(owners, restaurant, me):
    secret = secret_in(create(owners, rate_per_second="1"))
    statuses = [me(secret)[0] for _ in range(4)]
    assert statuses.count(429) >= 1


def test_a_viewer_sees_keys_and_changes_none(app, restaurant):
    viewer = Browser(app.test_client()).signs_in(restaurant.hires("viewer"))
    page = viewer.get("/integrations")
    assert "Live key" in text_of(page)
    assert "/integrations/keys/new" not in page.get_data(as_text=True)
    detail = viewer.get(f"/integrations/keys/{restaurant.key_id}")
    assert detail.status_code == 200
    assert "revoke" not in detail.get_data(as_text=True)
    answer = viewer.post(f"/integrations/keys/{restaurant.key_id}", name="Mine", scopes=["orders"])
    assert answer.status_code == 403
    assert key_named(restaurant, "Live key")


def test_everything_about_keys_is_noted(owners, restaurant):
    create(owners)
    key = key_named(restaurant, "Online shop")
    owners.post(f"/integrations/keys/{key.id}", name="Renamed", scopes=["orders"])
    owners.post(f"/integrations/keys/{key.id}/rotate", overlap="day")
    owners.post(f"/integrations/keys/{key.id}/revoke")
    with restaurant.scope():
        entries = audit.entries(act="keys.", limit=10)
    assert [entry.act for entry in entries][:5] == [
        "keys.revoked",
        "keys.rotated",
        "keys.created",
        "keys.changed",
        "keys.created",
    ]
    assert {entry.actor_name for entry in entries[:5]} == {restaurant.owner.name}
    assert all(entry.request_id.startswith("req_") for entry in entries[:5])
    assert not SECRET.search(str([entry.detail for entry in entries]))


def test_the_quick_start_names_this_service_and_no_key(owners):
    page = text_of(owners.get("/integrations"))
    assert "curl -X POST http://localhost/api/v1/messages/send" in page
    assert "$COMANDA_API_KEY" in page


def test_a_key_can_be_held_to_a_line(owners, restaurant, client, me):
    one, other = make_line(restaurant), make_line(restaurant, default=False)
    answer = create(owners, mode="live", scopes=["messages:send"], line_ids=[str(one.id)])
    secret = secret_in(answer)
    assert me(secret)[1]["key"]["instance_ids"] == [one.id]
    refused = client.post(
        "/api/v1/messages/send",
        headers={"Authorization": f"Bearer {secret}"},
        json={"phone": "905321112233", "message": "Merhaba", "instance_id": other.id},
    )
    assert (refused.status_code, refused.json["code"]) == (403, "line_not_allowed")


def test_another_tenants_line_cannot_be_chosen(owners, restaurant, shop):
    theirs = make_line(shop)
    make_line(restaurant)
    answer = create(owners, mode="live", scopes=["orders"], line_ids=[str(theirs.id)])
    assert not SECRET.findall(answer.get_data(as_text=True))
