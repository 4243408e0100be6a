"""The addresses of a tenant's menus, for the short links of campaigns."""

from urllib.parse import urlsplit

from core.security.signed_urls import absolute_url, menu_domain
from messaging.links import menu_port
from restaurant.sites import sites


class SiteMenus:
    """Implements the port in messaging/links/menu_port.py."""

    def base_url(self, site_id: str) -> str:
        """The chosen restaurant's own host, else that of the first restaurant that has one."""
        known = sites.listed()
        chosen = [one for one in known if one.id == site_id] or known
        host = next((one.host for one in chosen if one.host), "")
        return f"https://{host}" if host else ""

    def is_menu(self, url: str) -> bool:
        parts = urlsplit(url)
        host, path = (parts.hostname or "").lower(), parts.path.rstrip("/")
        service_host = (urlsplit(absolute_url("/")).hostname or "").lower()
        domain = menu_domain()
        for site in sites.listed():
            if host == service_host and path in (f"/r/{site.slug}", f"/r/{site.slug}/menu"):
                return True
            own_hosts = {site.host, f"{site.slug}.{domain}" if domain else ""} - {""}
            if host in own_hosts and path == "/menu":
                return True
        return False


def register() -> None:
    """Called by `restaurant.wiring.wire_domains`."""
    menu_port.register_source(SiteMenus())
