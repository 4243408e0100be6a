"""Publishes a menu's draft. Diners see, and carts are priced by, the published version."""

from decimal import Decimal
from typing import Any

from sqlalchemy import select, update

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Invalid
from restaurant.menus.menus import categories, get, groups, items, options_of
from restaurant.models import Menu, MenuItem, MenuVersion, Option
from tenants import audit


def draft_content(menu: Menu) -> dict[str, Any]:
    """The whole menu as it would be published now."""
    shown = groups(menu.id)
    options = options_of([group.id for group in shown])
    by_category: dict[str, list[dict[str, Any]]] = {}
    listed = items(menu.id)
    dishes = {item.id: item for item in listed if not item.hidden}
    for item in listed:
        if not item.hidden:
            by_category.setdefault(item.category_id, []).append(_item_json(item))
    rules = [rule for rule in menu.happy_hours if rule["active"]]
    return {
        **({"happy_hours": rules} if rules else {}),
        "name": menu.name,
        "currency": menu.currency,
        "languages": list(menu.languages),
        "categories": [
            {
                "id": category.id,
                "texts": category.texts,
                "available": category.available,
                "course": category.course,
                "items": by_category[category.id],
            }
            for category in categories(menu.id)
            if not category.hidden and category.id in by_category
        ],
        "groups": {
            group.id: {
                "texts": group.texts,
                "least": group.least,
                "most": group.most,
                "free": group.free,
                "options": [
                    _option_json(option, dishes.get(option.item_id or ""))
                    for option in options[group.id]
                    if option.item_id is None or option.item_id in dishes
                ],
            }
            for group in shown
        },
    }


def publish(menu_id: str) -> MenuVersion:
    """Make the draft the version that diners see and that new carts are priced by."""
    menu = get(menu_id)
    content = draft_content(menu)
    if not content["categories"]:
        raise Invalid("menu_empty", "There is nothing to publish. Add an item first.")
    number: int = db.session.scalars(
        update(Menu)
        .where(Menu.tenant_id == current_tenant_id(), Menu.id == menu_id)
        .values(version=Menu.version + 1, published_at=now())
        .returning(Menu.version)
    ).one()
    version = MenuVersion(
        tenant_id=menu.tenant_id,
        menu_id=menu.id,
        number=number,
        content=content,
        by=audit.current_actor().name,
    )
    db.session.add(version)
    db.session.flush()
    audit.record("publishing.published", menu.name, menu_id=menu.id, version=number)
    return version


def published_version(menu_id: str, number: int | None = None) -> MenuVersion | None:
    """The current version, or version `number`; None if it does not exist."""
    query = select(MenuVersion).where(
        MenuVersion.tenant_id == current_tenant_id(), MenuVersion.menu_id == menu_id
    )
    if number is not None:
        query = query.where(MenuVersion.number == number)
    return db.session.scalars(query.order_by(MenuVersion.number.desc()).limit(1)).first()


def has_changes(menu: Menu) -> bool:
    return menu.published_at is None or menu.changed_at > menu.published_at


def _item_json(item: MenuItem) -> dict[str, Any]:
    return {
        "id": item.id,
        "code": item.code,
        "texts": item.texts,
        "price": _plain_number(item.price),
        "tax": _plain_number(item.tax_percent),
        "stations": list(item.stations),
        "allergens": list(item.allergens),
        "diets": list(item.diets),
        "synonyms": list(item.synonyms),
        "photo": item.photo,
        "available": item.available,
        "groups": list(item.groups),
        **({"prices": item.prices} if item.prices else {}),
    }


def _option_json(option: Option, dish: MenuItem | None) -> dict[str, Any]:
    """`dish` is what a choice of a set menu is; its name and stations are those of the dish."""
    shown: dict[str, Any] = {
        "id": option.id,
        "texts": dish.texts if dish else option.texts,
        "price": _plain_number(option.price),
        "preset": option.preset,
        "removal": option.removal,
    }
    if dish is not None:
        shown |= {"item_id": dish.id, "stations": list(dish.stations), "diets": list(dish.diets)}
        shown["allergens"] = list(dish.allergens)
    return shown


def _plain_number(amount: Decimal) -> str:
    return format(amount.normalize(), "f")
