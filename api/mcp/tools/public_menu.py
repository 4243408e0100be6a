"""Tools of a restaurant's public server: read the menu, and prepare an order.

A cart is not an order. The guest sends its text in the chat, and only then the restaurant gets it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from flask import current_app, request
from pydantic import Field

from api.mcp.tools.base import Arguments, Tool
from core.errors import Conflict, invalid
from core.values.money import json_number
from core.values.text import fold_case
from restaurant.menus import availability, publishing
from restaurant.menus.pricing import RequestedItem, text_in
from restaurant.menus.validation import ALLERGENS, DIETS
from restaurant.models import Cart, Site
from restaurant.orders import carts, rules
from restaurant.sites import sites

MOST_FOUND = 60
LANGUAGE = Field("", max_length=20, description="Such as tr or en; empty: the menu's first.")
ALLERGEN_NOTE = (
    "As the restaurant has entered it. With a severe allergy, ask the restaurant before ordering."
)


@dataclass(frozen=True)
class PublicCall:
    """A call for one restaurant; there is no caller."""

    site: Site


class ReadMenu(Arguments):
    language: str = LANGUAGE


def read_menu(call: PublicCall, given: ReadMenu) -> dict[str, Any]:
    menu = _Menu(call.site, given.language)
    return {
        "restaurant": call.site.name,
        "currency": call.site.currency,
        "open_for_orders": not sites.why_no_orders_now(call.site),
        "order_types": list(call.site.order_types),
        "categories": [
            {"name": name, "items": [menu.item_json(item) for item in items]}
            for name, items in menu.categories()
        ],
    }


class SearchDishes(Arguments):
    query: str = Field("", max_length=80, description="A word of the name or description.")
    diets: list[Literal[DIETS]] = Field(  # type: ignore[valid-type]
        default_factory=list, max_length=8, description="All of these must apply."
    )
    without_allergens: list[Literal[ALLERGENS]] = Field(  # type: ignore[valid-type]
        default_factory=list, max_length=14, description="None of these may be declared."
    )
    max_price: Decimal | None = Field(None, ge=0, le=10**9)
    language: str = LANGUAGE


def search_dishes(call: PublicCall, given: SearchDishes) -> dict[str, Any]:
    menu, wanted = _Menu(call.site, given.language), fold_case(given.query)
    found = [
        menu.item_json(item)
        for _, items in menu.categories()
        for item in items
        if _matches(item, wanted)
        and set(given.diets) <= set(item["diets"])
        and not set(given.without_allergens) & set(item["allergens"])
        and (given.max_price is None or Decimal(item["price"]) <= given.max_price)
    ]
    return {"dishes": found[:MOST_FOUND], "allergen_note": ALLERGEN_NOTE}


class CheckAllergens(Arguments):
    item_ids: list[str] = Field(min_length=1, max_length=30, description="Of the menu.")
    language: str = LANGUAGE


def check_allergens(call: PublicCall, given: CheckAllergens) -> dict[str, Any]:
    menu = _Menu(call.site, given.language)
    known = {item["id"]: item for _, items in menu.categories() for item in items}
    if missing := [one for one in given.item_ids if one not in known]:
        raise invalid("item_ids", "not_on_menu", "{item} is not on the menu.", item=missing[0][:64])
    return {
        "dishes": [
            {
                "id": item_id,
                "name": menu.name(known[item_id]),
                "allergens": known[item_id]["allergens"],
                "diets": known[item_id]["diets"],
            }
            for item_id in given.item_ids
        ],
        "note": ALLERGEN_NOTE,
    }


class CartItem(Arguments):
    item_id: str = Field(max_length=40)
    quantity: int = Field(1, ge=1, le=99)
    option_ids: list[str] = Field(default_factory=list, max_length=60)
    note: str = Field("", max_length=400)


class CartArguments(Arguments):
    items: list[CartItem] = Field(min_length=1, max_length=60)
    order_type: Literal["dine_in", "takeaway", "delivery"] = "takeaway"
    payment_method: str = Field("", max_length=32, description="Empty: the usual one.")
    table_number: str = Field("", max_length=40, description="For dine_in.")
    address: str = Field("", max_length=400, description="For delivery.")
    notes: str = Field("", max_length=1000)
    coupon: str = Field("", max_length=40)
    language: str = LANGUAGE


def quote_cart(call: PublicCall, given: CartArguments) -> dict[str, Any]:
    return _cart_json(call.site, carts.quote_cart(call.site, _cart_request(given)))


def make_cart(call: PublicCall, given: CartArguments) -> dict[str, Any]:
    line = sites.line_of(call.site)
    if line is None:
        raise Conflict("paused", "This restaurant does not take orders by chat now.")
    cart = carts.create_cart(call.site, _cart_request(given))
    base_url = current_app.extensions["comanda"].base_url
    return {
        **_cart_json(call.site, cart),
        "code": f"{cart.code[:4]}-{cart.code[4:]}",
        "text": cart.text,
        "chat_link": carts.order_link(line, cart.text, base_url),
        "next_step": "Nothing is ordered yet. The guest opens chat_link and presses send.",
    }


def _cart_request(given: CartArguments) -> carts.CartRequest:
    return carts.CartRequest(
        items=tuple(
            RequestedItem(one.item_id, one.quantity, tuple(one.option_ids), one.note)
            for one in given.items
        ),
        order_type=given.order_type,
        payment_method=given.payment_method or rules.DEFAULT_PAYMENT[given.order_type],
        table_number=given.table_number,
        notes=given.notes,
        address=given.address,
        language=given.language,
        coupon=given.coupon,
        visitor=request.remote_addr or "",
    )


def _cart_json(site: Site, cart: Cart) -> dict[str, Any]:
    return {
        "currency": site.currency,
        "total": json_number(cart.total),
        "sums": {name: value for name, value in cart.sums.items() if name != "taxes"},
        "items": [
            {"name": one["said"], "quantity": one["quantity"], "unit_price": one["unit_price"]}
            for one in cart.lines
        ],
    }


def _matches(item: dict[str, Any], wanted: str) -> bool:
    texts = item["texts"].values()
    return any(
        wanted in fold_case(f"{one.get('name') or ''} {one.get('description') or ''}")
        for one in texts
    )


class _Menu:
    """The published menu in one language."""

    def __init__(self, site: Site, language: str) -> None:
        version = publishing.published_version(site.menu_id or "")
        if version is None:
            raise Conflict("no_menu", "This restaurant has no menu yet.")
        self.content = version.content
        self.languages = version.content["languages"]
        self.language = language or self.languages[0]
        self.missing = availability.unavailable_now(site, version.content)

    def categories(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        for category in self.content["categories"]:
            yield self.name(category), category["items"]

    def name(self, thing: dict[str, Any]) -> str:
        return text_in(thing["texts"], self.language, self.languages)

    def item_json(self, item: dict[str, Any]) -> dict[str, Any]:
        texts = item["texts"].get(self.language) or {}
        return {
            "id": item["id"],
            "name": self.name(item),
            "description": texts.get("description") or "",
            "price": item["price"],
            "allergens": item["allergens"],
            "diets": item["diets"],
            "available": item["id"] not in self.missing,
            "options": [self._group(self.content["groups"][one]) for one in item["groups"]],
        }

    def _group(self, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "name": self.name(group),
            "choose_at_least": group["least"],
            "choose_at_most": group["most"],
            "choices": [
                {
                    "id": option["id"],
                    "name": self.name(option),
                    "price": option["price"],
                    "available": option["id"] not in self.missing,
                }
                for option in group["options"]
            ],
        }


PUBLIC_TOOLS = (
    Tool(
        "menu",
        "Menu",
        "The restaurant's menu with prices, allergens, diets and options.",
        "",
        ReadMenu,
        read_menu,
    ),
    Tool(
        "search_dishes",
        "Search dishes",
        "Finds dishes by words, diet, price, and allergens to leave out.",
        "",
        SearchDishes,
        search_dishes,
    ),
    Tool(
        "check_allergens",
        "Check allergens",
        "Lists the declared allergens and diets of dishes.",
        "",
        CheckAllergens,
        check_allergens,
    ),
    Tool(
        "quote_cart",
        "Quote cart",
        "Prices a cart with service, delivery and discount. Stores nothing.",
        "",
        CartArguments,
        quote_cart,
    ),
    Tool(
        "make_cart",
        "Make cart",
        "Stores a cart and returns its price, its code and a chat link. Nothing is ordered until "
        "the guest opens the link and presses send.",
        "",
        CartArguments,
        make_cart,
        reads_only=False,
    ),
)
