"""A grill restaurant whose guests order in their own words."""

from itertools import count
from typing import Any

from sqlalchemy import select

from core.db import db
from jobs.inbound import messages as inbound_messages
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.base import InboundMessage
from messaging.models import Conversation, ConversationNote, Line, Message
from restaurant.menus import menus, publishing
from restaurant.models import Order, OrderProposal
from restaurant.orders import queries as order_queries
from restaurant.sites import sites, tables
from tests.factories import Business
from tests.line_factory import make_line

GUEST, STRANGER = "905321112233", "905329998877"
_ids = count(1)


def _texts(tr: str, en: str) -> dict[str, dict[str, str]]:
    return {"tr": {"name": tr}, "en": {"name": en}}


GROUPS: dict[str, tuple[dict[str, Any], list[tuple[str, str, dict[str, Any]]]]] = {
    "heat": ({"texts": _texts("Acı", "Heat"), "least": 1, "most": 1},
             [("Acılı", "Spicy", {"preset": True}), ("Acısız", "Mild", {})]),
    "extras": ({"texts": _texts("Ekstralar", "Extras"), "most": 4},
               [("Ekstra peynir", "Extra cheese", {"price": "30"}),
                ("Soğansız", "No onions", {"removal": True}),
                ("Maydanozsuz", "No parsley", {"removal": True})]),
    "sugar": ({"texts": _texts("Şeker", "Sugar"), "least": 1, "most": 1},
              [("Sade", "No sugar", {}), ("Orta", "Medium", {"preset": True}),
               ("Şekerli", "Sweet", {})]),
    "size": ({"texts": _texts("Boy", "Size"), "least": 1, "most": 1},
             [("Küçük", "Small", {}), ("Büyük", "Large", {"price": "40"})]),
}  # fmt: skip
DISHES: tuple[tuple[str, str, str, str, dict[str, Any]], ...] = (
    ("Yiyecekler", "Lahmacun", "Lahmacun", "120",
     {"groups": ["heat", "extras"], "allergens": ["gluten"]}),
    ("Yiyecekler", "Adana Kebap", "Adana Kebab", "340", {"groups": ["heat"]}),
    ("Yiyecekler", "Hamburger", "Hamburger", "360",
     {"groups": ["extras"], "synonyms": ["burger"], "allergens": ["gluten", "sesame"]}),
    ("Yiyecekler", "Karışık Pizza", "Mixed Pizza", "300", {"groups": ["size", "extras"]}),
    ("Çorbalar", "Mercimek Çorbası", "Lentil Soup", "90",
     {"allergens": ["celery"], "diets": ["vegan"]}),
    ("Çorbalar", "Yayla Çorbası", "Yogurt Soup", "95", {"allergens": ["milk", "eggs"]}),
    ("İçecekler", "Ayran", "Ayran", "45", {"allergens": ["milk"], "stations": ["bar"]}),
    ("İçecekler", "Çay", "Tea", "25", {"stations": ["bar"]}),
    ("İçecekler", "Türk Kahvesi", "Turkish Coffee", "70", {"groups": ["sugar"]}),
    ("İçecekler", "Kola", "Cola", "60", {"code": "40"}),
)  # fmt: skip


class Grill:
    def __init__(self, business: Business, line: Line, site_id: str, menu_id: str) -> None:
        self.business, self.line, self.site_id, self.menu_id = business, line, site_id, menu_id

    def scope(self):
        return self.business.scope()

    def writes(self, text: str, phone: str = GUEST, **more: Any) -> Message | None:
        """A message of a guest, with everything that follows. Returns the last answer."""
        message = InboundMessage(
            network_id=f"wamid.grill.{next(_ids)}.{phone}",
            sender_phone=phone,
            sender_network_id=phone,
            sender_name="Ayşe Kaya",
            at=0,
            kind=more.pop("kind", "text"),
            text=text,
            content=more.pop("content", {}),
        )
        before = len(self.answers(phone))
        with self.scope():
            tally = UsageTally()
            inbound_messages.receive_and_react(self.line, message, tally)
            tally.write()
        now = self.answers(phone)
        return now[-1] if len(now) > before else None

    def taps(self, title: str, phone: str = GUEST, answer: Message | None = None) -> Message | None:
        """A tap on a button or row of an answer, by default of the last one."""
        shown = choices(answer or self.answers(phone)[-1])
        return self.writes(
            title, phone, kind="button", content={"id": shown[title], "title": title}
        )

    def answers(self, phone: str = GUEST) -> list[Message]:
        with self.scope():
            query = select(Message).where(
                Message.tenant_id == self.business.tenant_id,
                Message.direction == "out",
                Message.phone == phone,
            )
            return list(db.session.scalars(query.order_by(Message.id)))

    def orders(self) -> list[Order]:
        with self.scope():
            query = select(Order).where(Order.tenant_id == self.business.tenant_id)
            return list(db.session.scalars(query.order_by(Order.id)))

    def items(self, order: Order) -> list[tuple[int, str, tuple[str, ...]]]:
        with self.scope():
            return [
                (one.quantity, one.name, tuple(option["name"] for option in one.options))
                for one in order_queries.items_of(order.id)
            ]

    def proposal(self) -> OrderProposal | None:
        with self.scope():
            query = select(OrderProposal).where(OrderProposal.tenant_id == self.business.tenant_id)
            return db.session.scalars(query.order_by(OrderProposal.id.desc()).limit(1)).first()

    def conversation(self) -> tuple[str, int, list[str]]:
        """The draft, the number of unread messages and the notes."""
        with self.scope():
            tenant = self.business.tenant_id
            talk = db.session.scalars(
                select(Conversation).where(Conversation.tenant_id == tenant)
            ).one()
            notes = select(ConversationNote.text).where(ConversationNote.tenant_id == tenant)
            return talk.draft, talk.unread, list(db.session.scalars(notes))


def choices(message: Message) -> dict[str, str]:
    """The ids of a message's buttons or rows, by title."""
    content = message.content.get("interactive", {})
    rows = content.get("buttons") or [
        row for section in content.get("sections", []) for row in section["rows"]
    ]
    return {one["title"]: one["id"] for one in rows}


def open_grill(business: Business, **changes: Any) -> Grill:
    line = make_line(business)
    with business.scope():
        site = sites.open_site(
            "Ocakbaşı", slug=f"ocakbasi-{business.tenant_id}", prefix="OCK", currency="TRY",
            time_zone="Europe/Istanbul", country="TR", languages=["tr", "en"],
        )  # fmt: skip
        menu = menus.create("Menü", currency="TRY", languages=["tr", "en"])
        groups = {
            name: menus.add_group(
                menu, rules, [{"texts": _texts(tr, en), **more} for tr, en, more in options]
            ).id
            for name, (rules, options) in GROUPS.items()
        }
        categories: dict[str, str] = {}
        for category, tr, en, price, more in DISHES:
            if category not in categories:
                texts = _texts(category, {"Çorbalar": "Soups", "İçecekler": "Drinks"}.get(
                    category, "Food"))  # fmt: skip
                categories[category] = menus.add_category(menu, {"texts": texts}).id
            own = [groups[one] for one in more.get("groups", [])]
            values = {"category_id": categories[category], "texts": _texts(tr, en), "price": price}
            menus.add_item(menu, {**values, **more, "groups": own})
        publishing.publish(menu.id)
        sites.change(site.id, {"menu_id": menu.id, "orders_in_words": True, **changes})
        tables.add_tables(site, "1-14")
        return Grill(business, line, site.id, menu.id)
