"""Converts priced items to the rows of an order, and back."""

from collections.abc import Sequence
from decimal import Decimal

from core.db import db
from restaurant.menus import stock
from restaurant.menus.pricing import ChosenOption, PricedItem, pieces_of
from restaurant.models import Order, OrderItem
from restaurant.sites import stations


def to_priced_item(item: OrderItem) -> PricedItem:
    """The row without its voided pieces, for calculating totals."""
    return PricedItem(
        item_id=item.item_id or "",
        name=item.name,
        said=item.said,
        quantity=item.quantity - item.voided,
        unit_price=item.unit_price,
        tax_percent=item.tax_percent,
        stations=tuple(item.stations),
        options=tuple(
            ChosenOption("", one["name"], one["said"], Decimal(one["price"]), one["removal"])
            for one in item.options
        ),
        note=item.note,
        marks=tuple(item.marks or ()),
        regular_price=item.regular_price,
        offer=item.offer,
        course=item.course,
    )


def add_items(order: Order, items: Sequence[PricedItem], first: int) -> None:
    """Add lines to an order, and take their pieces from the countdown stock."""
    known = {station.code for station in stations.listed(order.site_id)}
    rows = item_rows(order, items, first)
    counted = frozenset() if order.test else stock.take(order.site_id, items)
    for row, item in zip(rows, items, strict=True):
        row.stations = stations.known_or_kitchen(known, row.stations)
        row.counted = {one: n for one, n in pieces_of(item).items() if one in counted}
    db.session.add_all(rows)
    db.session.flush()


def item_rows(order: Order, items: Sequence[PricedItem], first: int = 0) -> list[OrderItem]:
    return [
        OrderItem(
            tenant_id=order.tenant_id,
            order_id=order.id,
            position=position,
            batch=order.batch or 1,
            item_id=item.item_id or None,
            name=item.name,
            said=item.said,
            quantity=item.quantity,
            unit_price=item.unit_price,
            tax_percent=item.tax_percent,
            options=[
                {
                    "name": one.name,
                    "said": one.said,
                    "price": str(one.price),
                    "removal": one.removal,
                }
                for one in item.options
            ],
            note=item.note,
            stations=list(item.stations),
            marks=list(item.marks),
            regular_price=item.regular_price,
            offer=item.offer,
            course=item.course if order.order_type == "dine_in" else 0,
            voided=0,
        )
        for position, item in enumerate(items, first + 1)
    ]
