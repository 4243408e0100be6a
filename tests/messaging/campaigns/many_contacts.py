"""Many contacts at once, some of whom no campaign may reach."""

from dataclasses import dataclass

from sqlalchemy import insert

from core.clock import now
from core.db import db
from core.ids import new_id
from messaging.models import Contact, Identity
from tests.factories import Business

LEFT_OUT = {"opted_out": 1, "blocked": 2, "recent": 3, "no_phone": 4}
"""By what a contact's number leaves when it is divided by fifty."""
AT_ONCE = 2000


@dataclass(frozen=True)
class Crowd:
    size: int
    phones: frozenset[str]
    """Who is to get it, each once."""
    left_out: dict[str, int]


def crowd_of(business: Business, size: int) -> Crowd:
    every = range(1, size + 1)
    for start in range(1, size + 1, AT_ONCE):
        with business.scope():
            _make(business.tenant_id, range(start, min(start + AT_ONCE, size + 1)))
    meant = frozenset(_phone(n) for n in every if n % 50 not in LEFT_OUT.values())
    out = {why: sum(n % 50 == left for n in every) for why, left in LEFT_OUT.items()}
    return Crowd(size, meant, out)


def _make(tenant_id: int, numbers: range) -> None:
    moment, ids = now(), {n: new_id("con") for n in numbers}

    def marked(n: int, why: str) -> object:
        return moment if n % 50 == LEFT_OUT[why] else None

    contacts = [
        {
            "tenant_id": tenant_id,
            "id": ids[n],
            "name": f"Guest {n}",
            "opted_out_at": marked(n, "opted_out"),
            "blocked_at": marked(n, "blocked"),
            "marketed_at": marked(n, "recent"),
        }
        for n in numbers
    ]
    phones = [
        {
            "tenant_id": tenant_id,
            "kind": "phone",
            "value": _phone(n),
            "spelling": _phone(n),
            "contact_id": ids[n],
        }
        for n in numbers
        if n % 50 != LEFT_OUT["no_phone"]
    ]
    db.session.execute(insert(Contact), contacts)
    db.session.execute(insert(Identity), phones)


def _phone(n: int) -> str:
    return f"90531{n:07d}"
