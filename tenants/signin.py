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
from core.peers import counted_as
from tenants import people
from tenants.models import Membership, Person, SignIn, Tenant
from tenants.passwords import Hashed, hash_again, needs_new_hash, password_fits

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


@dataclass(frozen=True)
class Proven:
    """Somebody who gave the right password, and its new hash where the old one is weak."""

    person_id: str
    old_hash: str
    new_hash: Hashed | None


def throttle(act: str, *names: str) -> None:
    """Ten tries, then one every half minute, for each of the names."""
    if wait := _wait(_tries(act, *names)):
        raise RateLimited(
            "Too many tries. Wait {seconds} seconds and try again.", retry_after=wait, seconds=wait
        )


def throttle_mailbox(email: str) -> None:
    """Six e-mails to one mailbox, then one every ten minutes, whoever asks for them."""
    name = f"mailbox {people.typed_key(email)}"
    if wait := _wait([_bucket("mail", name, rate=1 / 600, burst=6)]):
        raise RateLimited(
            "We have sent many e-mails to this address. Try again in {minutes} minutes.",
            retry_after=wait,
            minutes=-(-wait // 60),
        )


def _tries(act: str, *names: str) -> list[Bucket]:
    return [_bucket(act, name, rate=1 / 30, burst=10) for name in names]


def _bucket(act: str, name: str, rate: float, burst: int) -> Bucket:
    return Bucket(f"{act}:{digest(name.casefold())[:32]}", rate=rate, burst=burst)


def _wait(buckets: list[Bucket]) -> int:
    """How many seconds the caller has to wait; none is nothing."""
    taken = take(buckets)
    return 0 if taken.allowed else taken.retry_after


def by_account(email: str) -> str:
    """The name under which tries for an account are counted, however its address is typed."""
    return f"account {people.typed_key(email)}"


def by_address(address: str) -> str:
    return f"address {counted_as(address)}"


def device_key(email: str) -> str:
    """What a browser's cookie keeps of an address that signed in there."""
    return digest(f"device {people.typed_key(email)}")[:32]


def throttle_sign_in(email: str, address: str, device: str = "") -> None:
    """A browser in which this person has signed in before has an allowance of its own, so that
    wrong tries elsewhere do not lock its owner out."""
    names = [f"device {device}"] if device else [by_account(email), by_address(address)]
    if wait := _wait(_tries("signin", *names)):
        raise RateLimited(
            "Too many tries. Wait {seconds} seconds and try again, or reset your password by"
            " e-mail.",
            retry_after=wait,
            seconds=wait,
        )


def stored_hash(email: str) -> tuple[str, str] | None:
    """The person's id and the hash of their password."""
    person = people.find(email)
    return (person.id, person.password_hash) if person else None


def prove(known: tuple[str, str] | None, password: str) -> Proven:
    """Compare outside the transaction.

    The answer, and how long it takes, is the same for a wrong person and a wrong password.
    """
    if not password_fits(password, known[1] if known else None) or known is None:
        raise Invalid("wrong_credentials", "That e-mail and password do not belong together.")
    person_id, old_hash = known
    new_hash = hash_again(password) if needs_new_hash(old_hash) else None
    return Proven(person_id, old_hash, new_hash)


def accept(proven: Proven) -> Person:
    """The person, unless the password was changed in the meantime."""
    person = people.get(proven.person_id)
    if person is None or person.password_hash != proven.old_hash:
        raise Invalid("wrong_credentials", "That e-mail and password do not belong together.")
    if proven.new_hash is not None:
        person.password_hash = str(proven.new_hash)
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
