"""A restaurant with a row in every table of its own."""

from decimal import Decimal

from restaurant import (
    availability,
    calls,
    carts,
    couriers,
    finding,
    menus,
    orders,
    publishing,
    sites,
    tables,
    trips,
    whereabouts,
    zones,
)
from restaurant.models import Site
from restaurant.pricing import Line, Wish
from tests.cast import Business


def plant_restaurant(business: Business, name: str) -> Site:
    """A site with a table, a menu, a cart that became an order, and a guest who calls."""
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
        publishing.publish(menu.id)
        sites.change(site.id, {"menu_id": menu.id})
        wanted = carts.Wanted(
            (Wish(item.id, 1, note=f"{name} note"),), "dine_in", "pos_at_table", "12", table.token
        )
        cart = carts.take(site, wanted)
        orders.make(
            site,
            orders.Draft(
                order_type="dine_in",
                payment_method="pos_at_table",
                lines=[Line(item.id, f"{name} dish", "", 1, cart.total, Decimal(0), ("kitchen",))],
                sums=cart.sums,
                total=cart.total,
                language="tr",
                source="staff",
                customer_name=f"{name} guest",
            ),
        )
        calls.call(site, table, table.token, "bill")
        _plant_road(site, name)
        availability.sell_out(site, item.id, None)
        return site


def _plant_road(site: Site, name: str) -> None:
    """A zone, a courier, and an order that is with them."""
    sites.change(site.id, {"latitude": Decimal(41), "longitude": Decimal(29)})
    zone = zones.add(site, zones.Outline(f"{name} zone", "radius", "10", "0", 2000))
    courier = couriers.add(site, f"{name} courier", "905321117001")
    order = orders.make(
        site,
        orders.Draft(
            order_type="delivery",
            payment_method="cash",
            lines=[Line("", f"{name} dish", "", 1, Decimal(5), Decimal(0), ("kitchen",))],
            sums={"subtotal": "5", "delivery_fee": "10", "total": "15"},
            total=Decimal(15),
            language="tr",
            source="staff",
            customer_name=f"{name} guest",
            address=whereabouts.with_place({"text": f"{name} street"}, None, zone),
        ),
    )
    trips.assign(site, order, courier)


def ids_of(business: Business, site: Site) -> dict[str, str]:
    """What the routes name, of a planted restaurant."""
    with business.scope():
        menu_id = site.menu_id
        return {
            "site_id": site.id,
            "slug": site.slug,
            "menu_id": menu_id,
            "table_id": tables.listed(site.id)[0].id,
            "category_id": menus.categories(menu_id)[0].id,
            "item_id": menus.items(menu_id)[0].id,
            "group_id": menus.groups(menu_id)[0].id,
            "zone_id": zones.listed(site.id)[0].id,
            "courier_id": couriers.listed(site.id)[0].id,
            "order_id": finding.listed(finding.Filters(site_id=site.id), None, 1)[0].number,
        }
