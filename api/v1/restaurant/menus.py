"""Menus: the draft with its categories, items and option groups, and publishing it."""

from typing import Any

from flask import Response, g
from flask_openapi3.models.tag import Tag

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.v1 import v1
from api.v1.schemas.restaurant.menus import (
    CategoryIn,
    CategoryPath,
    CategoryShape,
    GroupIn,
    GroupPath,
    GroupShape,
    HappyHours,
    HappyHoursShape,
    ItemIn,
    ItemPath,
    ItemShape,
    MenuPage,
    MenuPath,
    MenuShape,
    NewMenu,
    WholeMenu,
)
from core.clock import rfc3339
from core.db import tenant_scope
from core.errors import NotFound
from restaurant.menus import happy_hours, menus, publishing
from restaurant.models import Menu, MenuCategory, MenuItem, OptionGroup
from restaurant.sites import sites

TAG = Tag(name="Menus")


@v1.get("/menus", tags=[TAG], summary="List menus", responses={200: MenuPage})
@key_may("menus", test_keys=True)
def list_menus() -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        return {"data": [menu_json(menu) for menu in menus.listed()], "next": None}


@v1.post("/menus", tags=[TAG], summary="Begin a menu", responses={201: MenuShape})
@key_may("menus")
@idempotent
def create_menu(body: NewMenu) -> JsonAnswer:
    currency, languages = sites.check_currency_and_languages(body.currency, body.languages)
    menu = menus.create(body.name, currency=currency, languages=languages)
    return menu_json(menu), 201


@v1.get(
    "/menus/<menu_id>", tags=[TAG], summary="Get the draft of a menu", responses={200: WholeMenu}
)
@key_may("menus", test_keys=True)
def read_menu(path: MenuPath) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        menu = menus.get(path.menu_id)
        groups = menus.groups(menu.id)
        options = menus.options_of([group.id for group in groups])
        return {
            **menu_json(menu),
            "categories": [category_json(one) for one in menus.categories(menu.id)],
            "items": [item_json(one) for one in menus.items(menu.id)],
            "groups": [group_json(one, options[one.id]) for one in groups],
            "happy_hours": list(menu.happy_hours),
        }


@v1.post(
    "/menus/<menu_id>/publish",
    tags=[TAG],
    summary="Publish the draft",
    responses={200: MenuShape},
)
@key_may("menus")
@idempotent
def publish_menu(path: MenuPath) -> JsonAnswer:
    publishing.publish(path.menu_id)
    return menu_json(menus.get(path.menu_id))


@v1.post(
    "/menus/<menu_id>/categories",
    tags=[TAG],
    summary="Add category",
    responses={201: CategoryShape},
)
@key_may("menus")
@idempotent
def add_category(path: MenuPath, body: CategoryIn) -> JsonAnswer:
    category = menus.add_category(menus.get(path.menu_id), body.model_dump())
    return category_json(category), 201


@v1.patch(
    "/menus/<menu_id>/categories/<category_id>",
    tags=[TAG],
    summary="Update a category",
    responses={200: CategoryShape},
)
@key_may("menus")
def change_category(path: CategoryPath, body: CategoryIn) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        _of_menu(path.menu_id, path.category_id, menus.category_ids(path.menu_id))
        values = body.model_dump(exclude_unset=True)
        return category_json(menus.change_category(path.category_id, values))


@v1.delete(
    "/menus/<menu_id>/categories/<category_id>",
    tags=[TAG],
    summary="Delete an empty category",
    responses={204: None},
)
@key_may("menus")
def remove_category(path: CategoryPath) -> Response:
    with tenant_scope(g.tenant_id):
        _of_menu(path.menu_id, path.category_id, menus.category_ids(path.menu_id))
        menus.remove_category(path.category_id)
    return Response(status=204)


@v1.post("/menus/<menu_id>/items", tags=[TAG], summary="Add item", responses={201: ItemShape})
@key_may("menus")
@idempotent
def add_item(path: MenuPath, body: ItemIn) -> JsonAnswer:
    values = body.model_dump(exclude_none=True)
    return item_json(menus.add_item(menus.get(path.menu_id), values)), 201


@v1.patch(
    "/menus/<menu_id>/items/<item_id>",
    tags=[TAG],
    summary="Update an item",
    responses={200: ItemShape},
)
@key_may("menus")
def change_item(path: ItemPath, body: ItemIn) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        _own_item(path)
        return item_json(menus.change_item(path.item_id, body.model_dump(exclude_none=True)))


@v1.delete(
    "/menus/<menu_id>/items/<item_id>",
    tags=[TAG],
    summary="Delete an item",
    responses={204: None},
)
@key_may("menus")
def remove_item(path: ItemPath) -> Response:
    with tenant_scope(g.tenant_id):
        _own_item(path)
        menus.remove_item(path.item_id)
    return Response(status=204)


@v1.post(
    "/menus/<menu_id>/groups",
    tags=[TAG],
    summary="Add an option group",
    responses={201: GroupShape},
)
@key_may("menus")
@idempotent
def add_group(path: MenuPath, body: GroupIn) -> JsonAnswer:
    values = body.model_dump()
    group = menus.add_group(menus.get(path.menu_id), values, values["options"])
    return group_json(group, menus.options_of([group.id])[group.id]), 201


@v1.put(
    "/menus/<menu_id>/groups/<group_id>",
    tags=[TAG],
    summary="Update an option group and replace its options",
    responses={200: GroupShape},
)
@key_may("menus")
def change_group(path: GroupPath, body: GroupIn) -> dict[str, Any]:
    with tenant_scope(g.tenant_id):
        _of_menu(path.menu_id, path.group_id, menus.group_ids(path.menu_id))
        values = body.model_dump()
        group = menus.change_group(path.group_id, values, values.pop("options"))
        return group_json(group, menus.options_of([group.id])[group.id])


@v1.delete(
    "/menus/<menu_id>/groups/<group_id>",
    tags=[TAG],
    summary="Delete an option group",
    responses={204: None},
)
@key_may("menus")
def remove_group(path: GroupPath) -> Response:
    with tenant_scope(g.tenant_id):
        _of_menu(path.menu_id, path.group_id, menus.group_ids(path.menu_id))
        menus.remove_group(path.group_id)
    return Response(status=204)


@v1.put(
    "/menus/<menu_id>/happy-hours",
    tags=[TAG],
    summary="Replace the happy hours of a menu",
    responses={200: HappyHoursShape},
)
@key_may("menus")
def change_happy_hours(path: MenuPath, body: HappyHours) -> dict[str, Any]:
    """They apply once the menu is published."""
    with tenant_scope(g.tenant_id):
        rules = [one.model_dump() for one in body.data]
        return {"data": happy_hours.replace_all(menus.get(path.menu_id), rules), "next": None}


def menu_json(menu: Menu) -> dict[str, Any]:
    return {
        "id": menu.id,
        "name": menu.name,
        "currency": menu.currency,
        "languages": list(menu.languages),
        "version": menu.version,
        "published_at": rfc3339(menu.published_at) if menu.published_at else None,
        "has_changes": publishing.has_changes(menu),
    }


def category_json(category: MenuCategory) -> dict[str, Any]:
    names = ("id", "texts", "available", "hidden", "course", "position")
    return {name: getattr(category, name) for name in names}


def item_json(item: MenuItem) -> dict[str, Any]:
    names = ("id", "category_id", "code", "texts", "photo", "available", "hidden", "position",
             "prices")  # fmt: skip
    lists = ("stations", "allergens", "diets", "synonyms", "groups")
    return {
        **{name: getattr(item, name) for name in names},
        **{name: list(getattr(item, name)) for name in lists},
        "price": format(item.price.normalize(), "f"),
        "tax_percent": format(item.tax_percent.normalize(), "f"),
    }


def group_json(group: OptionGroup, options: list[Any]) -> dict[str, Any]:
    return {
        "id": group.id,
        "texts": group.texts,
        "least": group.least,
        "most": group.most,
        "free": group.free,
        "options": [
            {
                "id": option.id,
                "texts": option.texts,
                "price": format(option.price.normalize(), "f"),
                "preset": option.preset,
                "removal": option.removal,
                "item_id": option.item_id,
            }
            for option in options
        ],
    }


def _of_menu(menu_id: str, thing_id: str, known: set[str]) -> None:
    menus.get(menu_id)
    if thing_id not in known:
        raise NotFound()


def _own_item(path: ItemPath) -> None:
    if menus.item(path.item_id).menu_id != menus.get(path.menu_id).id:
        raise NotFound()
