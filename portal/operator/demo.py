"""Two believable tenants, so that no page of a first visit is empty. Development only."""

import json
import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from flask import current_app
from sqlalchemy import delete

from core.blobs import blobs_at
from core.clock import frozen, now
from core.db import db, global_scope, tenant_scope
from core.errors import Conflict
from core.ids import dated_by
from core.settings import Settings
from messaging.linked import endings, pairing
from portal.newborn import equip
from portal.operator import traffic
from portal.operator.account_history import tell_account
from portal.operator.call_history import KUMRU, MAVI, tell_calls
from portal.operator.campaign_history import tell_campaigns
from portal.operator.dining import open_bistro, open_sister
from portal.operator.dish_pictures import keep_pictures
from portal.operator.guests import fill_book, know_guests
from portal.operator.happenings import tell_happenings
from portal.operator.history import tell_conversations
from portal.operator.inbox_story import fill_inbox
from portal.operator.loyalty_history import open_club, tell_coupons
from portal.operator.order_history import tell_orders
from portal.operator.paper_history import pair_agents, tell_paper
from portal.operator.payment_history import set_up_money
from portal.operator.road_history import open_road, tell_road
from portal.operator.shop_history import tell_shop
from portal.operator.shop_inbox import fill_shop_inbox
from portal.operator.traffic import tell_traffic
from portal.operator.webhook_history import SHOP as SHOP_PLACES
from portal.operator.webhook_history import tell_deliveries
from tenants import accounts, keys, people, signin, team
from tenants.audit import Actor, acting
from tenants.erasing import erase_tenant
from tenants.models import Person
from tenants.passwords import hash_password
from tenants.rights import SCOPES

PASSWORD = "dinner-at-eight"  # noqa: S105 - printed by `make run`
OWNER = "demo@comanda.example"
OPERATOR = "operator@comanda.example"
FILE = "demo.json"

PEOPLE = (  # address, name and language
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
    """Logins and keys of the demo; made on the first call, told again on later ones."""
    if settings.production:
        raise Conflict("not_in_production", "The demo is for development; this is production.")
    place = settings.data_dir / FILE
    with global_scope():
        owner = people.find(OWNER)
        tenants = signin.tenants_of(owner.id) if owner else []
    if owner is None or not tenants:
        with dated_by(_teller()):
            facts = _make(settings)
    elif place.is_file():
        facts = json.loads(place.read_text())
    else:
        facts = _describe(next(t.id for t in tenants if t.name == RESTAURANT), owner)
    _keep(place, facts)
    return facts | {"agents": pair_agents(settings, int(facts["tenant_id"]))}


def _teller() -> Callable[[], datetime]:
    """The story's own time. Tables that are cut by month have last month's part, no older one."""
    this_month = datetime.now(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    last_month = (this_month - timedelta(days=1)).replace(day=1)
    return lambda: max(now(), last_month)


def erase(settings: Settings) -> None:
    if settings.production:
        raise Conflict("not_in_production", "The demo is for development; this is production.")
    emails = [email for email, _, _ in PEOPLE]
    with global_scope():
        known = [person for email in emails if (person := people.find(email))]
        tenant_ids = {t.id for person in known for t in signin.tenants_of(person.id)}
    for tenant_id in tenant_ids:
        with tenant_scope(tenant_id):
            endings.end_all()
            erase_tenant()
        accounts.forget_facts(tenant_id)
    with global_scope():
        db.session.execute(delete(Person).where(Person.id.in_([person.id for person in known])))
    (settings.data_dir / FILE).unlink(missing_ok=True)


def _make(settings: Settings) -> dict[str, Any]:
    password = hash_password(PASSWORD)
    with global_scope():
        cast = {
            email: people.register(
                email, name, password, locale=locale, verified=True, time_zone="Europe/Istanbul"
            )
            for email, name, locale in PEOPLE
        }
        cast[OPERATOR].operator = True
    owner = cast[OWNER]
    restaurant = _restaurant(owner, cast)
    shop = _shop(owner, cast)
    for tenant_id, language in ((restaurant, "tr"), (shop, "es")):
        _tell(tenant_id, _owner(owner), ((20, partial(fill_book, language)),))
    pictures = keep_pictures(blobs_at(settings.blob_url), restaurant)
    places = (23, partial(open_bistro, pictures)), (12, partial(open_sister, pictures))
    _tell(restaurant, _owner(owner), (*places, (11, open_road)))
    _tell(restaurant, _owner(owner), ((11, open_club),))
    with acting(_owner(owner)):
        tell_orders(restaurant)
        set_up_money(restaurant)
        tell_road(restaurant)
        tell_paper(restaurant)
        tell_coupons(restaurant)
    tell_conversations(restaurant)
    tell_calls(restaurant, "Web site", MAVI)
    tell_happenings(restaurant)
    with acting(_owner(owner)):
        tell_deliveries(restaurant, settings)
    _tell(restaurant, _owner(owner), ((0, know_guests),))
    fill_inbox(restaurant, cast)
    tell_shop(shop)
    tell_calls(shop, "Store plugin", KUMRU)
    fill_shop_inbox(shop, cast)
    with acting(_owner(owner)):
        tell_deliveries(shop, settings, SHOP_PLACES)
    tell_traffic(restaurant, traffic.MAVI, busy=22)
    tell_traffic(shop, traffic.KUMRU, busy=9)
    with acting(_owner(owner)):
        tell_campaigns(restaurant, "tr")
        tell_campaigns(shop, "es")
    tell_account(restaurant, shop, _owner(owner))
    return _describe(restaurant, owner)


def _owner(owner: Person) -> Actor:
    return Actor("person", owner.id, owner.name, "127.0.0.1")


def _restaurant(owner: Person, cast: dict[str, Person]) -> int:
    tenant_id = accounts.reserve_id()
    by = _owner(owner)

    used: list[str] = []

    def opened() -> None:
        accounts.create(RESTAURANT, owner, "growth")
        equip(live=True)
        accounts.change_settings(
            name=RESTAURANT, locale="tr", time_zone="Europe/Istanbul", country="TR", currency="TRY"
        )

    def first_key() -> None:
        key, _ = keys.create("Web site", "live", ["messages:send", "messages:read"])
        used.append(key.id)

    def busy_day() -> None:
        keys.note_use(used[0])
        for member in (team.of_person(person.id) for person in cast.values()):
            if member is not None:
                team.note_seen(member)

    def old_key() -> None:
        key, _ = keys.create("Old cash register", "live", ["orders"])
        keys.revoke(key.id)

    def joined(email: str, role: str) -> Callable[[], None]:
        def story() -> None:
            invitation, _ = team.invite(email, role, "owner", owner.name)
            with acting(Actor("person", cast[email].id, cast[email].name, "127.0.0.1")):
                team.accept(invitation.id, cast[email])

        return story

    def courier_phone() -> None:
        settings: Settings = current_app.extensions["comanda"]
        pairing.add_line("Courier phone", network=settings.linked_network)

    def invited() -> None:
        team.invite("mehmet@lokanta-mavi.example", "waiter", "owner", owner.name)

    _tell(
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


def _shop(owner: Person, cast: dict[str, Person]) -> int:
    tenant_id = accounts.reserve_id()
    by = _owner(owner)

    def opened() -> None:
        accounts.create(SHOP, owner, "starter")
        equip(live=True)
        accounts.change_settings(
            name=SHOP, locale="en", time_zone="Europe/Madrid", country="ES", currency="EUR"
        )

    def staffed() -> None:
        invitation, _ = team.invite("marta@comanda.example", "owner", "owner", owner.name)
        with acting(Actor("person", cast["marta@comanda.example"].id, "Marta Soler", "127.0.0.1")):
            team.accept(invitation.id, cast["marta@comanda.example"])

    def key() -> None:
        keys.create("Store plugin", "live", ["messages:send", "webhooks", "contacts"])

    _tell(tenant_id, by, ((31, opened), (30, staffed), (28, key)))
    return tenant_id


def _tell(tenant_id: int, by: Actor, story: tuple[tuple[int, Callable[[], None]], ...]) -> None:
    """Each chapter happens on its day, through the same functions the pages use."""
    beginning = now()
    for days_ago, chapter in story:
        with frozen(beginning - timedelta(days=days_ago)), acting(by), tenant_scope(tenant_id):
            chapter()


def _describe(tenant_id: int, owner: Person) -> dict[str, Any]:
    with acting(Actor("person", owner.id, owner.name)), tenant_scope(tenant_id):
        _, live = keys.create("Demo key", "live", list(SCOPES))
        _, test = keys.create("Demo test key", "test", list(SCOPES))
    return {
        "logins": [
            {"email": OWNER, "password": PASSWORD, "role": "owner", "tenant": RESTAURANT},
            {"email": OPERATOR, "password": PASSWORD, "role": "operator", "tenant": "—"},
        ],
        "tenant_id": tenant_id,
        "api_key": live,
        "test_key": test,
    }


def _keep(place: Path, facts: dict[str, Any]) -> None:
    """Readable by its owner only, from its first byte."""
    place.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump(facts, file, indent=2)
    place.chmod(0o600)
