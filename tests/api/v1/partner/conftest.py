"""Two partners with a key each."""

from dataclasses import dataclass

import pytest

from core.db import global_scope
from tenants.partners import keys, partners


@dataclass
class PartnerClient:
    client: object
    id: str
    key: str
    key_id: str

    def call(self, method, path, body=None, **headers):
        given = {"Authorization": f"Bearer {self.key}", **headers}
        return self.client.open(f"/api/v1/partner{path}", method=method, json=body, headers=given)

    def creates(self, name="Lokanta Mavi", **more):
        answer = self.call("POST", "/tenants", {"name": name, "plan": "starter", **more})
        assert answer.status_code == 201, answer.json
        return answer.json


def make_partner(client, name, **more):
    with global_scope():
        partner = partners.add(name, more.pop("plans", []), **more)
        key, secret = keys.create(partner, "Provisioning")
    return PartnerClient(client, partner.id, secret, key.id)


@pytest.fixture
def mavi(client):
    return make_partner(client, "Mavi POS")


@pytest.fixture
def sari(client):
    return make_partner(client, "Sarı Ajans", plans=["trial"], most_tenants=2)
