"""First steps: the setup tasks of a new tenant, ticked off from its data."""

from dataclasses import dataclass

from flask import url_for
from flask_babel import gettext

from core.clock import now
from core.errors import invalid
from messaging.automations import connections as store_connections
from messaging.automations import definitions as automation_definitions
from messaging.lines import repository as line_repository
from messaging.messages import queries as message_queries
from messaging.models import Message
from portal.web.auth import may
from printing import agents, printers
from printing import queries as tickets
from restaurant.menus import menus
from restaurant.sites import sites
from tenants import accounts, api_keys, team
from tenants.models import Account, Person
from webhooks import endpoints

AIMS = ("messages", "restaurant", "shop")
ARRIVED = frozenset({"sent", "delivered", "read"})
REFERENCE = "first-message"


@dataclass(frozen=True)
class Step:
    name: str
    done: bool
    title: str
    text: str
    url: str
    action: str


def is_shown(account: Account) -> bool:
    """True until a member hides them."""
    return account.steps_hidden_at is None and may("settings.manage")


def choose_aims(aims: list[str]) -> None:
    known = [aim for aim in AIMS if aim in aims]
    if not known:
        raise invalid("aims", "no_aim", "Choose at least one option.")
    accounts.account().aims = known


def set_hidden(*, again: bool = False) -> None:
    accounts.account().steps_hidden_at = None if again else now()


def steps(account: Account, person: Person) -> list[Step]:
    """Runs in the tenant's transaction. The first step is a message to a simulated phone.

    Empty once all steps are done.
    """
    aims = account.aims
    found = [_verified(person), _message(), _number()]
    if "restaurant" in aims:
        found += _restaurant()
    if "shop" in aims:
        found += _shop()
    if not aims or "messages" in aims or "shop" in aims:
        found.append(_key())
    if "messages" in aims:
        found.append(_webhook())
    found += [_team(), _two_step(person)]
    return [] if all(step.done for step in found) else found


def own_messages(limit: int = 3) -> list[Message]:
    """Messages sent from the first-message page, newest first."""
    return message_queries.list_messages(
        message_queries.MessageFilters(reference=REFERENCE), None, limit
    )


def _step(
    name: str,
    done: bool,
    title: str,
    text: str,
    endpoint: str,
    action: str,
    right: str = "",
    anchor: str | None = None,
) -> Step:
    allowed = not right or may(right)
    url = url_for(endpoint, _anchor=anchor) if allowed else ""
    return Step(name, done, title, text, url, action)


def _verified(person: Person) -> Step:
    return Step(
        "verified",
        person.verified_at is not None,
        gettext("Confirm your e-mail address"),
        gettext("So that you can always get back into your account."),
        "",
        "",
    )


def _key() -> Step:
    return _step(
        "key",
        any(api_keys.state_of(key) == "active" for key in api_keys.list_keys()),
        gettext("Create an API key"),
        gettext("Connect a store, a plugin or your own app."),
        "integrations.new_key",
        gettext("Create key"),
        "keys.manage",
    )


def _webhook() -> Step:
    known = endpoints.list_endpoints()
    received = any(one.last_success_at for one in known)
    there = bool(known)
    return Step(
        "webhook",
        received,
        gettext("Receive an event at your webhook endpoint"),
        gettext("Send a test event. This step is completed when your server responds.")
        if there
        else gettext("Get notified in your own app as soon as something happens in Comanda."),
        url_for("webhooks.endpoint", endpoint_id=known[0].id) if there else url_for("webhooks.new"),
        gettext("Open endpoint") if there else gettext("Add endpoint"),
    )


def _restaurant() -> list[Step]:
    open_sites = sites.listed()
    written = menus.listed()
    published = {menu.id for menu in written if menu.version}
    served = any(site.menu_id in published for site in open_sites)
    paired, there = bool(agents.listed()), bool(printers.listed())
    printed = bool(tickets.listed(tickets.PrintJobFilters(state="printed"), None, 1))
    if published and not served and open_sites:
        menu_url = url_for("sites.show", site_id=open_sites[0].id)
    else:
        menu_url = (
            url_for("menus.show", menu_id=written[0].id) if written else url_for("menus.index")
        )
    return [
        _step(
            "site",
            bool(open_sites),
            gettext("Add your restaurant"),
            gettext("Enter its name, hours and currency. Then add tables and print their codes."),
            "sites.new",
            gettext("Add restaurant"),
            "restaurant.manage",
        ),
        Step(
            "menu",
            served,
            gettext("Publish a menu"),
            gettext("Your menu is published. Now choose it for the restaurant.")
            if published and not served
            else gettext(
                "Enter the menu or import it from a file. Guests see it after you publish it."
            ),
            menu_url,
            gettext("Open restaurant") if published and not served else gettext("Set up menu"),
        ),
        _step(
            "agent",
            paired or there,
            gettext("Connect a print agent"),
            gettext(
                "Run one command on a computer at the restaurant. You can try "
                "it without a real printer."
            ),
            "printers.index",
            gettext("Connect a computer"),
            "printing.manage",
        ),
        _step(
            "ticket",
            printed,
            gettext("Print your first ticket"),
            gettext("Add a printer and print a test ticket, or take an order."),
            "printers.index" if there else "printers.new",
            gettext("Go to printers") if there else gettext("Add printer"),
            "printing.manage",
        ),
    ]


def _shop() -> list[Step]:
    return [
        _step(
            "store",
            bool(store_connections.list_connections()),
            gettext("Connect your store or form"),
            gettext("Comanda then receives every order and form submission."),
            "stores.index",
            gettext("Connect"),
            "stores.manage",
        ),
        _step(
            "automation",
            any(one.enabled for one in automation_definitions.list_automations()),
            gettext("Turn on an automation"),
            gettext("Confirm orders and remind customers of abandoned carts automatically."),
            "automations.index",
            gettext("Choose one"),
            "stores.manage",
        ),
    ]


def _team() -> Step:
    return _step(
        "team",
        len(team.members()) > 1 or bool(team.invitations()),
        gettext("Invite your team"),
        gettext("Each member signs in with their own account and permissions."),
        "team.index",
        gettext("Invite member"),
        "team.manage",
        anchor="invite",
    )


def _two_step(person: Person) -> Step:
    return _step(
        "two_step",
        person.two_step_since is not None,
        gettext("Turn on two-step verification"),
        gettext("A password alone can be stolen or guessed."),
        "account.two_step",
        gettext("Turn on"),
    )


def _message() -> Step:
    return _step(
        "message",
        any(one.state in ARRIVED for one in own_messages()) or _has_sent(),
        gettext("Send a message to a simulated phone"),
        gettext("No setup needed, free of charge."),
        "first.message",
        gettext("Write a message"),
        "messages.send",
    )


def _number() -> Step:
    return _step(
        "number",
        any(not line.test and line.network != "simulator" for line in line_repository.list_lines()),
        gettext("Add your own number"),
        gettext("Customers get your messages from a number they recognize."),
        "lines.new",
        gettext("Add number"),
        "lines.manage",
    )


def _has_sent() -> bool:
    """Whether a live line has sent a message, for people who skipped the first-message page."""
    live = [line.id for line in line_repository.list_lines() if not line.test]
    return any(
        one.state in ARRIVED
        for line_id in live[:5]
        for one in message_queries.list_messages(
            message_queries.MessageFilters(line_id=line_id, direction="out"), None, 1
        )
    )
