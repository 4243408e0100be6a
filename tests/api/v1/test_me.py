"""GET /me, and the errors for invalid keys."""


def test_a_key_learns_who_it_is(client, restaurant):
    answer = client.get("/api/v1/me", headers=restaurant.bearer)
    assert answer.status_code == 200
    assert answer.json["tenant"] == {
        "id": restaurant.tenant_id,
        "name": "Lokanta Mavi",
        "state": "active",
    }
    assert answer.json["limits"]["requests_per_second"] == 80
