"""Signing in and out. The browser has a token; the database has its hash."""

from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import bindparam, select, update

from core.clock import now
from core.db import db
from core.errors import Invalid, RateLimited
from core.http.client_address import client_network
from core.i18n.plurals import Plural
from core.ids import new_token
from core.lookups import secret_digest
from core.rate_limits import Bucket, take_tokens
from tenants import people
from tenants.models import Membership, Person, SignIn, Tenant
from tenants.passwords import PasswordHash, needs_rehash, password_matches, rehash_password

IDLE_TIMEOUT = timedelta(days=14)
MAX_SESSION_AGE = timedelta(days=90)
SEEN_EVERY = timedelta(minutes=1)


# A session with its person: one row for each of the person's tenants, or one without a tenant.
SESSION = (
    select(SignIn, Person, Tenant)
    .join(Person, Person.id == SignIn.person_id)
    .outerjoin(Membership, Membership.person_id == Person.id)
    .outerjoin(Tenant, Tenant.id == Membership.tenant_id)
    .where(
        SignIn.token_hash == bindparam("digest"),
        SignIn.ended_at.is_(None),
        SignIn.seen_at > bindparam("seen"),
        SignIn.created_at > bindparam("created"),
    )
    .order_by(Tenant.name, Tenant.id)
    .execution_options(plan_once=True)
)


@dataclass
class UserSession:
    """A signed-in browser: the person and their tenants."""

    person: Person
    sign_in: SignIn
    tenants: list[Tenant]

    @property
    def tenant(self) -> Tenant | None:
        chosen = [t for t in self.tenants if t.id == self.sign_in.tenant_id]
        return chosen[0] if chosen else next(iter(self.tenants), None)


@dataclass(frozen=True)
class VerifiedPassword:
    """A person with a verified password, and its new hash if the old one is too weak."""

    person_id: str
    old_hash: str
    new_hash: PasswordHash | None


def throttle(act: str, *names: str) -> None:
    """Ten tries, then one every half minute, for each of the names. Raises RateLimited."""
    if wait := _wait(_tries(act, *names)):
        raise RateLimited(
            Plural(
                "Too many attempts. Wait {seconds} second and try again.",
                "Too many attempts. Wait {seconds} seconds and try again.",
                number="seconds",
            ),
            retry_after=wait,
            seconds=wait,
        )


def throttle_mailbox(email: str) -> None:
    """Six e-mails to one mailbox, then one every ten minutes, from any caller. Raises
    RateLimited.
    """
    name = f"mailbox {people.typed_key(email)}"
    if wait := _wait([_bucket("mail", name, rate=1 / 600, burst=6)]):
        raise RateLimited(
            Plural(
                "We have already sent many e-mails to this address. Try again in {minutes} minute.",
                "We have already sent many e-mails to this address. Try again in {minutes} "
                "minutes.",
                number="minutes",
            ),
            retry_after=wait,
            minutes=-(-wait // 60),
        )


def _tries(act: str, *names: str) -> list[Bucket]:
    return [_bucket(act, name, rate=1 / 30, burst=10) for name in names]


def _bucket(act: str, name: str, rate: float, burst: int) -> Bucket:
    return Bucket(f"{act}:{secret_digest(name.casefold())[:32]}", rate=rate, burst=burst)


def _wait(buckets: list[Bucket]) -> int:
    """The seconds that the caller has to wait; 0 if the call is allowed."""
    rate_limit = take_tokens(buckets)
    return 0 if rate_limit.allowed else rate_limit.retry_after


def account_throttle_name(email: str) -> str:
    """The name for counting an account's tries, the same for every spelling of its address."""
    return f"account {people.typed_key(email)}"


def address_throttle_name(address: str) -> str:
    return f"address {client_network(address)}"


def device_key(email: str) -> str:
    """What a browser's cookie stores of an address that signed in there."""
    return secret_digest(f"device {people.typed_key(email)}")[:32]


def throttle_sign_in(email: str, address: str, device: str = "") -> None:
    """A browser in which this person has signed in before has its own allowance, so that wrong
    tries elsewhere do not lock the owner out. Raises RateLimited.
    """
    names = (
        [f"device {device}"]
        if device
        else [account_throttle_name(email), address_throttle_name(address)]
    )
    if wait := _wait(_tries("signin", *names)):
        raise RateLimited(
            Plural(
                "Too many attempts. Wait {seconds} second and try again, or reset your password "
                "by e-mail.",
                "Too many attempts. Wait {seconds} seconds and try again, or reset your password "
                "by e-mail.",
                number="seconds",
            ),
            retry_after=wait,
            seconds=wait,
        )


def stored_hash(email: str) -> tuple[str, str] | None:
    """The person's id and password hash, or None."""
    person = people.find(email)
    return (person.id, person.password_hash) if person else None


def verify_password(known: tuple[str, str] | None, password: str) -> VerifiedPassword:
    """Call outside the transaction. Raises Invalid.

    The error and the duration are the same for an unknown person and a wrong password.
    """
    if not password_matches(password, known[1] if known else None) or known is None:
        raise Invalid("wrong_credentials", "The e-mail or password is incorrect.")
    person_id, old_hash = known
    new_hash = rehash_password(password) if needs_rehash(old_hash) else None
    return VerifiedPassword(person_id, old_hash, new_hash)


def complete_sign_in(proven: VerifiedPassword) -> Person:
    """Raises Invalid if the password was changed in the meantime."""
    person = people.get(proven.person_id)
    if person is None or person.password_hash != proven.old_hash:
        raise Invalid("wrong_credentials", "The e-mail or password is incorrect.")
    if proven.new_hash is not None:
        person.password_hash = str(proven.new_hash)
    return person


def open_session(person: Person, address: str, agent: str, tenant_id: int | None = None) -> str:
    """Returns a new token for every sign-in, so that a planted one is useless."""
    token = new_token(256)
    db.session.add(
        SignIn(
            person_id=person.id,
            token_hash=secret_digest(token),
            tenant_id=tenant_id or _last_tenant(person.id),
            address=address,
            agent=agent[:300],
        )
    )
    people.record_event(person.id, "signed_in", address)
    return token


def _last_tenant(person_id: str) -> int | None:
    """The tenant the person used last, or the one with the oldest account."""
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


def load_session(token: str) -> UserSession | None:
    moment = now()
    limits = {"seen": moment - IDLE_TIMEOUT, "created": moment - MAX_SESSION_AGE}
    rows = db.session.execute(SESSION, {"digest": secret_digest(token), **limits}).all()
    if not rows:
        return None
    sign_in, person, _ = rows[0]
    if sign_in.seen_at < moment - SEEN_EVERY:
        sign_in.seen_at = moment
    tenants: list[Tenant | None] = [row.Tenant for row in rows]
    return UserSession(person, sign_in, [one for one in tenants if one is not None])


def tenants_of(person_id: str) -> list[Tenant]:
    return list(
        db.session.scalars(
            select(Tenant)
            .join(Membership, Membership.tenant_id == Tenant.id)
            .where(Membership.person_id == person_id)
            .order_by(Tenant.name, Tenant.id)
        )
    )


def switch_tenant(sign_in_id: str, tenant_id: int) -> None:
    db.session.execute(update(SignIn).where(SignIn.id == sign_in_id).values(tenant_id=tenant_id))


def sessions_of(person_id: str) -> list[SignIn]:
    return list(
        db.session.scalars(
            select(SignIn)
            .where(
                SignIn.person_id == person_id,
                SignIn.ended_at.is_(None),
                SignIn.seen_at > now() - IDLE_TIMEOUT,
                SignIn.created_at > now() - MAX_SESSION_AGE,
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
