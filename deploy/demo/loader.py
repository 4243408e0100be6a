"""Two realistic tenants, so that no page is empty at first. Development only."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from flask import current_app
from sqlalchemy import delete

from core.clock import frozen, now
from core.db import db, global_scope, tenant_scope
from core.errors import Conflict
from core.ids import dated_by
from core.settings import Settings
from core.storage.blob_stores import blobs_at
from deploy.demo.accounts import add_account_history, add_partner
from deploy.demo.api_calls import KUMRU, MAVI, add_api_calls
from deploy.demo.messaging import notices as demo_notices
from deploy.demo.messaging.agents import add_agent
from deploy.demo.messaging.campaigns import add_campaigns
from deploy.demo.messaging.contacts import add_contact_details, add_contacts
from deploy.demo.messaging.conversations import add_conversations
from deploy.demo.messaging.inbox import add_inbox
from deploy.demo.messaging.journeys import add_journeys
from deploy.demo.messaging.notices import add_notices
from deploy.demo.messaging.team_inbox import add_team_inbox
from deploy.demo.messaging.templates_and_hooks import add_templates_and_hooks
from deploy.demo.restaurant.deliveries import add_deliveries, set_up_delivery
from deploy.demo.restaurant.loyalty import add_coupons, set_up_loyalty
from deploy.demo.restaurant.measured_campaign import add_ad_guests, add_measured_campaign
from deploy.demo.restaurant.orders import add_orders
from deploy.demo.restaurant.payments import add_payments
from deploy.demo.restaurant.pictures.dishes import keep_pictures
from deploy.demo.restaurant.printing import add_print_jobs, pair_agents
from deploy.demo.restaurant.restaurants import add_bistro, add_second_restaurant
from deploy.demo.restaurant.tabs import add_tab
from deploy.demo.shop.inbox import add_shop_inbox
from deploy.demo.shop.store_events import add_store_events
from deploy.demo.webhooks import SHOP as SHOP_PLACES
from deploy.demo.webhooks import add_webhook_deliveries
from messaging.lines.drivers.linked import logout as linked_logout
from messaging.lines.drivers.linked import pairing
from portal.onboarding.new_tenant import add_simulated_lines
from tenants import accounts, api_keys, people, signin, team
from tenants.audit import Actor, acting_as
from tenants.data.erasure import erase_tenant
from tenants.models import Person
from tenants.passwords import hash_password
from tenants.rights import SCOPES

PASSWORD = "dinner-at-eight"  # noqa: S105 - printed by `make run`
OWNER = "demo@comanda.example"
OPERATOR = "operator@comanda.example"
CREDENTIALS_FILE = "demo.json"

PEOPLE = (  # e-mail address, name and language
    (OWNER, "Derya Aksoy", "en"),
    (OPERATOR, "Ada Ferrer", "en"),
    ("emre@comanda.example", "Emre Yıldız", "tr"),
    ("selin@comanda.example", "Selin Kaya", "tr"),
    ("marta@comanda.example", "Marta Soler", "en"),
    ("jonas@comanda.example", "Jonas Weber", "en"),
)
RESTAURANT = "Lokanta Mavi"
SHOP = "Kumru Atölye"


def load(settings: Settings) -> dict[str, Any]:
    """Return the demo's logins and keys; the first call creates the demo."""
    if settings.production:
        raise Conflict(
            "not_in_production",
            "The demo is only for development. This is a production environment.",
        )
    place = settings.data_dir / CREDENTIALS_FILE
    with global_scope():
        owner = people.find(OWNER)
        tenants = signin.tenants_of(owner.id) if owner else []
    if owner is None or not tenants:
        with dated_by(_demo_clock()):
            facts = _make_tenants(settings)
    elif place.is_file():
        facts = json.loads(place.read_text())
    else:
        facts = _credentials(next(t.id for t in tenants if t.name == RESTAURANT), owner)
    _write_private(place, facts)
    return facts | {"agents": pair_agents(settings, int(facts["tenant_id"]))}


def _demo_clock() -> Callable[[], datetime]:
    """The demo's clock. Monthly partitions exist for last month, but not for earlier ones."""
    this_month = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    last_month = (this_month - timedelta(days=1)).replace(day=1)
    return lambda: max(now(), last_month)


def erase(settings: Settings) -> None:
    if settings.production:
        raise Conflict(
            "not_in_production",
            "The demo is only for development. This is a production environment.",
        )
    emails = [email for email, _, _ in PEOPLE]
    with global_scope():
        known = [person for email in emails if (person := people.find(email))]
        tenant_ids = {t.id for person in known for t in signin.tenants_of(person.id)}
    for tenant_id in tenant_ids:
        with tenant_scope(tenant_id):
            linked_logout.log_out_all_lines()
            erase_tenant()
        accounts.drop_tenant_cache(tenant_id)
    with global_scope():
        db.session.execute(delete(Person).where(Person.id.in_([person.id for person in known])))
    (settings.data_dir / CREDENTIALS_FILE).unlink(missing_ok=True)


def _make_tenants(settings: Settings) -> dict[str, Any]:
    password = hash_password(PASSWORD)
    with global_scope():
        staff = {
            email: people.register(
                email, name, password, locale=locale, verified=True, time_zone="Europe/Istanbul"
            )
            for email, name, locale in PEOPLE
        }
        staff[OPERATOR].operator = True
    owner = staff[OWNER]
    restaurant = _restaurant(owner, staff)
    shop = _shop(owner, staff)
    for tenant_id, language in ((restaurant, "tr"), (shop, "es")):
        _run_on_days(tenant_id, _owner(owner), ((20, partial(add_contacts, language)),))
    pictures = keep_pictures(blobs_at(settings.blob_url), restaurant)
    places = (23, partial(add_bistro, pictures)), (12, partial(add_second_restaurant, pictures))
    _run_on_days(restaurant, _owner(owner), (*places, (11, set_up_delivery)))
    _run_on_days(restaurant, _owner(owner), ((11, set_up_loyalty),))
    with acting_as(_owner(owner)):
        add_orders(restaurant)
        add_payments(restaurant)
        add_tab(restaurant)
        add_deliveries(restaurant)
        add_print_jobs(restaurant)
        add_coupons(restaurant)
    add_conversations(restaurant)
    add_api_calls(restaurant, "Web site", MAVI)
    add_templates_and_hooks(restaurant)
    with acting_as(_owner(owner)):
        add_webhook_deliveries(restaurant, settings)
    _run_on_days(restaurant, _owner(owner), ((0, add_contact_details),))
    add_inbox(restaurant, staff)
    add_team_inbox(restaurant, staff)
    add_agent(restaurant, owner, next(iter(staff.values())))
    add_store_events(shop)
    add_api_calls(shop, "Store plugin", KUMRU)
    add_shop_inbox(shop, staff)
    with acting_as(_owner(owner)):
        add_journeys(shop)
        add_webhook_deliveries(shop, settings, SHOP_PLACES)
    add_notices(restaurant, demo_notices.MAVI, busy=22)
    add_notices(shop, demo_notices.KUMRU, busy=9)
    with acting_as(_owner(owner)):
        add_ad_guests(restaurant)
        add_measured_campaign(restaurant)
        add_campaigns(restaurant, "tr")
        add_campaigns(shop, "es")
    add_account_history(restaurant, shop, _owner(owner))
    add_partner(shop)
    return _credentials(restaurant, owner)


def _owner(owner: Person) -> Actor:
    return Actor("person", owner.id, owner.name, "127.0.0.1")


def _restaurant(owner: Person, staff: dict[str, Person]) -> int:
    tenant_id = accounts.reserve_id()
    by = _owner(owner)

    used: list[str] = []

    def opened() -> None:
        accounts.create(RESTAURANT, owner, "growth")
        add_simulated_lines(live=True)
        accounts.change_settings(
            name=RESTAURANT, locale="tr", time_zone="Europe/Istanbul", country="TR", currency="TRY"
        )

    def first_key() -> None:
        key, _ = api_keys.create("Web site", "live", ["messages:send", "messages:read"])
        used.append(key.id)

    def busy_day() -> None:
        api_keys.record_use(used[0])
        for member in (team.find_by_person(person.id) for person in staff.values()):
            if member is not None:
                team.record_seen(member)

    def old_key() -> None:
        key, _ = api_keys.create("Old cash register", "live", ["orders"])
        api_keys.revoke(key.id)

    def joined(email: str, role: str) -> Callable[[], None]:
        def story() -> None:
            invitation, _ = team.invite(email, role, "owner", owner.name)
            with acting_as(Actor("person", staff[email].id, staff[email].name, "127.0.0.1")):
                team.accept_invitation(invitation.id, staff[email])

        return story

    def courier_phone() -> None:
        settings: Settings = current_app.extensions["comanda"]
        pairing.add_linked_line("Courier phone", network=settings.linked_network)

    def invited() -> None:
        team.invite("mehmet@lokanta-mavi.example", "waiter", "owner", owner.name)

    _run_on_days(
        tenant_id,
        by,
        (
            (33, opened),
            (32, first_key),
            (22, joined("emre@comanda.example", "admin")),
            (19, joined("selin@comanda.example", "manager")),
            (15, old_key),
            (9, joined("jonas@comanda.example", "inbox")),
            (3, courier_phone),
            (2, invited),
            (1, busy_day),
        ),
    )
    return tenant_id


def _shop(owner: Person, staff: dict[str, Person]) -> int:
    tenant_id = accounts.reserve_id()
    by = _owner(owner)

    def opened() -> None:
        accounts.create(SHOP, owner, "starter")
        add_simulated_lines(live=True)
        accounts.change_settings(
            name=SHOP, locale="en", time_zone="Europe/Madrid", country="ES", currency="EUR"
        )

    def staffed() -> None:
        invitation, _ = team.invite("marta@comanda.example", "owner", "owner", owner.name)
        with acting_as(
            Actor("person", staff["marta@comanda.example"].id, "Marta Soler", "127.0.0.1")
        ):
            team.accept_invitation(invitation.id, staff["marta@comanda.example"])

    def key() -> None:
        api_keys.create("Store plugin", "live", ["messages:send", "webhooks", "contacts"])

    _run_on_days(tenant_id, by, ((31, opened), (30, staffed), (28, key)))
    return tenant_id


def _run_on_days(
    tenant_id: int, by: Actor, story: tuple[tuple[int, Callable[[], None]], ...]
) -> None:
    """Run each part at its date, through the functions that the pages use."""
    beginning = now()
    for days_ago, chapter in story:
        with frozen(beginning - timedelta(days=days_ago)), acting_as(by), tenant_scope(tenant_id):
            chapter()


def _credentials(tenant_id: int, owner: Person) -> dict[str, Any]:
    with acting_as(Actor("person", owner.id, owner.name)), tenant_scope(tenant_id):
        _, live = api_keys.create("Demo key", "live", list(SCOPES))
        _, test = api_keys.create("Demo test key", "test", list(SCOPES))
    return {
        "logins": [
            {"email": OWNER, "password": PASSWORD, "role": "owner", "tenant": RESTAURANT},
            {"email": OPERATOR, "password": PASSWORD, "role": "operator", "tenant": "—"},
        ],
        "tenant_id": tenant_id,
        "api_key": live,
        "test_key": test,
    }


def _write_private(place: Path, facts: dict[str, Any]) -> None:
    """Only its owner can read the file, from its creation on."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump(facts, file, indent=2)
    place.chmod(0o600)
