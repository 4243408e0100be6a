"""Converts priced items to the rows of an order, and back."""

from collections.abc import Sequence
from decimal import Decimal

from core.db import db
from restaurant.menus.pricing import ChosenOption, PricedItem
from restaurant.models import Order, OrderItem
from restaurant.sites import stations


def to_priced_item(line: OrderItem) -> PricedItem:
    """The row without its voided pieces, for calculating totals."""
    return PricedItem(
        item_id=line.item_id or "",
        name=line.name,
        said=line.said,
        quantity=line.quantity - line.voided,
        unit_price=line.unit_price,
        tax_percent=line.tax_percent,
        stations=tuple(line.stations),
        options=tuple(
            ChosenOption("", one["name"], one["said"], Decimal(one["price"]), one["removal"])
            for one in line.options
        ),
        note=line.note,
    )


def add_items(order: Order, lines: Sequence[PricedItem], first: int) -> None:
    known = {station.code for station in stations.listed(order.site_id)}
    rows = item_rows(order, lines, first)
    for row in rows:
        row.stations = stations.known_or_kitchen(known, row.stations)
    db.session.add_all(rows)
    db.session.flush()


def item_rows(order: Order, lines: Sequence[PricedItem], first: int = 0) -> list[OrderItem]:
    return [
        OrderItem(
            tenant_id=order.tenant_id,
            order_id=order.id,
            position=position,
            batch=order.batch or 1,
            item_id=line.item_id or None,
            name=line.name,
            said=line.said,
            quantity=line.quantity,
            unit_price=line.unit_price,
            tax_percent=line.tax_percent,
            options=[
                {
                    "name": one.name,
                    "said": one.said,
                    "price": str(one.price),
                    "removal": one.removal,
                }
                for one in line.options
            ],
            note=line.note,
            stations=list(line.stations),
            voided=0,
        )
        for position, line in enumerate(lines, first + 1)
    ]
