"""A restaurant with a row in each of the package's tables."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import select

from core.clock import now
from core.db import db
from core.ids import new_id
from restaurant.couriers import couriers
from restaurant.couriers import dispatch as courier_dispatch
from restaurant.delivery import addresses, zones
from restaurant.loyalty import coupons, ledger, message_settings, programmes, rewards
from restaurant.loyalty import triggers as loyalty_triggers
from restaurant.menus import availability, happy_hours, menus, publishing, stock
from restaurant.menus.pricing import PricedItem, RequestedItem
from restaurant.models import (
    DishTimes,
    Order,
    OrderFeedback,
    OrderItem,
    PaymentSession,
    Site,
    Tab,
    TabCartItem,
    TabGuest,
    TabItem,
    TabShare,
    TabShareItem,
    TillPayment,
)
from restaurant.orders import carts, waiter_calls
from restaurant.orders import lifecycle as order_lifecycle
from restaurant.orders import queries as order_queries
from restaurant.orders.kitchen import display as kitchen_display
from restaurant.orders.pace import capacity
from restaurant.payments import accounts as payment_accounts
from restaurant.payments import cashier, link_queries, payments, provider_events, refunds
from restaurant.payments import links as payment_links
from restaurant.payments.gateways.base import AccountCheck, GatewayEvent, LinkStatus
from restaurant.sites import sites, tables
from tests.factories import Business


def seed_restaurant(business: Business, name: str) -> Site:
    """A site with a table, a menu, a cart that became an order, and a waiter call."""
    with business.scope():
        site = sites.open_site(
            f"{name} bistro",
            slug=f"site-{business.tenant_id}",
            prefix="ORD",
            currency="TRY",
            time_zone="Europe/Istanbul",
            country="TR",
            languages=["tr"],
        )
        tables.add_area(site, f"{name} garden")
        (table,) = tables.add_tables(site, "12")
        menu = menus.create(f"{name} menu", currency="TRY", languages=["tr"])
        texts = {"tr": {"name": f"{name} dish"}}
        category = menus.add_category(menu, {"texts": texts})
        group = menus.add_group(menu, {"texts": texts}, [{"texts": texts}])
        item = menus.add_item(
            menu,
            {"category_id": category.id, "texts": texts, "price": "5", "groups": [group.id]},
        )
        rule = {"texts": texts, "hours": {"0": [["17:00", "19:00"]]}, "percent": "20"}
        happy_hours.save(menu, {**rule, "categories": [category.id], "active": False})
        publishing.publish(menu.id)
        sites.change(site.id, {"menu_id": menu.id})
        wanted = carts.CartRequest(
            (RequestedItem(item.id, 1, note=f"{name} note"),),
            "dine_in",
            "pos_at_table",
            "12",
            table.token,
        )
        cart = carts.create_cart(site, wanted)
        order = order_lifecycle.create_order(
            site,
            order_lifecycle.OrderDraft(
                order_type="dine_in",
                payment_method="pos_at_table",
                items=[
                    PricedItem(item.id, f"{name} dish", "", 1, cart.total, Decimal(0), ("kitchen",))
                ],
                sums=cart.sums,
                total=cart.total,
                language="tr",
                source="staff",
                customer_name=f"{name} guest",
            ),
        )
        kitchen_display.tap(site, order, "kitchen", "preparing", 1)
        waiter_calls.create_call(site, table, table.token, "bill")
        _seed_delivery(site, name)
        availability.mark_sold_out(site, item.id, None)
        stock.set_left(site, item.id, 5)
        capacity.reserve(site, capacity.slot_of(now()), {"": 1}, {"": 5}, refuse=True)
        seed_payments(site, name)
        _seed_loyalty(site, name)
        return site


def _seed_delivery(site: Site, name: str) -> None:
    """A zone, a courier, and an order assigned to the courier."""
    sites.change(site.id, {"latitude": Decimal(41), "longitude": Decimal(29)})
    zone = zones.add(site, zones.ZoneSettings(f"{name} zone", "radius", "10", "0", 2000))
    courier = couriers.add(site, f"{name} courier", "905321117001")
    order = order_lifecycle.create_order(
        site,
        order_lifecycle.OrderDraft(
            order_type="delivery",
            payment_method="cash",
            items=[PricedItem("", f"{name} dish", "", 1, Decimal(5), Decimal(0), ("kitchen",))],
            sums={"subtotal": "5", "delivery_fee": "10", "total": "15"},
            total=Decimal(15),
            language="tr",
            source="staff",
            customer_name=f"{name} guest",
            address=addresses.address_with_location({"text": f"{name} street"}, None, zone),
        ),
    )
    cashier.record_payment(site, order, "cash", "1")
    courier_dispatch.assign(site, order, courier)


def _seed_loyalty(site: Site, name: str) -> None:
    """A programme with a reward, a guest with a balance and a coupon, a scheduled message."""
    wanted = programmes.ProgrammeSettings("points", True, "10", keywords=(f"{name} points",))
    programmes.save_programme(site, wanted)
    reward = rewards.add(rewards.RewardSettings(f"{name} reward", "percent", "10", cost=5))
    guest = new_id("con")
    ledger.correct_balance(site, guest, 20, f"{name} reason")
    ledger.exchange_points(site, guest, reward)
    said = message_settings.MessageSettings(active=True, texts={"tr": f"{name} text"})
    message_settings.save_message(site, "welcome", said)
    loyalty_triggers.schedule_message(site.id, guest, "welcome", 0, now() + timedelta(days=30))


def seed_payments(site: Site, name: str) -> None:
    """A provider account, a link paid twice, a partial refund, and a provider event."""
    account = payment_accounts.add(
        payment_accounts.AccountSettings(provider="simulated", name=f"{name} till")
    )
    payment_accounts.record_check(account.id, AccountCheck("acct_paper", "Paper", live=False), "")
    link = payment_links.create_standalone(
        site, "25", f"{name} deposit", source="staff", name=f"{name} payer"
    )
    db.session.add(
        PaymentSession(
            tenant_id=site.tenant_id,
            account_id=account.id,
            ref="bill_planted",
            link_id=link.id,
            attempt=1,
            url="https://paper.example/bill",
            expires_at=link.expires_at,
        )
    )
    link.state, link.url, link.due_at = "open", "https://paper.example/bill", None
    for ref in ("pm_one", "pm_two"):
        found = LinkStatus(
            "paid", link.reference, ref, Decimal(25), "TRY", owner="acct_paper", paid_at=now()
        )
        told = GatewayEvent(f"evt_{ref}", "paid", "payment.succeeded", "bill_planted", ref)
        signal = provider_events.store_event(account, told, signed=True, hook_id=None)
        provider_events.settle_event(signal, account, found)
    refunds.request_refund(payments.listed("accepted", None, 1)[0], "5", f"{name} reason")
    _seed_tab(site, name, link.id)
    _seed_kitchen(site)


def ids_of(business: Business, site: Site) -> dict[str, str]:
    """The ids of a seeded restaurant by the names that routes use."""
    with business.scope():
        menu_id = site.menu_id
        return {
            "site_id": site.id,
            "rule_id": menus.get(menu_id).happy_hours[0]["id"],
            "order_type": "takeaway",
            "slug": site.slug,
            "menu_id": menu_id,
            "table_id": tables.listed(site.id)[0].id,
            "area_id": tables.areas(site.id)[0].id,
            "category_id": menus.categories(menu_id)[0].id,
            "item_id": menus.items(menu_id)[0].id,
            "group_id": menus.groups(menu_id)[0].id,
            "zone_id": zones.listed(site.id)[0].id,
            "courier_id": couriers.listed(site.id)[0].id,
            "account_id": payment_accounts.listed()[0].id,
            "link_id": link_queries.listed(link_queries.LinkFilters(), None, 1)[0].id,
            "payment_id": payments.listed("review", None, 1)[0].id,
            "till_payment_id": _first(TillPayment, site).id,
            "tab_id": _first(Tab, site).id,
            "signal_id": provider_events.listed(None, 1)[0].id,
            "reward_id": rewards.listed()[0].id,
            "coupon_id": coupons.listed(coupons.CouponFilters(), None, 1)[0].id,
            "cause": "welcome",
            "order_id": order_queries.listed(order_queries.OrderFilters(site_id=site.id), None, 1)[
                0
            ].number,
        }


def _seed_tab(site: Site, name: str, link_id: str) -> None:
    """A tab with a guest, a cart, a dish of that guest and a share that was released."""
    mine = {"tenant_id": site.tenant_id}
    query = select(OrderItem).where(OrderItem.tenant_id == site.tenant_id)
    item = db.session.scalars(query.limit(1)).one()
    tab = Tab(**mine, id=new_id("tab"), site_id=site.id, table_id=new_id("tbl"), table_number="1",
              state="merged", join_code="1234", ended_at=now())  # fmt: skip
    guest = TabGuest(**mine, id=new_id("tgs"), tab_id=tab.id, name=f"{name} guest", state="joined")
    share = TabShare(**mine, id=new_id("tsh"), tab_id=tab.id, guest_id=guest.id, kind="amount",
                     guest=guest.name, amount=Decimal(25), link_id=link_id)  # fmt: skip
    line = {**mine, "order_id": item.order_id, "position": item.position}
    db.session.add_all([tab])
    db.session.flush()
    db.session.add_all([guest, share])
    db.session.flush()
    db.session.add_all(
        [
            TabCartItem(**mine, tab_id=tab.id, guest_id=guest.id, position=1, quantity=1,
                        item_id=new_id("itm"), note=f"{name} note"),
            TabItem(**line, guest_id=guest.id, guest=guest.name),
            TabShareItem(**line, share_id=share.id, quantity=1, amount=Decimal(5)),
        ]
    )  # fmt: skip
    db.session.flush()


def _seed_kitchen(site: Site) -> None:
    """A learned time, and an answer after the meal."""
    query = select(Order.id).where(Order.tenant_id == site.tenant_id).order_by(Order.id.desc())
    db.session.add_all(
        [
            DishTimes(tenant_id=site.tenant_id, site_id=site.id, dish="", station="kitchen",
                      weights=[1.0]),
            OrderFeedback(tenant_id=site.tenant_id, order_id=db.session.scalars(query).first(),
                          site_id=site.id, due_at=now(), asked_at=now(), answer="good"),
        ]
    )  # fmt: skip
    db.session.flush()


def _first(table: type[Any], site: Site) -> Any:
    return db.session.scalars(select(table).where(table.tenant_id == site.tenant_id)).first()
