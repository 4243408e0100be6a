"""Guests of a tab. The table's code proves the place; the first guest lets the others in, so that
a photographed code cannot join a seated party."""

from sqlalchemy import func, select

from core.db import current_tenant_id, db
from core.errors import Conflict, Invalid, NotFound
from core.security.signing import constant_time_equal
from core.values.text import one_line
from restaurant.models import Site, Tab, TabGuest, Table
from restaurant.tabs import events as tab_events
from restaurant.tabs import sessions

MOST_GUESTS = 40
MOST_WRONG_CODES = 5
LONGEST_NAME = 40
JOINED, WAITING, REFUSED = "joined", "waiting", "refused"


def get(guest_id: str) -> TabGuest:
    """The current row."""
    found = db.session.get(TabGuest, (current_tenant_id(), guest_id), populate_existing=True)
    if found is None:
        raise NotFound()
    return found


def seat(site: Site, table: Table, *, test: bool, name: str, unnamed: str) -> TabGuest:
    """A guest scanned the table's code: joins as the first one, or asks the others.

    `unnamed` is the name of a guest who entered none, with `{number}`.
    """
    tab = sessions.open_at(site, table.id, table.number, test=test)
    first = not any(one.state == JOINED for one in of_tab(tab.id))
    return _add(tab, name, unnamed, JOINED if first else WAITING)


def _add(tab: Tab, name: str, unnamed: str, state: str) -> TabGuest:
    number = _count(tab) + 1
    if number > MOST_GUESTS:
        raise Conflict("too_many_guests", "Too many phones have joined this table.")
    guest = TabGuest(
        tenant_id=current_tenant_id(),
        tab_id=tab.id,
        name=one_line(name, LONGEST_NAME) or unnamed.format(number=number),
        state=state,
    )
    db.session.add(guest)
    db.session.flush()
    tab_events.touch(tab)
    return guest


def of_tab(tab_id: str) -> list[TabGuest]:
    query = select(TabGuest).where(
        TabGuest.tenant_id == current_tenant_id(), TabGuest.tab_id == tab_id
    )
    return list(
        db.session.scalars(query.order_by(TabGuest.id).execution_options(populate_existing=True))
    )


def rename(guest: TabGuest, name: str) -> None:
    clean = one_line(name, LONGEST_NAME)
    if not clean:
        raise Invalid("name_missing", "Enter a name.")
    tab = sessions.lock(guest.tab_id)
    get(guest.id).name = clean
    tab_events.touch(tab)


def answer_request(host: TabGuest, guest_id: str, *, let_in: bool) -> TabGuest:
    """A joined guest lets another one in, or refuses. Idempotent."""
    tab = sessions.lock(host.tab_id)
    guest = get(guest_id)
    if guest.tab_id != tab.id or get(host.id).state != JOINED:
        raise NotFound()
    if guest.state == WAITING:
        guest.state = JOINED if let_in else REFUSED
        tab_events.touch(tab)
    return guest


def enter_code(guest: TabGuest, code: str) -> TabGuest:
    """The code that the phones of the joined guests show. A few wrong tries are allowed."""
    tab = sessions.lock(guest.tab_id)
    guest = get(guest.id)
    if guest.state == JOINED:
        return guest
    if guest.state == REFUSED or guest.failed_codes >= MOST_WRONG_CODES:
        raise Conflict("ask_the_table", "Ask someone at your table to let you in.")
    if not constant_time_equal(tab.join_code, code.strip()):
        guest.failed_codes += 1
        raise WrongCode()
    guest.state = JOINED
    tab_events.touch(tab)
    return guest


class WrongCode(Invalid):
    """The failed try is counted, so the caller commits before it answers."""

    def __init__(self) -> None:
        super().__init__("wrong_code", "This code is not right.")


def _count(tab: Tab) -> int:
    query = select(func.count()).where(
        TabGuest.tenant_id == current_tenant_id(), TabGuest.tab_id == tab.id
    )
    return db.session.scalar(query) or 0
