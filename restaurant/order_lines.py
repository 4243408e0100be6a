"""The items of an order as rows, and rows as priced lines."""

from collections.abc import Sequence
from decimal import Decimal

from core.db import db
from restaurant import stations
from restaurant.models import Order, OrderLine
from restaurant.pricing import Chosen, Line


def as_priced(line: OrderLine) -> Line:
    """What is left of it, ready to be added up."""
    return Line(
        item_id=line.item_id or "",
        name=line.name,
        said=line.said,
        quantity=line.quantity - line.voided,
        unit_price=line.unit_price,
        tax_percent=line.tax_percent,
        stations=tuple(line.stations),
        options=tuple(
            Chosen("", one["name"], one["said"], Decimal(one["price"]), one["removal"])
            for one in line.options
        ),
        note=line.note,
    )


def add_lines(order: Order, lines: Sequence[Line], first: int) -> None:
    known = {station.code for station in stations.listed(order.site_id)}
    rows = line_rows(order, lines, first)
    for row in rows:
        row.stations = stations.known_or_kitchen(known, row.stations)
    db.session.add_all(rows)
    db.session.flush()


def line_rows(order: Order, lines: Sequence[Line], first: int = 0) -> list[OrderLine]:
    return [
        OrderLine(
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
