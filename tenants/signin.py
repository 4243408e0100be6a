"""Signing in and out. A browser holds a token; the database holds its hash."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import select, update

from core.buckets import Bucket, take
from core.clock import now
from core.db import db
from core.errors import Invalid, RateLimited
from core.ids import new_token
from core.lookups import digest
from tenants import people
from tenants.models import Membership, Person, SignIn, Tenant
from tenants.passwords import hash_again, needs_new_hash, password_fits

IDLE = timedelta(days=14)
LONGEST = timedelta(days=90)
SEEN_EVERY = timedelta(minutes=1)


@dataclass
class Visitor:
    """A signed-in browser: who it is, and where they are at home."""

    person: Person
    sign_in: SignIn
    tenants: list[Tenant]

    @property
    def tenant(self) -> Tenant | None:
        chosen = [t for t in self.tenants if t.id == self.sign_in.tenant_id]
        return chosen[0] if chosen else next(iter(self.tenants), None)


def throttle(act: str, *names: str) -> None:
    """Ten tries, then one every half minute; told apart by account and by address."""
    buckets = [
        Bucket(f"{act}:{digest(name.casefold())[:32]}", rate=1 / 30, burst=10) for name in names
    ]
    taken = take(buckets)
    if not taken.allowed:
        raise RateLimited(
            "Too many tries. Wait {seconds} seconds and try again.",
            retry_after=taken.retry_after,
            seconds=taken.retry_after,
        )


def check_password(email: str, password: str, address: str) -> Person:
    """The same answer, after the same time, whether the person or the password is wrong."""
    throttle("signin", f"account {email.strip()}", f"address {address}")
    person = people.find(email)
    if not password_fits(password, person.password_hash if person else None) or person is None:
        raise Invalid("wrong_credentials", "That e-mail and password do not belong together.")
    if needs_new_hash(person.password_hash):
        person.password_hash = hash_again(password)
    return person


def open_session(person: Person, address: str, agent: str, tenant_id: int | None = None) -> str:
    """A new token at every sign-in, so that a planted one is worth nothing."""
    token = new_token(256)
    db.session.add(
        SignIn(
            person_id=person.id,
            token_hash=digest(token),
            tenant_id=tenant_id or _usual(person.id),
            address=address,
            agent=agent[:300],
        )
    )
    people.note(person.id, "signed_in", address)
    return token


def _usual(person_id: str) -> int | None:
    """Where the person was last, or the account they have had longest."""
    last = select(SignIn.tenant_id).where(
        SignIn.person_id == person_id, SignIn.tenant_id.is_not(None)
    )
    first = (
        select(Membership.tenant_id)
        .join(Tenant, Tenant.id == Membership.tenant_id)
        .where(Membership.person_id == person_id)
    )
    return db.session.scalar(last.order_by(SignIn.seen_at.desc()).limit(1)) or db.session.scalar(
        first.order_by(Tenant.created_at, Tenant.id).limit(1)
    )


def visitor(token: str) -> Visitor | None:
    moment = now()
    row = db.session.execute(
        select(SignIn, Person)
        .join(Person, Person.id == SignIn.person_id)
        .where(
            SignIn.token_hash == digest(token),
            SignIn.ended_at.is_(None),
            SignIn.seen_at > moment - IDLE,
            SignIn.created_at > moment - LONGEST,
        )
    ).first()
    if row is None:
        return None
    sign_in, person = row
    if sign_in.seen_at < moment - SEEN_EVERY:
        sign_in.seen_at = moment
    return Visitor(person, sign_in, tenants_of(person.id))


def tenants_of(person_id: str) -> list[Tenant]:
    return list(
        db.session.scalars(
            select(Tenant)
            .join(Membership, Membership.tenant_id == Tenant.id)
            .where(Membership.person_id == person_id)
            .order_by(Tenant.name, Tenant.id)
        )
    )


def switch(sign_in_id: str, tenant_id: int) -> None:
    db.session.execute(update(SignIn).where(SignIn.id == sign_in_id).values(tenant_id=tenant_id))


def sessions_of(person_id: str) -> list[SignIn]:
    return list(
        db.session.scalars(
            select(SignIn)
            .where(
                SignIn.person_id == person_id,
                SignIn.ended_at.is_(None),
                SignIn.seen_at > now() - IDLE,
                SignIn.created_at > now() - LONGEST,
            )
            .order_by(SignIn.seen_at.desc())
        )
    )


def end_session(person_id: str, sign_in_id: str) -> bool:
    ended = db.session.execute(
        update(SignIn)
        .where(SignIn.id == sign_in_id, SignIn.person_id == person_id, SignIn.ended_at.is_(None))
        .values(ended_at=now())
        .returning(SignIn.id)
    )
    return ended.first() is not None


def end_all_sessions(person_id: str, but: str | None = None) -> int:
    statement = (
        update(SignIn)
        .where(SignIn.person_id == person_id, SignIn.ended_at.is_(None))
        .values(ended_at=now())
        .returning(SignIn.id)
    )
    if but:
        statement = statement.where(SignIn.id != but)
    return len(db.session.execute(statement).all())
