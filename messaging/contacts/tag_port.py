"""Port for what begins when a contact gets a tag. Journeys register a function."""

from collections.abc import Callable, Iterable

OnTags = Callable[[str, Iterable[str]], object]
_on_tags: OnTags | None = None


def register(on_tags: OnTags | None) -> None:
    """`on_tags` gets the contact and the tags that are new. It runs in the same transaction."""
    global _on_tags
    _on_tags = on_tags


def tags_added(contact_id: str, before: Iterable[str], after: Iterable[str]) -> None:
    known = set(before)
    added = [tag for tag in after if tag not in known]
    if added and _on_tags is not None:
        _on_tags(contact_id, added)
