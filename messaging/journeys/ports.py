"""Ports of journeys: the link of a line's menu, and what begins when a contact gets a tag.

`restaurant.wiring` registers both, because contacts and journeys do not import what they need here.
"""

from collections.abc import Callable, Iterable

FindLink = Callable[[int], str]
OnTags = Callable[[str, Iterable[str]], object]
_find_link: FindLink | None = None
_on_tags: OnTags | None = None


def register_menu_link(find: FindLink | None) -> None:
    """`find` gets the id of a line and returns the address of its menu, or ""."""
    global _find_link
    _find_link = find


def menu_link(line_id: int) -> str:
    return _find_link(line_id) if _find_link is not None else ""


def register_tags(on_tags: OnTags | None) -> None:
    """`on_tags` gets the contact and the tags that are new. It runs in the same transaction."""
    global _on_tags
    _on_tags = on_tags


def tags_added(contact_id: str, before: Iterable[str], after: Iterable[str]) -> None:
    known = set(before)
    added = [tag for tag in after if tag not in known]
    if added and _on_tags is not None:
        _on_tags(contact_id, added)
