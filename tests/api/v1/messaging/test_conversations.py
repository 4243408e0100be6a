"""/conversations: reading and changing the inbox by API."""

import pytest

from core.db import db
from messaging.models import Conversation
from tests.messaging.inbox.inbox_factory import AYSE, VELI, add_line, talk_with, writes


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def talk(restaurant, line):
    writes(restaurant, line, text="Merhaba")
    return talk_with(restaurant).id


def get(client, business, path, **query):
    return client.get(f"/api/v1{path}", query_string=query, headers=business.bearer)


def patch(client, business, talk, key=None, **body):
    headers = business.bearer if key is None else {"Authorization": f"Bearer {key}"}
    return client.patch(f"/api/v1/conversations/{talk}", json=body, headers=headers)


def test_a_conversation_as_programs_see_it(app, client, restaurant, line, talk):
    [shown] = get(client, restaurant, "/conversations").json["data"]
    assert shown == get(client, restaurant, f"/conversations/{talk}").json
    assert (shown["id"], shown["instance_id"], shown["phone"]) == (talk, line, AYSE)
    assert (shown["state"], shown["unread"], shown["assigned_to"]) == ("open", 1, None)
    assert shown["last_message"]["text"] == "Merhaba"
    assert shown["window_until"] > shown["last_at"]


def test_pages_follow_each_other(app, client, restaurant, line):
    for number in range(5):
        writes(restaurant, line, f"90532111{4000 + number}", text=f"{number}")
    seen, after = [], None
    while True:
        page = get(
            client, restaurant, "/conversations", limit=2, **({"after": after} if after else {})
        )
        seen += [one["last_message"]["text"] for one in page.json["data"]]
        after = page.json["next"]
        if after is None:
            break
    assert sorted(seen) == ["0", "1", "2", "3", "4"]
    assert get(client, restaurant, "/conversations", after="nonsense").status_code == 422


def test_a_conversation_is_marked_read_and_shows_typing(app, client, restaurant, line, talk):
    path = f"/api/v1/conversations/{talk}/read"
    marked = client.post(path, json={"typing": True}, headers=restaurant.bearer)
    assert (marked.status_code, marked.json["unread"]) == (200, 0)
    with restaurant.scope():
        stored = db.session.get(Conversation, (restaurant.tenant_id, talk))
        assert stored.tell_read is not None
        assert stored.typing_at is not None
    assert client.post(path, json={}, headers=restaurant.bearer).status_code == 200
    assert client.post(path, headers=restaurant.bearer).status_code == 200
    other = client.post("/api/v1/conversations/cnv_x/read", json={}, headers=restaurant.bearer)
    assert other.status_code == 404


def test_what_was_said_newest_first(app, client, restaurant, line, talk):
    writes(restaurant, line, text="İkinci")
    page = get(client, restaurant, f"/conversations/{talk}/messages", limit=1).json
    assert [one["text"] for one in page["data"]] == ["İkinci"]
    page = get(client, restaurant, f"/conversations/{talk}/messages", after=page["next"]).json
    assert ([one["text"] for one in page["data"]], page["next"]) == (["Merhaba"], None)


def test_it_is_given_closed_and_marked(app, client, restaurant, talk):
    selin = restaurant.hires("inbox")
    assert patch(client, restaurant, talk, assigned_to=selin.id).json["assigned_to"] == selin.id
    changed = patch(client, restaurant, talk, state="closed", unread=0).json
    assert (changed["state"], changed["unread"]) == ("closed", 0)
    assert get(client, restaurant, "/conversations").json["data"] == []
    changed = patch(client, restaurant, talk, state="open", unread=1, assigned_to=None).json
    assert (changed["state"], changed["unread"], changed["assigned_to"]) == ("open", 1, None)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 422),
        ({"state": "gone"}, 422),
        ({"unread": 7}, 422),
        ({"assigned_to": "per_00000000000000000000000000"}, 422),
        ({"assigned_to": "nobody"}, 422),
    ],
)
def test_a_wrong_change_is_refused_and_changes_nothing(app, client, restaurant, talk, body, status):
    assert patch(client, restaurant, talk, **body).status_code == status
    assert get(client, restaurant, f"/conversations/{talk}").json["unread"] == 1


def test_scopes_lines_and_tenants_are_kept_apart(app, client, restaurant, shop, line, talk):
    reader = restaurant.makes_key("messages:read")
    assert patch(client, restaurant, talk, key=reader, unread=0).status_code == 403
    assert patch(client, shop, talk, unread=0).status_code == 404
    assert get(client, shop, f"/conversations/{talk}/messages").status_code == 404
    other = add_line(restaurant, "Other")
    elsewhere = {
        "Authorization": f"Bearer {restaurant.makes_key('messages:read', line_ids=[other])}"
    }
    answer = client.get(f"/api/v1/conversations/{talk}", headers=elsewhere)
    assert answer.status_code == 404
    writes(restaurant, other, VELI, text="Öbür hat")
    shown = client.get("/api/v1/conversations", headers=elsewhere).json["data"]
    assert [one["last_message"]["text"] for one in shown] == ["Öbür hat"]


def test_it_is_searched(app, client, restaurant, talk):
    assert get(client, restaurant, "/conversations", q="merha").json["data"]
    assert get(client, restaurant, "/conversations", q="yok").json["data"] == []


def test_labels_are_made_changed_and_deleted(app, client, restaurant):
    def call(method, path="", **body):
        return client.open(
            f"/api/v1/labels{path}", method=method, json=body, headers=restaurant.bearer
        )

    made = call("POST", name="Complaint", colour="red")
    assert (made.status_code, made.json["name"], made.json["colour"]) == (201, "Complaint", "red")
    again = call("POST", name="complaint")
    assert (again.status_code, again.json["code"]) == (409, "label_exists")
    path = f"/{made.json['id']}"
    changed = call("PATCH", path, name="Praise", colour="green")
    assert changed.json == {"id": made.json["id"], "name": "Praise", "colour": "green"}
    assert get(client, restaurant, "/labels").json["data"] == [changed.json]
    assert client.delete(f"/api/v1/labels{path}", headers=restaurant.bearer).status_code == 204
    assert get(client, restaurant, "/labels").json["data"] == []
