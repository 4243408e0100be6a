"""The people on the network: their names, usernames, hidden numbers, and the ids businesses see.

A person is known by the number of the simulated phone, which the network may hide from businesses.
Each tenant has its own people, as each business portfolio has its own ids for them.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from core.values.phone import phone_country

MOST_IDS = 20_000


@dataclass
class Person:
    phone: str
    tenant_id: int
    name: str = ""
    username: str = ""
    hides_phone: bool = False
    rotations: int = 0
    """How often the network replaced the id of this number."""
    first_phone: str = ""
    """The number of the account when it was made: ids on linked phones come from it."""
    hours_ahead: float = 0.0
    """How far the phone's clock was moved forward."""

    @property
    def title(self) -> str:
        return self.name or f"Customer {self.phone[-4:]}"

    @property
    def user_id(self) -> str:
        """The id for this portfolio: it changes with the number, and stays with the username."""
        return _portfolio_id(self.tenant_id, self.phone, self.rotations, "")

    @property
    def parent_user_id(self) -> str:
        """The id for a business with several portfolios."""
        return _portfolio_id(self.tenant_id, self.phone, self.rotations, "ENT.")

    @property
    def linked_id(self) -> str:
        """The hidden id that linked devices see."""
        digest = hashlib.sha256(f"lid:{self.first_phone or self.phone}".encode()).digest()
        return f"{int.from_bytes(digest[:6]):015d}@lid"


@lru_cache(maxsize=MOST_IDS)  # every receipt needs it
def _portfolio_id(tenant_id: int, phone: str, rotations: int, scope: str) -> str:
    seed = f"{scope}:{tenant_id}:{phone}:{rotations}"
    number = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8])
    return f"{phone_country(phone) or 'US'}.{scope}{number:020d}"


class People:
    """People by tenant and phone. One that was never changed is not stored."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, str], Person] = {}
        self._by_id: dict[tuple[int, str], str] = {}

    def find(self, phone: str, tenant_id: int) -> Person:
        return self._known.get((tenant_id, phone)) or Person(phone, tenant_id)

    def keep(self, phone: str, tenant_id: int) -> Person:
        """Return the person for a change."""
        return self._known.setdefault((tenant_id, phone), Person(phone, tenant_id))

    def named(self, phone: str) -> str:
        """The first name that was given for this phone, by any tenant."""
        return next((one.name for one in self._known.values() if one.phone == phone), "")

    def phones(self, tenant_id: int | None) -> Iterator[str]:
        return (phone for owner, phone in self._known if tenant_id in (None, owner))

    def remember_id(self, network_id: str, person: Person) -> None:
        if len(self._by_id) >= MOST_IDS:
            del self._by_id[next(iter(self._by_id))]
        self._by_id[person.tenant_id, network_id] = person.phone

    def phone_of_id(self, network_id: str, tenant_id: int) -> str:
        """The phone with this id, if the id is still valid."""
        phone = self._by_id.get((tenant_id, network_id), "")
        person = self.find(phone, tenant_id)
        valid = (person.user_id, person.parent_user_id, person.linked_id)
        return phone if phone and network_id in valid else ""

    def move(self, person: Person, phone: str) -> None:
        """Give the person another number."""
        self._known.pop((person.tenant_id, person.phone), None)
        person.first_phone = person.first_phone or person.phone
        person.phone, person.rotations = phone, 0
        self._known[person.tenant_id, phone] = person

    def forget(self) -> None:
        """Names stay; everything else becomes as at the start."""
        self._known = {
            key: Person(one.phone, one.tenant_id, one.name)
            for key, one in self._known.items()
            if not one.first_phone
        }
        self._by_id.clear()
