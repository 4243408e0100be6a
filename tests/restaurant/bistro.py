"""A bistro with a menu, tables and a line for the tests."""

from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any

from sqlalchemy import select

from core.db import db, tenant_scope
from jobs.inbound import messages as inbound_messages
from messaging.costs.usage import UsageTally
from messaging.inbox import conversations as inbox_conversations
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.receive import receive_message
from messaging.models import Line, Message
from restaurant.chat import chat_orders
from restaurant.couriers import couriers
from restaurant.delivery import polygons, zones
from restaurant.menus import menus, publishing
from restaurant.menus import validation as menu_validation
from restaurant.menus.pricing import RequestedItem
from restaurant.models import Cart, Menu, MenuCategory, MenuItem, Option, OptionGroup, Order
from restaurant.orders import carts
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.sites import sites, tables
from tests.factories import Business
from tests.line_factory import make_line
from tests.messaging.message_factory import events_of

GUEST = "905321112233"
_ids = count(1)


@dataclass
class Bistro:
    business: Business
    line: Line
    site_id: str
    menu_id: str
    items: dict[str, str]
    options: dict[str, str]
    tokens: dict[str, str]

    def scope(self):
        return tenant_scope(self.business.tenant_id)

    def site(self):
        return sites.get(self.site_id)

    def cart(
        self, *wishes: RequestedItem, table: str = "12", token: str | None = None, **more
    ) -> Cart:
        wanted = carts.CartRequest(
            items=wishes
            or (RequestedItem(self.items["Hamburger"], 2), RequestedItem(self.items["Ayran"], 1)),
            order_type=more.pop("order_type", "dine_in"),
            payment_method=more.pop("payment_method", "pos_at_table"),
            table_number=table,
            table_token=self.tokens.get(table, "") if token is None else token,
            **more,
        )
        with self.scope():
            return carts.create_cart(self.site(), wanted)

    def orders_by_chat(
        self, text: str, phone: str = GUEST, name: str = "Ayşe Kaya"
    ) -> Order | None:
        """Like the hooks job: store the message, then process it as an order."""
        message = InboundMessage(
            network_id=f"wamid.{next(_ids)}.{phone}",
            sender_phone=phone,
            sender_network_id=phone,
            sender_name=name,
            at=0,
            kind="text",
            text=text,
        )
        with self.scope():
            tally = UsageTally()
            message_id = receive_message(self.line, message, tally)
            assert message_id is not None
            order = chat_orders.create_order(self.line, message, message_id)
            tally.write()
            return order

    def receives(self, text: str, phone: str = GUEST) -> None:
        """A chat message, with everything that follows from it."""
        message = InboundMessage(
            network_id=f"wamid.{next(_ids)}.{phone}",
            sender_phone=phone,
            sender_network_id=phone,
            sender_name="Ayşe Kaya",
            at=0,
            kind="text",
            text=text,
        )
        with self.scope():
            tally = UsageTally()
            inbound_messages.receive_and_react(self.line, message, tally)
            tally.write()

    def taps(self, action: str, order: Order, phone: str = GUEST) -> None:
        """A tap on a button of a message about the order, with everything that follows."""
        self.taps_id(f"order:{action}:{order.id}", action, phone)

    def taps_id(self, button_id: str, title: str, phone: str = GUEST) -> None:
        message = InboundMessage(
            network_id=f"wamid.{next(_ids)}.{phone}",
            sender_phone=phone,
            sender_network_id=phone,
            sender_name="Ayşe Kaya",
            at=0,
            kind="button",
            text=title,
            content={"id": button_id, "title": title},
        )
        with self.scope():
            tally = UsageTally()
            inbound_messages.receive_and_react(self.line, message, tally)
            tally.write()

    def unread(self) -> int:
        with self.scope():
            return inbox_conversations.unread_count()

    def order(self, *wishes: RequestedItem, phone: str = GUEST, **more) -> Order:
        order = self.orders_by_chat(self.cart(*wishes, **more).text, phone)
        assert order is not None
        return order

    def shares(self, latitude: float, longitude: float, phone: str = GUEST, **content: Any) -> None:
        """A shared location, processed like in the hooks job."""
        message = InboundMessage(
            network_id=f"wamid.{next(_ids)}.{phone}",
            sender_phone=phone,
            sender_network_id=phone,
            sender_name="Ayşe Kaya",
            at=0,
            kind="location",
            text="",
            content={"latitude": latitude, "longitude": longitude, **content},
        )
        with self.scope():
            tally = UsageTally()
            inbound_messages.receive_and_react(self.line, message, tally)
            tally.write()

    def delivers(self) -> dict[str, str]:
        """Add two circular zones, a polygon and two couriers. Returns ids by name."""
        changes = {
            "latitude": Decimal("41.0284"),
            "longitude": Decimal("28.9737"),
            "order_types": ["dine_in", "takeaway", "delivery"],
            "payment_methods": ["pos_at_table", "cash", "card_at_door", "card_link"],
        }
        with self.scope():
            site = sites.change(self.site_id, changes)
            shape = polygons.parse_corners(
                "41.040,28.980\n41.040,29.010\n41.060,29.010\n41.060,28.980"
            )
            made = [
                zones.add(site, zones.ZoneSettings("Yakın", "radius", "30", "200", 2000)),
                zones.add(site, zones.ZoneSettings("Uzak", "radius", "75.50", "600", 6000)),
                zones.add(
                    site, zones.ZoneSettings("Beşiktaş", "polygon", "45", "300", None, shape)
                ),
                couriers.add(site, "Hakan Usta", "905321117001"),
                couriers.add(site, "Emine Yol", "905321117002", "en"),
            ]
            return {one.name: one.id for one in made}

    def delivery(self, *wishes: RequestedItem, phone: str = GUEST, **more) -> Order:
        more = {"table": "", "payment_method": "cash", "address": "Galip Dede Cd. 15", **more}
        return self.order(*wishes, phone=phone, order_type="delivery", **more)

    def texts_sent_to(self, phone: str = GUEST) -> list[str]:
        """The texts sent to a phone, oldest first."""
        with self.scope():
            query = select(Message.text).where(
                Message.tenant_id == self.business.tenant_id,
                Message.direction == "out",
                Message.phone == phone,
            )
            return list(db.session.scalars(query.order_by(Message.id)))

    def messages_sent_to(self, phone: str = GUEST) -> list[Message]:
        """The messages sent to a phone, oldest first."""
        with self.scope():
            query = select(Message).where(
                Message.tenant_id == self.business.tenant_id,
                Message.direction == "out",
                Message.phone == phone,
            )
            return list(db.session.scalars(query.order_by(Message.id)))

    def events(self, kind: str) -> list[dict[str, Any]]:
        with self.scope():
            return events_of(self.business.tenant_id, f"restaurant.{kind}")

    def changes_state(self, order: Order, to: str, **more) -> Order:
        with self.scope():
            return order_lifecycle.change_state(
                self.site(), order_queries.get(order.number), to, **more
            )


def open_bistro(business: Business, *, test: bool = False, **changes) -> Bistro:
    """With `test`, it has a test line, so its orders are test orders."""
    line = make_line(business, test=test)
    with business.scope():
        site = sites.open_site(
            "Lemar Bistro",
            slug=f"lemar-{business.tenant_id}",
            prefix="LEM",
            currency="TRY",
            time_zone="Europe/Istanbul",
            country="TR",
            languages=["tr", "en"],
        )
        menu = menus.create("Menü", currency="TRY", languages=["tr", "en"])
        size, extras = write_menu(menu)
        publishing.publish(menu.id)
        sites.change(site.id, {"menu_id": menu.id, **changes})
        made = tables.add_tables(site, "1-14")
        options = menus.options_of([size.id, extras.id])
        return Bistro(
            business,
            line,
            site.id,
            menu.id,
            {item.texts["tr"]["name"]: item.id for item in menus.items(menu.id)},
            {o.texts["en"]["name"]: o.id for group in options.values() for o in group},
            {table.number: table.token for table in made},
        )


def write_menu(menu: Menu) -> tuple[OptionGroup, OptionGroup]:
    """Store the same rows as `menus.add_item` etc., with the same checks, but in two statements
    instead of sixty: hundreds of tests start with this menu."""
    place = {"tenant_id": menu.tenant_id, "menu_id": menu.id}
    food, drinks = (
        MenuCategory(
            **place,
            position=position,
            **{"available": {}, **menu_validation.check_category(menu, {"texts": texts})},
        )
        for position, texts in enumerate(
            [_texts("Yiyecekler", "Food"), _texts("İçecekler", "Drinks")]
        )
    )
    choices = (
        (
            {"texts": _texts("Boy", "Size"), "least": 1, "most": 1},
            [
                {"texts": _texts("Küçük", "Small")},
                {"texts": _texts("Büyük", "Large"), "price": "40"},
            ],
        ),
        (
            {"texts": _texts("Ekstralar", "Extras"), "most": 3, "free": 1},
            [
                {"texts": _texts("Peynir", "Cheese"), "price": "30"},
                {"texts": _texts("Sos", "Sauce"), "price": "10"},
                {"texts": _texts("Soğansız", "No onions"), "removal": True},
            ],
        ),
    )
    size, extras = (
        OptionGroup(
            **place, position=position, **menu_validation.check_group(menu, values, len(options))
        )
        for position, (values, options) in enumerate(choices)
    )
    db.session.add_all([food, drinks, size, extras])
    db.session.flush()
    for group, (_, options) in zip((size, extras), choices, strict=True):
        for position, values in enumerate(options):
            clean = {**menu_validation.check_option(menu, values), "position": position}
            db.session.add(Option(tenant_id=menu.tenant_id, group_id=group.id, **clean))
    for position, category, tr, en, price, more in (
        (0, food, "Hamburger", "Hamburger", "360", {"groups": [extras.id]}),
        (1, food, "Menemen", "Menemen", "250", {"tax_percent": "10"}),
        (2, food, "Pizza", "Pizza", "300.50", {"groups": [size.id, extras.id]}),
        (0, drinks, "Ayran", "Ayran", "45", {"stations": ["bar"], "tax_percent": "10"}),
    ):
        values = {"category_id": category.id, "texts": _texts(tr, en), "price": price, **more}
        known = {food.id, drinks.id}, {size.id, extras.id}
        clean = menu_validation.check_item(menu, values, *known, whole=True)
        empty = {"available": {}, "groups": [], "allergens": [], "diets": []}
        db.session.add(MenuItem(**place, position=position, **{**empty, **clean}))
    menus.touch(menu.id)
    db.session.flush()
    return size, extras


def answers(bistro: Bistro, phone: str = GUEST) -> list[str]:
    """Texts sent to this number, oldest first."""
    with bistro.scope():
        query = select(Message.text).where(
            Message.tenant_id == bistro.business.tenant_id,
            Message.direction == "out",
            Message.phone == phone,
        )
        return list(db.session.scalars(query.order_by(Message.id)))


def _texts(tr: str, en: str) -> dict[str, dict[str, str]]:
    return {"tr": {"name": tr}, "en": {"name": en}}


def lira(text: str) -> Decimal:
    return Decimal(text)
