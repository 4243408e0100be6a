"""Tenants by the partner API: created once, listed, suspended, put on a plan, billed."""

from datetime import date
from decimal import Decimal
from threading import Thread

import pytest

from core.db import db, global_scope, tenant_scope
from messaging.lines import repository as line_repository
from tenants import accounts, audit, people, team
from tenants.models import UsageMonth
from tenants.partners import keys, partners
from tenants.passwords import hash_password


def test_a_tenant_is_created_ready_for_test_messages(client, mavi):
    made = mavi.creates(reference="c-1", locale="tr", time_zone="Europe/Istanbul")
    assert (made["state"], made["plan"], made["reference"]) == ("active", "starter", "c-1")
    assert made["owner_invitation_url"] is None
    with tenant_scope(made["id"]):
        own, [line] = accounts.account(), line_repository.list_lines()
        assert (own.locale, own.country) == ("tr", "TR")
        assert (line.test, line.name) == (True, "Test hattı")
        [entry] = [one for one in audit.entries(limit=9) if one.act == "account.created"]
        assert (entry.actor_kind, entry.actor_name) == ("partner", "Mavi POS")
    assert mavi.call("GET", f"/tenants/{made['id']}").json["name"] == "Lokanta Mavi"


def test_the_owner_gets_the_account_by_the_link(client, mavi):
    made = mavi.creates(owner_email="zeynep@example.com")
    token = made["owner_invitation_url"].rpartition("/")[2]
    with global_scope():
        tenant_id, invitation_id = team.find_invitation(token)
    assert tenant_id == made["id"]
    assert "Lokanta Mavi" in client.get(f"/invitations/{token}").text
    password = hash_password("correct horse battery")
    with tenant_scope(tenant_id):
        person = people.register("zeynep@example.com", "Zeynep", password, verified=True)
        assert team.accept_invitation(invitation_id, person).role == "owner"
    assert "Lokanta Mavi" not in client.get(f"/invitations/{token}").text


def test_a_repeat_creates_no_second_tenant_and_gives_the_same_key_again(mavi):
    body = {"name": "Lokanta Mavi", "plan": "starter"}
    first = mavi.call("POST", "/tenants", body, **{"Idempotency-Key": "t1"})
    again = mavi.call("POST", "/tenants", body, **{"Idempotency-Key": "t1"})
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json == first.json
    assert again.headers["Idempotent-Replayed"] == "true"
    assert len(mavi.call("GET", "/tenants").json["data"]) == 1
    other = mavi.call("POST", "/tenants", {"name": "Other"}, **{"Idempotency-Key": "t1"})
    assert (other.status_code, other.json["code"]) == (422, "idempotency_mismatch")
    path = f"/tenants/{first.json['id']}/keys"
    wanted = {"name": "POS", "scopes": ["orders"]}
    key = mavi.call("POST", path, wanted, **{"Idempotency-Key": "k1"})
    repeated = mavi.call("POST", path, wanted, **{"Idempotency-Key": "k1"})
    assert key.json["api_key"].startswith("ck_live_")
    assert repeated.json == key.json
    with global_scope():
        bodies = db.session.connection().exec_driver_sql("SELECT body FROM partner_requests").all()
    assert bodies
    assert not any(key.json["api_key"] in body for (body,) in bodies)


def test_requests_at_the_same_time_with_one_key_create_one_tenant(app, mavi):
    answers = []

    def create():
        mavi_too = type(mavi)(app.test_client(), mavi.id, mavi.key, mavi.key_id)
        answers.append(
            mavi_too.call("POST", "/tenants", {"name": "One"}, **{"Idempotency-Key": "same"})
        )

    threads = [Thread(target=create) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert {one.status_code for one in answers} == {201}
    assert len({one.json["id"] for one in answers}) == 1


def test_tenants_are_listed_newest_first_in_pages(mavi):
    made = [mavi.creates(f"Business {number}")["id"] for number in range(5)]
    seen, after = [], None
    for _ in range(3):
        query = f"?limit=2{f'&after={after}' if after else ''}"
        found = mavi.call("GET", f"/tenants{query}").json
        seen += [one["id"] for one in found["data"]]
        after = found["next"]
    assert (seen, after) == (made[::-1], None)
    assert mavi.call("GET", "/tenants?after=x").json["code"] == "invalid_cursor"
    by_reference = mavi.creates("Named", reference="c-7")
    found = mavi.call("GET", "/tenants?reference=c-7").json["data"]
    assert [one["id"] for one in found] == [by_reference["id"]]
    twice = mavi.call("POST", "/tenants", {"name": "Named", "reference": "c-7"})
    assert (twice.status_code, twice.json["code"]) == (409, "reference_in_use")


def test_a_suspended_tenant_is_refused_until_the_partner_resumes_it(client, mavi):
    made = mavi.creates()
    path = f"/tenants/{made['id']}"
    key = mavi.call("POST", f"{path}/keys", {"name": "A", "scopes": ["lines"]}).json["api_key"]
    me = {"Authorization": f"Bearer {key}"}
    assert client.get("/api/v1/me", headers=me).status_code == 200
    off = mavi.call("POST", f"{path}/suspend", {"reason": "Contract ended"}).json
    assert (off["state"], off["suspended_because"]) == ("suspended", "Contract ended")
    assert client.get("/api/v1/me", headers=me).json["code"] == "account_suspended"
    assert mavi.call("POST", f"{path}/resume").json["state"] == "active"
    assert client.get("/api/v1/me", headers=me).status_code == 200


def test_the_partner_cannot_undo_what_the_operator_decided(mavi):
    made = mavi.creates()
    with tenant_scope(made["id"]):
        accounts.suspend("abuse")
    answer = mavi.call("POST", f"/tenants/{made['id']}/resume")
    assert (answer.status_code, answer.json["code"]) == (409, "suspended_by_operator")
    mavi.call("POST", f"/tenants/{made['id']}/suspend", {"reason": "mine"})
    assert mavi.call("POST", f"/tenants/{made['id']}/resume").status_code == 409


def test_a_plan_is_chosen_among_those_that_the_partner_may_choose(client, mavi, sari):
    made = mavi.creates()
    path = f"/tenants/{made['id']}"
    assert mavi.call("POST", f"{path}/plan", {"plan": "growth"}).json["plan"] == "growth"
    key = mavi.call("POST", f"{path}/keys", {"name": "A", "scopes": ["lines"]}).json["api_key"]
    me = client.get("/api/v1/me", headers={"Authorization": f"Bearer {key}"}).json
    assert me["plan"]["code"] == "growth"
    assert mavi.call("POST", f"{path}/plan", {"plan": "gold"}).json["code"] == "unknown_plan"
    refused = sari.call("POST", "/tenants", {"name": "A", "plan": "growth"})
    assert (refused.status_code, refused.json["code"]) == (422, "plan_not_allowed")
    assert [one["code"] for one in sari.call("GET", "").json["plans"]] == ["trial"]


def test_a_partner_has_at_most_its_number_of_tenants(sari):
    for _ in range(2):
        sari.creates(plan="trial")
    refused = sari.call("POST", "/tenants", {"name": "Third", "plan": "trial"})
    assert (refused.status_code, refused.json["code"]) == (403, "too_many_tenants")


def test_usage_of_a_month_lists_every_tenant(mavi, sari):
    quiet, busy, foreign = mavi.creates("Quiet"), mavi.creates("Busy"), sari.creates(plan="trial")
    for made, count in ((busy, 1840), (foreign, 7)):
        with tenant_scope(made["id"]):
            db.session.add(
                UsageMonth(
                    tenant_id=made["id"],
                    month=date(2026, 3, 1),
                    messages=count,
                    spend_usd=Decimal("6.256"),
                )
            )
    found = mavi.call("GET", "/usage?month=2026-03").json
    assert (found["month"], found["next"]) == ("2026-03", None)
    assert [(one["tenant_id"], one["messages"], one["spend_usd"]) for one in found["data"]] == [
        (busy["id"], 1840, 6.256),
        (quiet["id"], 0, 0),
    ]
    months = mavi.call("GET", f"/tenants/{busy['id']}/usage").json["data"]
    assert months == [{"month": "2026-03", "messages": 1840, "spend_usd": 6.256}]
    assert mavi.call("GET", "/usage?month=2026-13").status_code == 422


def test_a_revoked_key_and_a_suspended_partner_are_refused_at_once(mavi, sari):
    assert mavi.call("GET", "").status_code == 200
    with global_scope():
        keys.revoke(partners.get(mavi.id), mavi.key_id)
        partners.suspend(sari.id)
    assert mavi.call("GET", "").json["code"] == "invalid_key"
    assert sari.call("GET", "").json["code"] == "account_suspended"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": " "},
        {"name": "A", "plan": "gold"},
        {"name": "A", "time_zone": "Mars/Olympus"},
        {"name": "A", "locale": "xx"},
        {"name": "A", "owner_email": "not an address"},
        {"name": "A" * 121},
    ],
)
def test_bad_input_creates_nothing(mavi, body):
    answer = mavi.call("POST", "/tenants", body)
    assert answer.status_code == 422, answer.json
    assert len(answer.json["message"]) > 8
    assert mavi.call("GET", "/tenants").json["data"] == []
