"""Port for the addresses of the tenant's menus; the restaurant package registers a source."""

from typing import Protocol


class MenuAddresses(Protocol):
    def base_url(self, site_id: str) -> str:
        """The address of the tenant's own host, such as `https://menu.example.com`, or empty.

        `site_id` may be empty.
        """
        ...

    def is_menu(self, url: str) -> bool:
        """Whether the address opens a menu of this tenant."""
        ...


_source: MenuAddresses | None = None


def register_source(source: MenuAddresses | None) -> None:
    global _source
    _source = source


def own_base_url(site_id: str) -> str:
    return _source.base_url(site_id) if _source is not None else ""


def is_menu(url: str) -> bool:
    return _source is not None and _source.is_menu(url)
