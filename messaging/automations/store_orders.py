"""Orders of connected stores, found by the phone of the customer."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import text

from core.db import current_tenant_id, db
from core.ids import to_uuid
from core.sql.partitions import id_at
from core.values.phone import phone_variants
from messaging.contacts import identities as contact_identities

CREATED, FULFILLED, CANCELLED = "order.created", "order.fulfilled", "order.cancelled"

LATEST = text("""
SELECT latest.kind, latest.data, placed.at
  FROM (SELECT connection_id, subject, at FROM store_events
         WHERE tenant_id = :tenant_id AND phone = ANY(:phones) AND kind = 'order.created'
         ORDER BY id DESC LIMIT 1) AS placed
 CROSS JOIN LATERAL (
       SELECT kind, data FROM store_events
        WHERE tenant_id = :tenant_id AND connection_id = placed.connection_id
          AND subject = placed.subject
          AND kind IN ('order.created', 'order.fulfilled', 'order.cancelled')
        ORDER BY id DESC LIMIT 1) AS latest
""")
PHONES_BETWEEN = text("""
SELECT DISTINCT phone FROM store_events
 WHERE tenant_id = :tenant_id AND kind = 'order.created' AND phone <> ''
   AND at >= :since AND at < :until
   AND id >= CAST(:first AS uuid) AND id < CAST(:last AS uuid)
   AND connection_id = ANY (ARRAY(SELECT id FROM connections WHERE tenant_id = :tenant_id))
""")
ORDERED_SINCE = text("""
SELECT DISTINCT phone FROM store_events
 WHERE tenant_id = :tenant_id AND phone = ANY(:phones) AND kind = 'order.created' AND at >= :since
""")
PHONES_OF_CONTACTS = text("""
SELECT contact_id::text AS contact_id, value FROM identities
 WHERE tenant_id = :tenant_id AND contact_id = ANY(CAST(:ids AS uuid[])) AND kind = 'phone'
""")


@dataclass(frozen=True)
class StoreOrder:
    """`kind` is the last event that changed its state; `data` has the fields of the event."""

    kind: str
    data: dict[str, Any]
    placed_at: datetime


def latest_order(phones: Iterable[str]) -> StoreOrder | None:
    known = _spellings(phones)
    if not known:
        return None
    row = db.session.execute(LATEST, _params(phones=known)).first()
    return StoreOrder(row.kind, row.data, row.at) if row is not None else None


def contacts_between(since: datetime, until: datetime) -> set[str]:
    """The contacts who ordered in this time."""
    day = timedelta(days=1)
    around = {"first": id_at(since - day), "last": id_at(until + day)}
    rows = db.session.execute(PHONES_BETWEEN, _params(since=since, until=until, **around))
    keys = [key for row in rows for key in contact_identities.identity_keys(row.phone)]
    return set(contact_identities.owners(keys).values()) if keys else set()


def contacts_since(contact_ids: Sequence[str], since: datetime) -> set[str]:
    """Those of these contacts who have ordered since."""
    by_uuid = {str(to_uuid("con", one)): one for one in contact_ids}
    rows = db.session.execute(PHONES_OF_CONTACTS, _params(ids=list(by_uuid)))
    owners: dict[str, str] = {}
    for row in rows:
        owners |= dict.fromkeys(phone_variants(row.value), by_uuid[row.contact_id])
    found = db.session.execute(ORDERED_SINCE, _params(phones=list(owners), since=since))
    return {owners[row.phone] for row in found}


def _spellings(phones: Iterable[str]) -> list[str]:
    return sorted({way for phone in phones for way in phone_variants(phone)})


def _params(**more: Any) -> dict[str, Any]:
    return {"tenant_id": current_tenant_id(), **more}
