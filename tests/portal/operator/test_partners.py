"""The operator's pages of partners, and what the tenant of a partner sees."""

import json
import re

import pytest

from core.db import global_scope, tenant_scope
from tenants import accounts, people
from tenants.partners import keys, partners
from tests.factories import make_person
from tests.portal.page_reader import text_of


@pytest.fixture
def operators(browser):
    person = make_person("Olga")
    with global_scope():
        people.get(person.id).operator = True
    return browser.signs_in(person)


@pytest.fixture
def partner():
    with global_scope():
        return partners.add("Mavi POS", ["starter"], 50)


def test_a_partner_is_added_and_its_key_works(client, operators):
    page = operators.post(
        "/operator/partners/new", name="Mavi POS", plans="starter", most_tenants="9"
    )
    assert page.status_code == 302
    path = page.headers["Location"]
    assert "No tenants yet" in text_of(operators.get(path))
    shown = operators.post(f"{path}/keys", key_name="Sign-up page")
    [secret] = set(re.findall(r"ck_partner_[0-9A-Za-z]{36}", shown.get_data(as_text=True)))
    bearer = {"Authorization": f"Bearer {secret}"}
    made = client.post(
        "/api/v1/partner/tenants", json={"name": "Lokanta", "plan": "starter"}, headers=bearer
    )
    assert made.status_code == 201
    listed = text_of(operators.get(path))
    assert "Lokanta" in listed
    assert "1 of 9" in listed
    assert secret not in operators.get(path).get_data(as_text=True)
    assert "Mavi POS" in text_of(operators.get("/operator/partners"))
    tenant = text_of(operators.get(f"/operator/tenants/{made.json['id']}"))
    assert "Managed by Mavi POS" in tenant


def test_bad_input_stays_on_the_form(operators, partner):
    for fields in (
        {"name": "", "most_tenants": "5"},
        {"name": "A", "most_tenants": "0"},
        {"name": "A", "most_tenants": "many"},
        {"name": "A", "plans": "gold", "most_tenants": "5"},
    ):
        assert operators.post("/operator/partners/new", **fields).status_code == 200
        assert operators.post(f"/operator/partners/{partner.id}", **fields).status_code == 200
    assert operators.post(f"/operator/partners/{partner.id}/keys", key_name="").status_code == 200
    assert operators.get("/operator/partners/ptn_nothing").status_code == 404
    with global_scope():
        assert "A" not in [one.name for one in partners.list_partners()]


def test_a_key_is_revoked_and_a_partner_suspended(client, operators, partner):
    with global_scope():
        key, secret = keys.create(partners.get(partner.id), "First")
        _, other = keys.create(partners.get(partner.id), "Second")
    path = f"/operator/partners/{partner.id}"

    def status(one):
        return client.get("/api/v1/partner", headers={"Authorization": f"Bearer {one}"}).status_code

    assert (status(secret), status(other)) == (200, 200)
    assert "Revoke the key" in text_of(operators.get(f"{path}/keys/{key.id}/revoke"))
    operators.post(f"{path}/keys/{key.id}/revoke")
    assert (status(secret), status(other)) == (401, 200)
    operators.post(f"{path}/suspend")
    assert status(other) == 401
    operators.post(f"{path}/resume")
    assert status(other) == 200


def test_the_tenants_owner_sees_who_manages_the_account(browser, restaurant, partner):
    owners = browser.signs_in(restaurant.owner)
    assert "Managed by a partner" not in text_of(owners.get("/settings"))
    with tenant_scope(restaurant.tenant_id):
        accounts.get(restaurant.tenant_id).partner_id = partner.id
    page = text_of(owners.get("/settings"))
    assert "Managed by a partner" in page
    assert "Mavi POS" in page


def test_only_operators_open_these_pages(browser, restaurant, partner):
    owners = browser.signs_in(restaurant.owner)
    for path in ("", "/new", f"/{partner.id}"):
        assert owners.get(f"/operator/partners{path}").status_code in (403, 404)


def test_partners_from_the_command_line(app, client):
    run = app.test_cli_runner().invoke
    made = run(args=["partners", "create", "Mavi POS", "--plans", "starter", "--json"])
    facts = json.loads(made.output)
    bearer = {"Authorization": f"Bearer {facts['partner_key']}"}
    assert client.get("/api/v1/partner", headers=bearer).json["name"] == "Mavi POS"
    more = json.loads(run(args=["partners", "create-key", facts["partner_id"], "--json"]).output)
    run(args=["partners", "revoke-key", facts["partner_id"], facts["key_id"]])
    assert client.get("/api/v1/partner", headers=bearer).status_code == 401
    bearer = {"Authorization": f"Bearer {more['partner_key']}"}
    assert client.get("/api/v1/partner", headers=bearer).status_code == 200
    bad = run(args=["partners", "create", "Other", "--plans", "gold"])
    assert bad.exit_code == 1
    assert "This plan does not exist" in bad.output
