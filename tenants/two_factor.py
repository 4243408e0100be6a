"""Two-step sign-in: a one-time code from an app, or a recovery code."""

import pyotp
from sqlalchemy import delete, func, or_, select, update

from core.clock import now
from core.db import db
from core.errors import Conflict, invalid
from core.ids import short_code
from core.lookups import secret_digest
from core.security.server_keys import keyed_digest
from tenants import people
from tenants.models import Person, RecoveryCode

RECOVERY_CODE_COUNT = 10
KEY, HASHED = "recovery codes", "hmac."
STEP_SECONDS = 30
TOLERATED_STEPS = 1  # a phone's clock may be one step off


def new_secret() -> str:
    return pyotp.random_base32()


def provisioning_uri(person: Person, secret: str) -> str:
    return pyotp.TOTP(secret).provisioning_uri(person.email, issuer_name="Comanda")


def turn_on(person: Person, secret: str, code: str) -> list[str]:
    """Requires a valid code, which proves that the app has the secret. Returns recovery codes."""
    if person.two_step_since is not None:
        raise Conflict("two_step_on", "Two-step verification is already on.")
    step = _matching_step(secret, code)
    if step is None:
        raise invalid(
            "code",
            "wrong_code",
            "This code is not correct. Check that the clock on your phone is right.",
        )
    person.totp_secret, person.totp_used_step = secret, step
    person.two_step_since = now()
    people.record_event(person.id, "two_step_on")
    return new_recovery_codes(person)


def turn_off(person: Person) -> None:
    person.totp_secret = person.totp_used_step = person.two_step_since = None
    db.session.execute(delete(RecoveryCode).where(RecoveryCode.person_id == person.id))
    people.record_event(person.id, "two_step_off")


def new_recovery_codes(person: Person) -> list[str]:
    """Shown once; the old ones stop working."""
    codes = [f"{short_code(5)}-{short_code(5)}" for _ in range(RECOVERY_CODE_COUNT)]
    db.session.execute(delete(RecoveryCode).where(RecoveryCode.person_id == person.id))
    db.session.add_all(
        RecoveryCode(person_id=person.id, code_hash=_hash(person.id, code)) for code in codes
    )
    people.record_event(person.id, "recovery_codes_made")
    return codes


def codes_left(person_id: str) -> int:
    return (
        db.session.scalar(
            select(func.count())
            .select_from(RecoveryCode)
            .where(RecoveryCode.person_id == person_id, RecoveryCode.used_at.is_(None))
        )
        or 0
    )


def check_code(person: Person, code: str) -> bool:
    """True once for each code: of two concurrent tries, the conditional update lets one succeed."""
    plain = code.replace(" ", "").strip()
    if plain.isdigit() and len(plain) == 6:
        step = _matching_step(person.totp_secret or "", plain)
        if step is None:
            return False
        won = db.session.execute(
            update(Person)
            .where(
                Person.id == person.id,
                or_(Person.totp_used_step.is_(None), Person.totp_used_step < step),
            )
            .values(totp_used_step=step)
            .returning(Person.id)
        )
        return won.first() is not None
    won = db.session.execute(
        update(RecoveryCode)
        .where(
            RecoveryCode.person_id == person.id,
            RecoveryCode.code_hash.in_([_hash(person.id, plain), _old_hash(person.id, plain)]),
            RecoveryCode.used_at.is_(None),
        )
        .values(used_at=now())
        .returning(RecoveryCode.code_hash)
    )
    if won.first() is None:
        return False
    people.record_event(person.id, "recovery_code_used")
    return True


def _matching_step(secret: str, code: str) -> int | None:
    if not secret:
        return None
    current = int(now().timestamp()) // STEP_SECONDS
    totp = pyotp.TOTP(secret)
    plain = code.replace(" ", "")
    for step in range(current - TOLERATED_STEPS, current + TOLERATED_STEPS + 1):
        if pyotp.utils.strings_equal(totp.generate_otp(step), plain):
            return step
    return None


def _hash(person_id: str, code: str) -> str:
    """With a key that is stored encrypted: a code has only 48 bits, so a plain hash can be
    searched.
    """
    return f"{HASHED}{keyed_digest(KEY, _bound(person_id, code))}"


def _old_hash(person_id: str, code: str) -> str:
    """The hash of codes from before there was a key. They work until new ones are created."""
    return secret_digest(_bound(person_id, code))


def _bound(person_id: str, code: str) -> str:
    """Bound to the person, so that equal codes of two people have different hashes. The hyphen is
    only for readability.
    """
    return f"{person_id} {code.upper().replace('-', '').replace(' ', '')}"
