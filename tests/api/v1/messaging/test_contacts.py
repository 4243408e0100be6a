"""Contacts by API: what is created, rejected and left unchanged."""

from datetime import timedelta

import pytest

from core.clock import now
from messaging.contacts import custom_fields
from messaging.contacts import identities as contact_identities
from tests.messaging.message_factory import add_line


def call(client, business, method, path, **more):
    return client.open(f"/api/v1{path}", method=method, headers=business.bearer, **more)


@pytest.fixture
def api(client, restaurant):
    def ask(method, path, json=None, **query):
        return call(client, restaurant, method, path, json=json, query_string=query)

    return ask


def made(api, **more):
    body = {"name": "Ayşe Yılmaz", "phone": "905321112233", **more}
    answer = api("POST", "/contacts", body)
    assert answer.status_code == 201, answer.json
    return answer.json


def test_added_read_changed_and_removed(api, restaurant):
    one = made(api, tags=["vip"], birthday="--04-23", consent={"source": "form"})
    assert (one["phone"], one["tags"], one["birthday"]) == ("905321112233", ["vip"], "--04-23")
    assert one["consent"]["source"] == "form"
    path = f"/contacts/{one['id']}"
    assert api("GET", path).json == one
    changed = api("PATCH", path, {"tags": ["press"], "opted_out": True, "consent": None}).json
    assert (changed["name"], changed["tags"]) == ("Ayşe Yılmaz", ["press"])
    assert (changed["opted_out"], changed["consent"]) == (True, None)
    blocked = api("PATCH", path, {"blocked": True}).json
    assert blocked["blocked"]
    with restaurant.scope():
        assert contact_identities.blocked_phones(["905321112233"])
    assert api("DELETE", path).status_code == 204
    assert api("GET", path).status_code == 404


def test_a_typo_is_named(api):
    assert made(api, tag="x")["warnings"] == ["unknown field ignored: tag"]


def test_a_phone_that_is_known_is_refused_with_its_owner(api):
    one = made(api)
    answer = api("POST", "/contacts", {"phone": "+90 532 111 22 33"})
    assert (answer.status_code, answer.json["code"]) == (422, "phone_taken")
    assert answer.json["contact_id"] == one["id"]


def test_found_by_what_is_asked(api):
    made(api, tags=["vip"], language="tr")
    api("POST", "/contacts", {"name": "Mehmet Kaya"})
    for query in (
        *({"search": "ayş"}, {"search": "2233"}, {"tag": "vip"}, {"language": "tr"}),
        *({"has_phone": "true"}, {"search": "#vip", "opted_out": "false"}),
    ):
        found = api("GET", "/contacts", **query).json["data"]
        assert [one["name"] for one in found] == ["Ayşe Yılmaz"], query
    both = api("GET", "/contacts", limit=1).json
    assert [one["name"] for one in both["data"]] == ["Mehmet Kaya"]
    rest = api("GET", "/contacts", limit=1, after=both["next"]).json
    assert ([one["name"] for one in rest["data"]], rest["next"]) == (["Ayşe Yılmaz"], None)
    assert api("GET", "/contacts", after="x").status_code == 422
    assert api("GET", "/contacts", search="a\0").status_code == 422
    assert api("GET", "/contacts/tags").json["data"] == ["vip"]


def test_a_repeat_makes_nobody_twice(client, restaurant):
    headers = {**restaurant.bearer, "Idempotency-Key": "one"}
    answers = [
        client.post("/api/v1/contacts", json={"name": "Ayşe"}, headers=headers) for _ in range(2)
    ]
    assert answers[0].json["id"] == answers[1].json["id"]
    assert answers[1].headers["Idempotent-Replayed"] == "true"


def test_own_fields_by_name(api, restaurant):
    with restaurant.scope():
        seat = custom_fields.add("Seat", "choice", ["Window", "Bar"])
    assert api("GET", "/contacts/fields").json["data"][0]["choices"] == ["Window", "Bar"]
    assert made(api, fields={"seat": "bar"})["fields"] == {seat.id: "Bar"}
    wrong = api("POST", "/contacts", {"name": "B", "fields": {"Seat": "Roof"}})
    assert wrong.json["code"] == "invalid_value"


def test_notes(api):
    path = f"/contacts/{made(api)['id']}/notes"
    assert api("POST", path, {"text": "Likes tea."}).status_code == 201
    assert [one["text"] for one in api("GET", path).json["data"]] == ["Likes tea."]
    assert api("POST", path, {"text": " "}).status_code == 422


def test_two_become_one(api):
    one, other = made(api), api("POST", "/contacts", {"name": "Ayşe", "tags": ["x"]}).json
    merged = api("POST", f"/contacts/{one['id']}/merge", {"other_id": other["id"]}).json
    assert merged["tags"] == ["x"]
    assert api("GET", f"/contacts/{other['id']}").status_code == 404
    again = api("POST", f"/contacts/{one['id']}/merge", {"other_id": one["id"]})
    assert again.json["code"] == "same_contact"


def test_erased_with_progress(api, run_jobs):
    one = made(api)
    begun = api("POST", f"/contacts/{one['id']}/erase")
    assert (begun.status_code, begun.json["status_code"]) == (202, "running")
    run_jobs()
    place = begun.headers["Location"].removeprefix("/api/v1")
    assert api("GET", place).json["status_code"] == "done"
    assert api("GET", f"/contacts/{one['id']}").status_code == 404


def test_many_at_once_as_objects(api, run_jobs):
    rows = [
        {"phone": "905321112233", "name": "=cmd()", "tags": ["a", "b"]},
        {"phone": "12", "name": "Broken"},
        {"name": "No phone"},
    ]
    begun = api("POST", "/contacts/import", {"contacts": rows, "tags": ["fair"]})
    assert begun.status_code == 202, begun.json
    run_jobs()
    place = f"/contacts/import/{begun.json['id']}"
    done = api("GET", place).json
    assert (done["status_code"], done["created"], done["rejected"]) == ("done", 1, 2)
    named = api("GET", f"{place}/rejects").json["data"]
    assert [(one["line"], one["field"]) for one in named] == [(3, "phone"), (4, "phone")]
    found = api("GET", "/contacts").json["data"]
    assert (found[0]["name"], found[0]["tags"]) == ("=cmd()", ["a", "b", "fair"])


def test_a_csv_can_be_previewed_first(api, run_jobs):
    begun = api(
        "POST",
        "/contacts/import",
        {"csv": "telefon;ad\n0532 111 22 33;Işık\n", "country": "TR", "dry_run": True},
    )
    run_jobs()
    place = f"/contacts/import/{begun.json['id']}"
    assert api("GET", place).json["status_code"] == "ready"
    assert api("GET", "/contacts").json["data"] == []
    assert api("POST", f"{place}/start").status_code == 202
    run_jobs()
    assert api("GET", "/contacts").json["data"][0]["phone"] == "905321112233"
    assert api("POST", f"{place}/start").status_code == 409


@pytest.mark.parametrize("form", ["csv", "contacts"])
def test_an_import_by_the_api_takes_only_a_clear_yes_as_consent(api, run_jobs, form):
    """The same rule as in the portal."""
    if form == "csv":
        words = {"905321112201": "no", "905321112202": "evet", "905321112203": "?"}
        body = {"csv": "phone,izin\n" + "".join(f"{p},{word}\n" for p, word in words.items())}
    else:
        rows = [("905321112201", False), ("905321112202", True), ("905321112203", None)]
        body = {"contacts": [{"phone": phone, "consent": agreed} for phone, agreed in rows]}
    begun = api("POST", "/contacts/import", {**body, "consent_source": "fair"})
    run_jobs()
    done = api("GET", f"/contacts/import/{begun.json['id']}").json
    counts = [done[f"consent_{answer}"] for answer in ("given", "refused", "unclear")]
    assert counts == [1, 1, 1]
    agreed = {one["phone"]: one["consent"] for one in api("GET", "/contacts").json["data"]}
    assert {phone for phone, consent in agreed.items() if consent} == {"905321112202"}
    assert agreed["905321112202"]["source"] == "fair"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"csv": ""},
        {"csv": "name\nAyşe\n"},
        {"contacts": [], "csv": "phone\n1"},
        {"contacts": [{"phone": "905321112233"}], "tags": ["x" * 41]},
    ],
)
def test_an_import_that_makes_no_sense_is_refused(api, body):
    assert api("POST", "/contacts/import", body).status_code == 422


def test_the_scope_is_needed(client, restaurant):
    key = restaurant.makes_key("messages:send")
    answer = client.get("/api/v1/contacts", headers={"Authorization": f"Bearer {key}"})
    assert (answer.status_code, answer.json["code"]) == (403, "missing_scope")


def test_nobody_reaches_another_tenants(client, restaurant, shop):
    one = call(client, restaurant, "POST", "/contacts", json={"name": "Ayşe"}).json
    mine = call(client, shop, "POST", "/contacts", json={"name": "Lena"}).json
    for method, path, body in (
        ("GET", f"/contacts/{one['id']}", None),
        ("PATCH", f"/contacts/{one['id']}", {"name": "Taken"}),
        ("DELETE", f"/contacts/{one['id']}", None),
        ("POST", f"/contacts/{one['id']}/erase", {}),
        ("POST", f"/contacts/{mine['id']}/merge", {"other_id": one["id"]}),
    ):
        assert call(client, shop, method, path, json=body).status_code == 404, path


def test_nothing_is_sent_to_the_blocked_and_nothing_stays_of_the_try(client, restaurant, api):
    add_line(restaurant)
    one = made(api, phone="5511987654321", blocked=True)
    body = {"phone": "551187654321", "message": "Hello?"}
    headers = {**restaurant.bearer, "Prefer": "respond-async"}
    refused = client.post("/api/v1/messages/send", json=body, headers=headers)
    assert (refused.status_code, refused.json["code"]) == (422, "contact_blocked")
    assert api("GET", "/messages").json["data"] == []
    api("PATCH", f"/contacts/{one['id']}", {"blocked": False})
    sent = client.post("/api/v1/messages/send", json=body, headers=headers)
    assert sent.status_code == 202


def test_blocking_calls_off_what_waits(client, restaurant, api):
    add_line(restaurant)
    one = made(api, phone="5511987654321")
    body = {"phone": "551187654321", "message": "Soon", "scheduled_at": _tomorrow()}
    headers = {**restaurant.bearer, "Prefer": "respond-async"}
    assert client.post("/api/v1/messages/send", json=body, headers=headers).status_code == 202
    api("PATCH", f"/contacts/{one['id']}", {"blocked": True})
    (message,) = api("GET", "/messages").json["data"]
    assert message["status_code"] == "cancelled"


def _tomorrow():
    return (now() + timedelta(days=1)).isoformat()
