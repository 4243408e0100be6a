"""Idempotency keys: a POST repeated with the same key has no second effect and gets the first
response again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import current_tenant_id, db
from core.errors import Conflict, invalid
from tenants.models import IdempotencyKey

KEY_LIFETIME = timedelta(days=7)
IN_FLIGHT = timedelta(seconds=30)
MAX_KEY_LENGTH = 255


@dataclass(frozen=True)
class StoredResponse:
    status: int
    headers: dict[str, Any]
    body: str


@dataclass(frozen=True)
class InterruptedRequest:
    """The first request created this and was interrupted before it stored its response."""

    made: str


def begin(key: str, fingerprint: str) -> StoredResponse | InterruptedRequest | None:
    """None: continue, this transaction owns the key. Otherwise the response to repeat. Raises
    Invalid or Conflict as `find` does.
    """
    moment = now()
    row = IdempotencyKey.__table__
    inserted = db.session.execute(
        insert(IdempotencyKey)
        .values(tenant_id=current_tenant_id(), key=key, fingerprint=fingerprint, created_at=moment)
        .on_conflict_do_update(
            index_elements=[IdempotencyKey.tenant_id, IdempotencyKey.key],
            # An expired key is free again, even before the nightly job deletes it.
            set_={
                "fingerprint": fingerprint,
                "created_at": moment,
                "status": None,
                "headers": None,
                "body": None,
            },
            where=row.c.created_at < moment - KEY_LIFETIME,
        )
        .returning(IdempotencyKey.key)
    ).first()
    return None if inserted is not None else find(key, fingerprint)


def find(key: str, fingerprint: str) -> StoredResponse | InterruptedRequest | None:
    """The response that was stored for this key; None if there is none or it has expired.

    Raises Invalid if the key was used for another request, and Conflict while the first request is
    still running.
    """
    moment = now()
    known = db.session.scalars(
        select(IdempotencyKey).where(
            IdempotencyKey.tenant_id == current_tenant_id(),
            IdempotencyKey.key == key,
            IdempotencyKey.created_at >= moment - KEY_LIFETIME,
        )
    ).first()
    if known is None:
        return None
    if known.fingerprint != fingerprint:
        raise invalid(
            "Idempotency-Key",
            "idempotency_mismatch",
            "This Idempotency-Key was already used with a different request.",
        )
    if known.status is None:
        if known.body and known.created_at < moment - IN_FLIGHT:
            return InterruptedRequest(known.body)
        raise Conflict(
            "idempotency_in_flight",
            "The first request with this Idempotency-Key is still being processed.",
        )
    return StoredResponse(known.status, known.headers or {}, known.body or "")


def finish(key: str, answer: StoredResponse) -> None:
    db.session.execute(
        update(IdempotencyKey)
        .where(IdempotencyKey.tenant_id == current_tenant_id(), IdempotencyKey.key == key)
        .values(status=answer.status, headers=answer.headers, body=answer.body)
    )


def release_key(key: str) -> None:
    db.session.execute(
        delete(IdempotencyKey).where(
            IdempotencyKey.tenant_id == current_tenant_id(), IdempotencyKey.key == key
        )
    )


def delete_old(before: datetime) -> int:
    deleted = db.session.execute(
        delete(IdempotencyKey)
        .where(IdempotencyKey.tenant_id == current_tenant_id(), IdempotencyKey.created_at < before)
        .returning(IdempotencyKey.key)
    )
    return len(deleted.all())
