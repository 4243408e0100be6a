"""Whatever happens to numbers, ids and user names: what a guest has stays theirs.

Random histories of messages, new ids, new numbers, user names and contacts that meet. The webhooks
are those of the network. At the end, orders, points, consent and opt-outs are with contacts of
their own person, and whatever the network has linked is on one contact, or shown to a person as a
possible duplicate.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from core.clock import advance, frozen, now
from core.db import db
from messaging.contacts import consent as contact_consent
from messaging.contacts import duplicates
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.cloud.driver import parse_webhook
from messaging.messages.receive import receive_line_update, receive_message
from messaging.models import Contact, Message, PossibleDuplicate
from restaurant.loyalty import ledger
from restaurant.models import LoyaltyMember, Order
from tests.messaging.message_factory import cloud_body
from tests.restaurant.loyalty_club import open_club

PEOPLE = 3
ACTIONS = (
    *("both", "id", "phone", "late", "rotate", "renumber", "renumber_late", "recycle"),
    *("username", "stop", "consent"),
)
STEPS = st.lists(
    st.tuples(st.sampled_from(ACTIONS), st.integers(0, PEOPLE - 1), st.booleans()),
    min_size=3,
    max_size=10,
)
_numbers = count(1)


@dataclass
class Person:
    index: int
    phone: str
    user_id: str
    username: str = ""
    former: list[tuple[str, str, int]] = field(default_factory=list)
    """Phone, id, and the last second in which they were used."""


def new_phone() -> str:
    return f"90532{next(_numbers):07}"


def new_user_id() -> str:
    return f"TR.{next(_numbers):012}"


class History:
    """Sends the webhooks of one history, and remembers what must be true at the end."""

    def __init__(self, club) -> None:
        self.club, self.bistro = club, club.bistro
        self.people = [Person(index, new_phone(), new_user_id()) for index in range(PEOPLE)]
        self.given_up: list[str] = []
        self.links: list[set[tuple]] = []
        """Groups of addresses that the network has linked."""
        self.possessions: list[tuple[int, tuple, str]] = []
        """Person, address and what it is: an order id, `points`, `stop` or `consent`."""

    def run(self, action: str, index: int, flag: bool) -> None:
        advance(10)
        person = self.people[index]
        if action in ("both", "id", "phone", "stop", "consent"):
            self.message(person, action, flag)
        elif action == "late" and person.former:
            phone, user_id, at = person.former[-1]
            self.write(person, phone, "" if phone and flag else user_id, at=at)
        elif action == "rotate":
            self.change(person, person.phone, repeat=flag, shows_phone=False)
        elif action in ("renumber", "renumber_late"):
            self.change(person, new_phone(), repeat=flag, late=action == "renumber_late")
        elif action == "recycle" and self.given_up:
            self.change(person, self.given_up.pop(), repeat=flag)
        elif action == "username":
            person.username = f"name{index if flag else 0}"  # somebody else may have had it

    def message(self, person: Person, action: str, flag: bool) -> None:
        shows = action if action in ("both", "id", "phone") else ("id" if flag else "both")
        phone = "" if shows == "id" else person.phone
        user_id = "" if shows == "phone" else person.user_id
        text = "STOP" if action == "stop" else "Merhaba"
        contact_id = self.write(person, phone, user_id, text=text)
        if action == "consent":
            contact_consent.give_consent(contact_id, "form")
            self.possessions.append((person.index, self.nodes(person, phone, user_id)[0], action))

    def write(self, person: Person, phone: str, user_id: str, at=0, text="Merhaba") -> str:
        """A message, after which the guest has one more order and one more point."""
        at = at or int(now().timestamp())
        contact = {"profile": {"name": "Guest"}}
        if person.username and user_id:
            contact["profile"]["username"] = person.username
        message = {
            "id": f"wamid.history.{next(_numbers)}",
            "timestamp": str(at),
            "type": "text",
            "text": {"body": text},
        }
        if phone:
            message["from"] = contact["wa_id"] = phone
        if user_id:
            message["from_user_id"] = contact["user_id"] = user_id
        message_id = self.post({"contacts": [contact], "messages": [message]})[0]
        stored = db.session.get(Message, (self.bistro.business.tenant_id, message_id))
        nodes = self.nodes(person, phone, user_id)
        self.link(nodes)
        self.possess(person, nodes[0], stored.contact_id)
        if text == "STOP":
            self.possessions.append((person.index, nodes[0], "stop"))
        return stored.contact_id

    def possess(self, person: Person, node: tuple, contact_id: str) -> None:
        number = next(_numbers)
        order = Order(
            tenant_id=self.bistro.business.tenant_id,
            number=f"H-{number}",
            site_id=self.bistro.site_id,
            business_day=date(2026, 11, 16),
            sequence=number,
            state="closed",
            order_type="takeaway",
            payment_method="cash",
            contact_id=contact_id,
            language="tr",
            currency="TRY",
            sums={},
            total=Decimal(1),
            source="chat",
        )
        db.session.add(order)
        db.session.flush()
        ledger.correct_balance(self.bistro.site(), contact_id, 1, "history")
        self.possessions += [(person.index, node, order.id), (person.index, node, "points")]

    def change(self, person, phone, *, repeat, shows_phone=True, late=False) -> None:
        """The person gets a new id and, if `shows_phone`, a new number that the network tells."""
        old_phone, old_id, at = person.phone, person.user_id, int(now().timestamp())
        person.former.append((old_phone if shows_phone else "", old_id, at - 5))
        person.phone, person.user_id = phone, new_user_id()
        if late:  # the first message from the new number overtakes the system message
            self.write(person, phone, "", at=at)
        system = {"user_id": person.user_id, "previous_user_id": old_id}
        message = {"id": f"wamid.s.{next(_numbers)}", "timestamp": str(at - 2), "type": "system"}
        old = self.nodes(person, old_phone if shows_phone else "", old_id)
        new = self.nodes(person, phone if shows_phone else "", person.user_id)
        if shows_phone:
            system |= {"type": "user_changed_number", "wa_id": phone}
            message["from"] = old_phone
        else:
            system["type"] = "user_changed_user_id"
        if any(node in group for group in self.links for node in old):
            self.link([*old, *new])
            self.given_up += [old_phone] if shows_phone else []
        for _ in range(1 + repeat):
            self.post({"messages": [message | {"system": system}]})

    def nodes(self, person: Person, phone: str, user_id: str) -> list[tuple]:
        return [(person.index, one) for one in (phone, user_id) if one]

    def link(self, nodes: list[tuple]) -> None:
        joined = set(nodes).union(*(one for one in self.links if one & set(nodes)))
        self.links = [one for one in self.links if not one & joined] + [joined]

    def post(self, value) -> list[str]:
        line, stored = self.bistro.line, []
        for parsed in parse_webhook(cloud_body(line, value)):
            stored += [receive_message(line, one, UsageTally()) for one in parsed.messages]
            for update in parsed.updates:
                receive_line_update(line, update)
            assert parsed.skipped == []
        return stored

    def check(self) -> None:
        db.session.expire_all()
        owner, holders = self.owners_of_orders(), defaultdict(set)
        for person, _, what in self.possessions:
            if what.startswith("ord_"):
                contact_id = owner[what]
                holders[contact_id].add(person)
                assert db.session.get(Contact, (self.bistro.business.tenant_id, contact_id))
        assert all(len(people) == 1 for people in holders.values())
        for group in self.links:
            self.check_group(group, owner)

    def check_group(self, group: set[tuple], owner: dict[str, str]) -> None:
        mine = [what for _, node, what in self.possessions if node in group]
        contacts = {owner[what] for what in mine if what.startswith("ord_")}
        if not contacts:
            return
        reached = {min(contacts)}
        pairs = self.duplicate_pairs()
        while more := {b for a, b in pairs if a in reached} - reached:
            reached |= more
        assert contacts <= reached
        tenant_id = self.bistro.business.tenant_id
        points = db.session.scalars(
            select(LoyaltyMember.balance).where(
                LoyaltyMember.tenant_id == tenant_id, LoyaltyMember.contact_id.in_(contacts)
            )
        )
        assert sum(points) == mine.count("points")
        people = [db.session.get(Contact, (tenant_id, one)) for one in contacts]
        assert any(one.opted_out_at for one in people) == ("stop" in mine)
        assert any(one.consent_at for one in people) == ("consent" in mine)

    def owners_of_orders(self) -> dict[str, str]:
        ids = [what for *_, what in self.possessions if what.startswith("ord_")]
        query = select(Order.id, Order.contact_id).where(
            Order.tenant_id == self.bistro.business.tenant_id, Order.id.in_(ids)
        )
        found = {row.id: row.contact_id for row in db.session.execute(query)}
        assert len(found) == len(ids)
        return found

    def duplicate_pairs(self) -> set[tuple[str, str]]:
        rows = db.session.execute(
            select(PossibleDuplicate.contact_id, PossibleDuplicate.other_id).where(
                PossibleDuplicate.tenant_id == self.bistro.business.tenant_id
            )
        )
        return {pair for a, b in rows for pair in ((a, b), (b, a))}


@pytest.fixture
def club(restaurant):
    made = open_club(restaurant)
    made.counts()
    return made


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_what_a_guest_has_is_never_lost_and_never_given_to_another(club, steps):
    with frozen(), club.scope():
        history = History(club)
        for step in steps:
            history.run(*step)
        history.check()


def test_an_early_message_from_the_new_number_is_shown_to_a_person(club):
    with frozen(), club.scope():
        history = History(club)
        for step in (("both", 0, False), ("renumber_late", 0, True), ("both", 0, False)):
            history.run(*step)
        history.check()
        [case] = duplicates.list_cases()
        assert case.reason == duplicates.NUMBER_CHANGED
