"""The draft of a menu: categories, items, options, and their order."""

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Select, any_, bindparam, select, update
from sqlalchemy.dialects.postgresql import ARRAY

from core.clock import now
from core.db import THIS_TENANT, current_tenant_id, db
from core.errors import Invalid, NotFound
from restaurant.menus import validation as menu_validation
from restaurant.models import Menu, MenuCategory, MenuItem, Option, OptionGroup
from tenants import audit
from tenants.people import clean_name

T = TypeVar("T", MenuCategory, MenuItem, OptionGroup)

MOST_ITEMS = 2000
CATEGORY_FIELDS = ("texts", "available", "hidden")
ITEM_FIELDS = (
    "category_id", "code", "texts", "price", "tax_percent", "prices", "stations", "allergens",
    "diets", "synonyms", "photo", "available", "groups", "hidden",
)  # fmt: skip
GROUP_FIELDS = ("texts", "least", "most", "free")


def create(name: str, *, currency: str, languages: list[str]) -> Menu:
    menu = Menu(
        tenant_id=current_tenant_id(), name=clean_name(name), currency=currency, languages=languages
    )
    db.session.add(menu)
    db.session.flush()
    audit.record("menus.created", menu.name, menu_id=menu.id)
    return menu


def get(menu_id: str) -> Menu:
    menu = db.session.get(Menu, (current_tenant_id(), menu_id))
    if menu is None or menu.archived_at is not None:
        raise NotFound()
    return menu


def listed() -> list[Menu]:
    query = select(Menu).where(Menu.tenant_id == current_tenant_id(), Menu.archived_at.is_(None))
    return list(db.session.scalars(query.order_by(Menu.name, Menu.id)))


def rename(menu_id: str, name: str) -> Menu:
    menu = get(menu_id)
    menu.name = clean_name(name)
    return menu


def add_category(menu: Menu, values: Mapping[str, Any]) -> MenuCategory:
    category = MenuCategory(
        tenant_id=menu.tenant_id,
        menu_id=menu.id,
        position=len(categories(menu.id)),
        **{"available": {}, **menu_validation.check_category(menu, values)},
    )
    return _store(menu, category)


def change_category(category_id: str, values: Mapping[str, Any]) -> MenuCategory:
    category = _find(MenuCategory, category_id)
    menu = get(category.menu_id)
    _set(category, menu_validation.check_category(menu, values))
    return _store(menu, category)


def remove_category(category_id: str) -> None:
    category = _find(MenuCategory, category_id)
    if any(item.category_id == category.id for item in items(category.menu_id)):
        raise Invalid("category_not_empty", "Move or remove the items of this category first.")
    db.session.delete(category)
    touch(category.menu_id)


def add_item(menu: Menu, values: Mapping[str, Any]) -> MenuItem:
    known = items(menu.id)
    if len(known) >= MOST_ITEMS:
        raise Invalid("menu_full", "A menu can have at most {most} items.", most=MOST_ITEMS)
    clean = menu_validation.check_item(
        menu, values, category_ids(menu.id), group_ids(menu.id), whole=True
    )
    item = MenuItem(
        tenant_id=menu.tenant_id,
        menu_id=menu.id,
        position=sum(one.category_id == clean["category_id"] for one in known),
        **{
            "available": {},
            "groups": [],
            "allergens": [],
            "diets": [],
            "synonyms": [],
            "prices": {},
            **clean,
        },
    )
    return _store(menu, item)


def change_item(item_id: str, values: Mapping[str, Any]) -> MenuItem:
    item = _find(MenuItem, item_id)
    menu = get(item.menu_id)
    clean = menu_validation.check_item(
        menu, values, category_ids(menu.id), group_ids(menu.id), whole=False
    )
    _set(item, clean)
    return _store(menu, item)


def remove_item(item_id: str) -> None:
    """Orders are not affected: they keep their own copy of the name and price."""
    item = _find(MenuItem, item_id)
    db.session.delete(item)
    touch(item.menu_id)


def item(item_id: str) -> MenuItem:
    return _find(MenuItem, item_id)


def category(category_id: str) -> MenuCategory:
    return _find(MenuCategory, category_id)


def group(group_id: str) -> OptionGroup:
    return _find(OptionGroup, group_id)


def add_group(menu: Menu, values: Mapping[str, Any], options: Sequence[Mapping[str, Any]]) -> Any:
    group = OptionGroup(
        tenant_id=menu.tenant_id,
        menu_id=menu.id,
        position=len(groups(menu.id)),
        **menu_validation.check_group(menu, values, len(options)),
    )
    _store(menu, group)
    _put_options(menu, group, options)
    return group


def change_group(
    group_id: str, values: Mapping[str, Any], options: Sequence[Mapping[str, Any]] | None = None
) -> OptionGroup:
    group = _find(OptionGroup, group_id)
    menu = get(group.menu_id)
    count = len(options) if options is not None else len(options_of([group.id])[group.id])
    whole = {name: getattr(group, name) for name in GROUP_FIELDS} | dict(values)
    _set(group, menu_validation.check_group(menu, whole, count))
    if options is not None:
        _put_options(menu, group, options)
    return _store(menu, group)


def set_items_of_group(group: OptionGroup, item_ids: Collection[str]) -> None:
    """Attach the option group to exactly these items of the menu."""
    for item in items(group.menu_id):
        if (item.id in item_ids) != (group.id in item.groups):
            others = [one for one in item.groups if one != group.id]
            item.groups = [*others, group.id] if item.id in item_ids else others
    touch(group.menu_id)


def remove_group(group_id: str) -> None:
    group = _find(OptionGroup, group_id)
    for item in items(group.menu_id):
        if group.id in item.groups:
            item.groups = [one for one in item.groups if one != group.id]
    db.session.delete(group)
    touch(group.menu_id)


def reorder(menu: Menu, kind: str, ids: Sequence[str]) -> None:
    """Put the given ids first, in this order; the others follow in their current order."""
    rows: list[MenuCategory | MenuItem | OptionGroup] = []
    if kind == "items":
        rows += items(menu.id)
    elif kind == "categories":
        rows += categories(menu.id)
    else:
        rows += groups(menu.id)
    positions = {one: place for place, one in enumerate(ids)}
    ordered = sorted(rows, key=lambda row: (positions.get(row.id, len(positions)), row.position))
    for position, row in enumerate(ordered):
        row.position = position
    touch(menu.id)


def categories(menu_id: str) -> list[MenuCategory]:
    return _of_menu(MenuCategory, menu_id)


def items(menu_id: str) -> list[MenuItem]:
    return _of_menu(MenuItem, menu_id)


def groups(menu_id: str) -> list[OptionGroup]:
    return _of_menu(OptionGroup, menu_id)


def category_ids(menu_id: str) -> set[str]:
    return {category.id for category in categories(menu_id)}


def group_ids(menu_id: str) -> set[str]:
    return {group.id for group in groups(menu_id)}


OPTIONS = (
    select(Option)
    .where(
        Option.tenant_id == THIS_TENANT,
        Option.group_id == any_(bindparam("group_ids", type_=ARRAY(Option.group_id.type))),
    )
    .order_by(Option.position)
    .execution_options(plan_once=True)
)


def options_of(group_ids: Sequence[str]) -> dict[str, list[Option]]:
    found: dict[str, list[Option]] = {group_id: [] for group_id in group_ids}
    if group_ids:
        for option in db.session.scalars(OPTIONS, {"group_ids": list(group_ids)}):
            found[option.group_id].append(option)
    return found


def _put_options(menu: Menu, group: OptionGroup, options: Sequence[Mapping[str, Any]]) -> None:
    """Replace the options: update known ids, create the others, delete those not in the list."""
    known = {option.id: option for option in options_of([group.id])[group.id]}
    dishes = {item.id: item for item in items(menu.id)} if _has_dishes(options) else {}
    for position, values in enumerate(options):
        clean = menu_validation.check_option(menu, values, dishes)
        option = known.pop(str(values.get("id") or ""), None)
        if option is None:
            option = Option(tenant_id=menu.tenant_id, group_id=group.id, **clean)
            db.session.add(option)
        _set(option, {**clean, "position": position})
    for option in known.values():
        db.session.delete(option)
    db.session.flush()


def _has_dishes(options: Sequence[Mapping[str, Any]]) -> bool:
    return any(one.get("item_id") for one in options)


def _of_menu(model: type[T], menu_id: str) -> list[T]:
    return list(db.session.scalars(_parts_of_menu(model), {"menu_id": menu_id}))


@cache
def _parts_of_menu(model: type[T]) -> Select[T]:
    return (
        select(model)
        .where(model.tenant_id == THIS_TENANT, model.menu_id == bindparam("menu_id"))
        .order_by(model.position, model.id)
        .execution_options(plan_once=True)
    )


def _find(model: type[T], row_id: str) -> T:
    row = db.session.get(model, (current_tenant_id(), row_id))
    if row is None:
        raise NotFound()
    return row


def _set(row: Any, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def _store(menu: Menu, row: T) -> T:
    db.session.add(row)
    touch(menu.id)
    db.session.flush()
    return row


def touch(menu_id: str) -> None:
    db.session.execute(
        update(Menu)
        .where(Menu.tenant_id == current_tenant_id(), Menu.id == menu_id)
        .values(changed_at=now())
    )
