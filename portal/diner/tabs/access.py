"""The address of a tab. It is signed: anyone who has it sees the bill and can pay it.

A guest's own address also names the guest. The address on a printed bill names none.
"""

from dataclasses import dataclass

from flask import current_app, request

from core.errors import NotFound
from core.live_updates import history_cursor
from core.rate_limits import Bucket, take_tokens
from core.security.signing import BadToken
from core.settings import Settings
from restaurant.models import Site, Tab, TabGuest
from restaurant.sites import sites
from restaurant.tabs import addresses, sessions
from restaurant.tabs import guests as tab_guests

# Every guest of a restaurant may have the same IP address.
RATE, BURST = 60.0, 600


@dataclass(frozen=True)
class Address:
    tenant_id: int
    tab_id: str
    guest_id: str


@dataclass(frozen=True)
class Visit:
    """The tab that an address is for. Merged tabs are followed."""

    site: Site
    tab: Tab
    guest: TabGuest | None
    after: str
    """The end of the live updates before anything was read, so that none is missed."""

    @property
    def may_see(self) -> bool:
        return self.guest is None or self.guest.state == tab_guests.JOINED


def settings() -> Settings:
    found: Settings = current_app.extensions["comanda"]
    return found


def sign(tab: Tab, guest: TabGuest | None = None) -> str:
    return addresses.bill_url(tab, guest.id if guest else "").rpartition("/")[2]


def read(token: str) -> Address:
    """Raises NotFound for an address that is not ours or has expired."""
    try:
        tenant_id, tab_id, guest_id = addresses.read(token)
        return Address(int(tenant_id), str(tab_id), str(guest_id))
    except (BadToken, TypeError, ValueError):
        raise NotFound() from None


def visit(address: Address) -> Visit:
    """In the tenant's scope."""
    after = history_cursor(address.tenant_id)
    guest = tab_guests.get(address.guest_id) if address.guest_id else None
    tab = sessions.get(guest.tab_id if guest else address.tab_id)
    while tab.merged_into is not None:
        tab = sessions.get(tab.merged_into)
    return Visit(sites.get_including_closed(tab.site_id), tab, guest, after)


def is_too_fast(purpose: str) -> bool:
    name = f"tab-{purpose}:{request.remote_addr}"
    return not take_tokens([Bucket(name, RATE, BURST)]).allowed
