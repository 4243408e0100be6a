"""An item of the published menu that can be ordered as it is, for test orders."""

from restaurant.menus.pricing import PricedMenu, RequestedItem


def orderable_item(menu: PricedMenu) -> RequestedItem | None:
    """The first item that is available, with the options it needs; None if there is none."""
    for category in menu.content["categories"]:
        for item in category["items"]:
            if item["id"] in menu.missing:
                continue
            options = _needed_options(menu, item["groups"])
            if options is not None:
                return RequestedItem(item["id"], 1, options, "")
    return None


def _needed_options(menu: PricedMenu, group_ids: list[str]) -> tuple[str, ...] | None:
    chosen: list[str] = []
    for group_id in group_ids:
        group = menu.content["groups"][group_id]
        available = [one["id"] for one in group["options"] if one["id"] not in menu.missing]
        if len(available) < group["least"]:
            return None
        chosen += available[: group["least"]]
    return tuple(chosen)
