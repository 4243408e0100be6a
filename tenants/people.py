"""People who sign in: their data, how they prove who they are, and their preferences."""

from datetime import datetime, timedelta

from email_validator import EmailNotValidError, validate_email
from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError

from core.clock import now
from core.db import db, savepoint
from core.errors import Invalid, invalid
from core.ids import new_token
from core.lookups import secret_digest
from core.values.text import BadText, one_line
from tenants.models import Person, PersonEvent, PersonToken
from tenants.passwords import PasswordHash

LOCALES = ("en", "tr")
THEMES = ("auto", "light", "dark")
TOKEN_LIFETIMES = {"verify": timedelta(days=3), "reset": timedelta(hours=1)}


def clean_email(text: str) -> str:
    """The address as the person wrote it. Compare by `email_key`. Raises Invalid."""
    try:
        return validate_email(text.strip(), check_deliverability=False).normalized
    except EmailNotValidError:
        raise invalid("email", "invalid_email", "This is not a valid e-mail address.") from None


def email_key(email: str) -> str:
    return email.casefold()


def typed_key(text: str) -> str:
    """The key of an address as somebody typed it, for both look-ups and rate limits."""
    try:
        return email_key(clean_email(text))
    except Invalid:
        return email_key(text.strip())


def clean_name(text: str, field: str = "name") -> str:
    try:
        name = one_line(text, 120)
    except BadText:
        name = ""
    if not name:
        raise invalid(field, "empty_name", "Enter a name.")
    return name


def find(email: str) -> Person | None:
    key = typed_key(email)
    if "\0" in key:  # PostgreSQL cannot store it
        return None
    return db.session.scalar(select(Person).where(Person.email_key == key))


def get(person_id: str) -> Person | None:
    return db.session.get(Person, person_id)


def get_unverified(person_id: str) -> Person | None:
    """Locked, so that the address cannot be confirmed meanwhile."""
    query = select(Person).where(Person.id == person_id, Person.verified_at.is_(None))
    return db.session.scalar(query.with_for_update())


def get_many(person_ids: set[str]) -> dict[str, Person]:
    rows = db.session.scalars(select(Person).where(Person.id.in_(person_ids)))
    return {person.id: person for person in rows}


def register(
    email: str,
    name: str,
    password: PasswordHash,
    *,
    locale: str = "en",
    time_zone: str = "UTC",
    verified: bool = False,
) -> Person:
    address = clean_email(email)
    person = Person(
        email=address,
        email_key=email_key(address),
        name=clean_name(name),
        password_hash=str(password),
        locale=locale if locale in LOCALES else "en",
        time_zone=time_zone,
        verified_at=now() if verified else None,
    )
    try:
        with savepoint():
            db.session.add(person)
    except IntegrityError:
        raise invalid(
            "email", "email_taken", "There is already a user with this e-mail address."
        ) from None
    return person


def record_event(person_id: str, act: str, address: str = "") -> None:
    """Record an event of a person's sign-in."""
    db.session.add(PersonEvent(person_id=person_id, act=act, address=address))


def recent_events(person_id: str, limit: int = 20) -> list[PersonEvent]:
    return list(
        db.session.scalars(
            select(PersonEvent)
            .where(PersonEvent.person_id == person_id)
            .order_by(PersonEvent.id.desc())
            .limit(limit)
        )
    )


def issue_token(person_id: str, purpose: str, detail: str = "") -> str:
    """The secret of a link. Earlier ones for the same purpose stop working."""
    moment = now()
    db.session.execute(
        update(PersonToken)
        .where(
            PersonToken.person_id == person_id,
            PersonToken.purpose == purpose,
            PersonToken.used_at.is_(None),
        )
        .values(used_at=moment)
    )
    token = new_token(192)
    db.session.add(
        PersonToken(
            token_hash=secret_digest(token),
            person_id=person_id,
            purpose=purpose,
            detail=detail,
            expires_at=moment + TOKEN_LIFETIMES[purpose],
        )
    )
    return token


def peek_token(token: str, purpose: str) -> PersonToken | None:
    return db.session.scalar(
        select(PersonToken).where(
            PersonToken.token_hash == secret_digest(token),
            PersonToken.purpose == purpose,
            PersonToken.used_at.is_(None),
            PersonToken.expires_at > now(),
        )
    )


def use_token(token: str, purpose: str) -> PersonToken:
    """The conditional update is the lock: of two clicks, one succeeds and the other raises
    Invalid.
    """
    moment = now()
    used: PersonToken | None = db.session.scalar(
        update(PersonToken)
        .where(
            PersonToken.token_hash == secret_digest(token),
            PersonToken.purpose == purpose,
            PersonToken.used_at.is_(None),
            PersonToken.expires_at > moment,
        )
        .values(used_at=moment)
        .returning(PersonToken)
    )
    if used is None:
        raise Invalid("link_over", "This link was already used or has expired. Request a new one.")
    return used


def verify_email(token: str) -> Person:
    used = use_token(token, "verify")
    person = db.session.get_one(Person, used.person_id)
    if used.detail and used.detail != person.email:
        person.email, person.email_key = used.detail, email_key(used.detail)
    person.verified_at = person.verified_at or now()
    record_event(person.id, "email_verified")
    return person


def set_password(person: Person, password: PasswordHash, address: str = "") -> None:
    person.password_hash = str(password)
    record_event(person.id, "password_changed", address)


def reset_password(token: str, password: PasswordHash, address: str) -> Person:
    """The person received the e-mail, so the address counts as verified too. Raises Invalid for an
    expired link.
    """
    used = use_token(token, "reset")
    person = db.session.get_one(Person, used.person_id)
    person.verified_at = person.verified_at or now()
    set_password(person, password, address)
    return person


def delete_old_tokens(before: datetime) -> int:
    deleted = db.session.execute(
        delete(PersonToken).where(PersonToken.expires_at < before).returning(PersonToken.token_hash)
    )
    return len(deleted.all())
