"""A restaurant's public server: menu, allergens, price, and a cart that a person must send."""

import pytest

from core.db import db
from restaurant.models import Cart, Order
from tenants import accounts
from tests.api.mcp.rpc import Agent, request
from tests.restaurant.bistro import open_bistro


@pytest.fixture
def bistro(restaurant):
    return open_bistro(restaurant)


@pytest.fixture
def agent(client, bistro):
    with bistro.scope():
        slug = bistro.site().slug
    return Agent(client, "", f"/mcp/r/{slug}")


def rows(bistro, model):
    with bistro.scope():
        return db.session.query(model).filter_by(tenant_id=bistro.business.tenant_id).all()


def test_the_menu_is_listed_without_a_key(agent, bistro):
    listed = agent.asks("tools/list")
    names = ["menu", "search_dishes", "check_allergens", "quote_cart", "make_cart"]
    assert [one["name"] for one in listed["tools"]] == names
    assert listed["cacheScope"] == "public"
    menu = agent.gets("menu", language="en")
    shown = {item["name"] for one in menu["categories"] for item in one["items"]}
    assert "Hamburger" in shown


def test_dishes_are_found_by_word_and_allergen(agent, bistro):
    [dish] = agent.gets("search_dishes", query="hamb")["dishes"]
    assert dish["id"] == bistro.items["Hamburger"]
    assert agent.gets("search_dishes", query="hamb", max_price="0.01")["dishes"] == []
    checked = agent.gets("check_allergens", item_ids=[dish["id"]])["dishes"]
    assert checked[0]["allergens"] == dish["allergens"]
    if dish["allergens"]:
        without = agent.gets("search_dishes", query="hamb", without_allergens=dish["allergens"])
        assert without["dishes"] == []
    assert agent.is_refused("check_allergens", item_ids=["itm_x"]) == "not_on_menu"


def test_a_quote_stores_nothing_and_a_cart_is_not_an_order(agent, bistro):
    wanted = {"items": [{"item_id": bistro.items["Ayran"], "quantity": 2}]}
    quote = agent.gets("quote_cart", **wanted)
    assert rows(bistro, Cart) == []
    cart = agent.gets("make_cart", **wanted)
    assert cart["total"] == quote["total"] > 0
    [stored] = rows(bistro, Cart)
    assert cart["code"].replace("-", "") == stored.code
    assert stored.code[:4] in cart["text"]
    assert cart["chat_link"].startswith("http")
    assert rows(bistro, Order) == []
    assert bistro.orders_by_chat(cart["text"]) is not None


def test_wrong_carts_are_refused_with_a_sentence(agent, bistro):
    assert agent.is_refused("make_cart", items=[]) == "invalid_parameter"
    assert agent.is_refused("quote_cart", items=[{"item_id": "itm_x"}]) == "not_on_menu"
    assert rows(bistro, Cart) == []


def test_an_unknown_or_suspended_restaurant_does_not_exist(client, agent, bistro):
    assert Agent(client, "", "/mcp/r/nowhere").post(*request("tools/list")).status_code == 404
    with bistro.scope():
        accounts.suspend("test")
    assert agent.post(*request("tools/list")).status_code == 404


def test_requests_of_one_address_are_limited(agent):
    statuses = [agent.post(*request("tools/list")).status_code for _ in range(40)]
    assert 429 in statuses
