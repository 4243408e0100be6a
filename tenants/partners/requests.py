"""Idempotency keys of partners. A tenant does not exist yet when one is created, so its own table
of keys cannot be used.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert

from core.clock import now
from core.db import db
from core.errors import invalid
from tenants.idempotency import KEY_LIFETIME
from tenants.partners.models import PartnerRequest


@dataclass(frozen=True)
class StoredAnswer:
    status: int
    body: str


def find(partner_id: str, key: str, fingerprint: str) -> StoredAnswer | None:
    """The answer to the first request. Raises Invalid if the key had another request."""
    row = db.session.scalars(
        select(PartnerRequest).where(
            PartnerRequest.partner_id == partner_id,
            PartnerRequest.key == key,
            PartnerRequest.created_at >= now() - KEY_LIFETIME,
        )
    ).first()
    if row is None or row.status is None:
        return None
    if row.fingerprint != fingerprint:
        raise invalid(
            "Idempotency-Key",
            "idempotency_mismatch",
            "This Idempotency-Key was already used with a different request.",
        )
    return StoredAnswer(row.status, row.body or "")


def begin(partner_id: str, key: str, fingerprint: str) -> StoredAnswer | None:
    """None: continue, this transaction owns the key. A concurrent request with the same key waits
    for the first one to commit and gets its answer.
    """
    moment = now()
    table = PartnerRequest.__table__
    taken = db.session.execute(
        insert(PartnerRequest)
        .values(partner_id=partner_id, key=key, fingerprint=fingerprint, created_at=moment)
        .on_conflict_do_update(
            index_elements=[PartnerRequest.partner_id, PartnerRequest.key],
            set_={
                "fingerprint": fingerprint,
                "created_at": moment,
                "status": None,
                "body": None,
            },
            where=table.c.created_at < moment - KEY_LIFETIME,
        )
        .returning(PartnerRequest.key)
    ).first()
    return None if taken is not None else find(partner_id, key, fingerprint)


def finish(partner_id: str, key: str, answer: StoredAnswer) -> None:
    db.session.execute(
        update(PartnerRequest)
        .where(PartnerRequest.partner_id == partner_id, PartnerRequest.key == key)
        .values(status=answer.status, body=answer.body)
    )


def delete_old(before: datetime | None = None) -> None:
    """Nightly."""
    before = before or now() - KEY_LIFETIME - timedelta(days=1)
    db.session.execute(delete(PartnerRequest).where(PartnerRequest.created_at < before))
