"""Countdown stock: how many pieces of an item a site has left.

Only items with a number are counted. An order takes its pieces in the transaction that places it,
so that the number is never exceeded; a cancelled order returns what the kitchen has not started.
Rows are always locked in the order of their ids.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime

from sqlalchemy import ColumnElement, any_, bindparam, delete, func, select, update
from sqlalchemy.dialects.postgresql import ARRAY, insert

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db
from core.errors import invalid
from core.ids import Id
from restaurant.menus import menus
from restaurant.menus.pricing import NotEnoughLeft, NotOnMenu, PricedItem, pieces_of
from restaurant.models import ItemStock, Site
from tenants import audit

MOST = 9999

LEFT = (
    select(ItemStock.item_id, ItemStock.left_count)
    .where(ItemStock.tenant_id == THIS_TENANT, ItemStock.site_id == bindparam("site_id"))
    .execution_options(plan_once=True)
)
OF_ITEMS = (
    select(ItemStock.item_id, ItemStock.left_count)
    .where(
        ItemStock.tenant_id == THIS_TENANT,
        ItemStock.site_id == bindparam("site_id"),
        ItemStock.item_id == any_(bindparam("item_ids", type_=ARRAY(Id("itm")))),
    )
    .order_by(ItemStock.item_id)
    .with_for_update()
)


def left_counts(site_id: str) -> dict[str, int]:
    """The pieces left of every item that the site counts."""
    return {row.item_id: row.left_count for row in db.session.execute(LEFT, {"site_id": site_id})}


def set_left(site: Site, item_id: str, left: int | None) -> None:
    """Enter how many pieces are left; None: no longer count the item."""
    if left is not None and not 0 <= left <= MOST:
        raise invalid(
            "left", "out_of_range", "Enter a number from {low} to {high}.", low=0, high=MOST
        )
    if left is None:
        of_item = (ItemStock.site_id == site.id, ItemStock.item_id == item_id)
        db.session.execute(
            delete(ItemStock).where(ItemStock.tenant_id == current_tenant_id(), *of_item)
        )
    else:
        if site.menu_id is None or menus.item(item_id).menu_id != site.menu_id:
            raise invalid("item_id", "unknown_item", "This item is not on the restaurant's menu.")
        row = {"left_count": left, "by": audit.current_actor().name, "counted_at": now()}
        db.session.execute(
            insert(ItemStock)
            .values(tenant_id=current_tenant_id(), site_id=site.id, item_id=item_id, **row)
            .on_conflict_do_update(
                index_elements=[ItemStock.tenant_id, ItemStock.site_id, ItemStock.item_id],
                set_=row,
            )
        )
    audit.record("sites.stock_counted", site.name, site_id=site.id, item_id=item_id, left=left)


def take(site_id: str, items: Iterable[PricedItem]) -> frozenset[str]:
    """Take the pieces of an order. Returns the ids of the items that are counted.

    Raises NotOnMenu or NotEnoughLeft, and then takes nothing.
    """
    items = list(items)
    wanted: Counter[str] = sum((pieces_of(item) for item in items), Counter())
    counted = _lock(site_id, wanted)
    for item_id, left in counted.items():
        if left < wanted[item_id]:
            name = _name_of(items, item_id)
            if left == 0:
                raise NotOnMenu("sold_out", "{name} is sold out.", item_id, name=name)
            raise NotEnoughLeft(item_id, name, left)
    for item_id in counted:
        _take(site_id, item_id, wanted[item_id])
    return frozenset(counted)


def take_again(site_id: str, wanted: Mapping[str, int], *, all_or_nothing: bool) -> None:
    """Take pieces that were returned, for an order that continues after all.

    With `all_or_nothing`, raises NotOnMenu if too few are left; otherwise takes what there is.
    """
    counted = _lock(site_id, wanted)
    for item_id, left in counted.items():
        if all_or_nothing and left < wanted[item_id]:
            raise NotOnMenu("sold_out", "An item of this order is sold out.", item_id)
        _take(site_id, item_id, min(left, wanted[item_id]))


def put_back(site_id: str, pieces: Mapping[str, int], taken_at: datetime) -> None:
    """Return pieces that an order took at `taken_at`. A number entered since then stays."""
    for item_id in _lock(site_id, pieces):
        db.session.execute(
            update(ItemStock)
            .where(
                *_row(site_id, item_id),
                ItemStock.counted_at <= taken_at,
            )
            .values(left_count=func.least(ItemStock.left_count + pieces[item_id], MOST))
        )


def _lock(site_id: str, item_ids: Collection[str]) -> dict[str, int]:
    """The pieces left of those items that are counted."""
    ids = [one for one in item_ids if one]
    if not ids:
        return {}
    found = db.session.execute(OF_ITEMS, {"site_id": site_id, "item_ids": ids})
    return {row.item_id: row.left_count for row in found}


def _take(site_id: str, item_id: str, pieces: int) -> None:
    taken = db.session.execute(
        update(ItemStock)
        .where(*_row(site_id, item_id), ItemStock.left_count >= pieces)
        .values(left_count=ItemStock.left_count - pieces)
        .returning(ItemStock.item_id)
    )
    taken.one()


def _row(site_id: str, item_id: str) -> tuple[ColumnElement[bool], ...]:
    return (
        ItemStock.tenant_id == current_tenant_id(),
        ItemStock.site_id == site_id,
        ItemStock.item_id == item_id,
    )


def _name_of(items: Iterable[PricedItem], item_id: str) -> str:
    for item in items:
        if item.item_id == item_id:
            return item.said
        for option in item.options:
            if option.item_id == item_id:
                return option.said
    return ""
