"""Lines by API: visible to their own tenant and to keys with the scope."""

from tests.line_factory import make_line


def ask(client, key, path):
    return client.get(f"/api/v1{path}", headers={"Authorization": f"Bearer {key}"})


def test_a_business_sees_its_lines_and_no_secret_of_them(client, restaurant, shop):
    line = make_line(restaurant)
    make_line(shop)
    answer = ask(client, restaurant.key, "/instances")
    assert [one["id"] for one in answer.json["data"]] == [line.id]
    assert answer.json["data"][0]["state"] == "connected"
    assert "app-secret" not in answer.get_data(as_text=True)
    assert ask(client, restaurant.key, f"/instances/{line.id}").json["name"] == "Front desk"


def test_anothers_line_is_not_there(client, restaurant, shop):
    theirs = make_line(shop)
    assert ask(client, restaurant.key, f"/instances/{theirs.id}").status_code == 404


def test_a_key_held_to_a_line_sees_that_one(client, restaurant):
    one, other = make_line(restaurant), make_line(restaurant, default=False)
    key = restaurant.makes_key("lines", line_ids=[one.id])
    answer = ask(client, key, "/instances")
    assert [line["id"] for line in answer.json["data"]] == [one.id]
    assert ask(client, key, f"/instances/{other.id}").status_code == 404


def test_it_needs_the_scope(client, restaurant):
    answer = ask(client, restaurant.makes_key("orders"), "/instances")
    assert (answer.status_code, answer.json["code"]) == (403, "missing_scope")
