"""Whether a site accepts card payments online. `restaurant.payments` answers; it is registered by
`restaurant.wiring`, because payments import orders.
"""

from typing import Protocol

from restaurant.models import Site
from restaurant.sites import sites


class ProviderCheck(Protocol):
    def __call__(self, site_id: str, *, test: bool) -> bool:
        """True if the site or the tenant has a payment account for such orders."""
        ...


_has_provider: ProviderCheck | None = None


def register(check: ProviderCheck) -> None:
    global _has_provider
    _has_provider = check


def has_provider(site: Site, *, test: bool) -> bool:
    if _has_provider is None:
        raise RuntimeError("payments not registered: call restaurant.wiring.wire_domains")
    return _has_provider(site.id, test=test)


def accepts_cards(site: Site) -> bool:
    """True if the site or the tenant has a payment provider that can take card payments."""
    line = sites.line_of(site)
    return has_provider(site, test=line is not None and line.test)
