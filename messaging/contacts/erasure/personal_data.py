"""Where personal data of a contact is stored, and how it is blanked while the row stays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select, text, update

from core.db import current_tenant_id, db
from core.ids import from_uuid, to_uuid
from core.mail import Mail, body_of
from core.security.encryption import KeyringError
from messaging.messages.media import files as media_files
from messaging.models import ContactErasure, Identity

BATCH = 500
ERASED_NAME = "erased contact"
NO_ID = "00000000-0000-0000-0000-000000000000"

MESSAGES = text("""
SELECT id, network_id, content FROM messages
 WHERE tenant_id = :tenant_id AND phone = ANY(:names) AND id <= :until AND state <> 'sending'
 ORDER BY id LIMIT :most FOR UPDATE
""")
FIND_IN_FLIGHT = text("""
SELECT 1 FROM messages
 WHERE tenant_id = :tenant_id AND phone = ANY(:names) AND id <= :until LIMIT 1
""")
BLANK_MESSAGES = text("""
UPDATE messages
   SET phone = '', contact_id = NULL, text = '', content = '{}', reference = NULL,
       network_id = NULL, error_text = NULL
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
BLANK_CHANGES = text("""
UPDATE message_changes SET cause = ''
 WHERE tenant_id = :tenant_id AND message_id = ANY(CAST(:ids AS uuid[]))
""")
DROP_NETWORK_IDS = text("""
DELETE FROM network_ids WHERE tenant_id = :tenant_id AND network_id = ANY(:network_ids)
""")
# Short links of campaigns: they no longer work afterwards.
DROP_LINKS = text("""
DELETE FROM short_links WHERE tenant_id = :tenant_id AND contact_id = :contact_id
""")
# Tables with raw bodies are scanned in the order of their ids.
EVENTS = text("""
SELECT id, body::text LIKE ANY(:marks) AS found FROM events
 WHERE tenant_id = :tenant_id AND id > :reached AND id <= :until ORDER BY id LIMIT :most
""")
BLANK_EVENTS = text("""
UPDATE events
   SET body = jsonb_build_object('event', type, 'instance_id', body->'instance_id',
                                 'data', jsonb_build_object('erased', true))
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
# An endpoint's response may contain the body that we posted.
BLANK_ATTEMPTS = text("""
UPDATE delivery_attempts SET headers = '{}', answer = ''
 WHERE tenant_id = :tenant_id AND delivery_id IN (
       SELECT id FROM deliveries
        WHERE tenant_id = :tenant_id AND event_id = ANY(CAST(:ids AS uuid[])))
""")
BLANK_EVENT_STATEMENTS = (BLANK_EVENTS, BLANK_ATTEMPTS)
# Stores and forms format numbers freely, so only digits are compared there.
HOOKS = text("""
SELECT id, state, EXISTS (SELECT 1 FROM unnest(CAST(:bytes AS bytea[])) AS mark (it)
                    WHERE position(mark.it IN received_hooks.body) > 0)
       OR (kind <> 'cloud' AND regexp_replace(encode(body, 'escape'), '[^0-9]', '', 'g')
                               LIKE ANY(:ends)) AS found
  FROM received_hooks
 WHERE tenant_id = :tenant_id AND id > :reached AND id <= :until ORDER BY id LIMIT :most
""")
BLANK_HOOKS = text("""
UPDATE received_hooks SET body = '', error = NULL
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
AUDIT = text("""
SELECT id, detail->>'contact' = :contact OR detail->>'gone' = :contact
           OR detail::text LIKE ANY(:marks)
           OR (act >= 'contacts.' AND act < 'contacts/' AND subject = ANY(:titles)) AS found
  FROM audit_entries
 WHERE tenant_id = :tenant_id AND id > :reached AND id <= :until ORDER BY id LIMIT :most
""")
BLANK_AUDIT = text("""
UPDATE audit_entries SET subject = :erased, detail = '{}'
 WHERE tenant_id = :tenant_id AND id = ANY(CAST(:ids AS uuid[]))
""")
# A repeated request still does nothing twice; only its response is shorter.
BLANK_ANSWERS = text("""
UPDATE idempotency_keys SET body = '{"status": "success", "erased": true}'
 WHERE tenant_id = :tenant_id AND status IS NOT NULL AND body LIKE ANY(:marks)
""")
DROP_ANSWERS = text("""
DELETE FROM idempotency_keys WHERE tenant_id = :tenant_id AND key LIKE ANY(:inside)
""")
# Numbers are stored as people wrote them, so only their digits are compared.
DROP_REJECTS = text("""
DELETE FROM contact_import_rejects
 WHERE tenant_id = :tenant_id
   AND (array_to_string(cells, ' ') LIKE ANY(:inside)
        OR regexp_replace(array_to_string(cells, ' '), '[^0-9]', '', 'g') LIKE ANY(:ends))
""")
BLANK_SAMPLES = text("""
UPDATE contact_imports SET columns = jsonb_set(columns, '{rows}', '[]')
 WHERE tenant_id = :tenant_id
   AND (columns::text LIKE ANY(:inside)
        OR regexp_replace(columns::text, '[^0-9]', '', 'g') LIKE ANY(:ends))
""")
DROP_PHONES = text("""
DELETE FROM contact_import_phones WHERE tenant_id = :tenant_id AND phone = ANY(:names)
""")
DROP_HELD = text("""
DELETE FROM held_messages WHERE tenant_id = :tenant_id AND phone = ANY(:names)
""")
DROP_JOURNEY_RUNS = text("""
DELETE FROM journey_runs WHERE tenant_id = :tenant_id AND contact_id = :contact_id
""")
# Edits that wait for their message, with the ids that they reserve.
DROP_EARLY_EDITS = text("""
WITH gone AS (
    DELETE FROM early_edits
     WHERE tenant_id = :tenant_id AND changes::text LIKE ANY(:marks) RETURNING network_id)
DELETE FROM network_ids
 WHERE tenant_id = :tenant_id AND network_id IN (SELECT network_id FROM gone)
""")


@dataclass(frozen=True)
class ErasureTarget:
    """What an erasure looks for; also passed to the steps of other packages."""

    contact_id: str
    names: list[str]
    """Phones in every spelling and network ids; each is a whole value somewhere."""
    titles: list[str]
    """The display names of the contact."""
    until: str
    """Only ids up to this one are erased; later data is from a new contact."""


DeleteBlobs = Callable[[list[str]], None]


def blank_messages(target: ErasureTarget, drop_blobs: DeleteBlobs) -> tuple[int, int]:
    params = search_patterns(target)
    if not target.names:
        return 0, 0
    rows = db.session.execute(MESSAGES, {**params, "most": BATCH}).all()
    ids = [str(row.id) for row in rows]
    if ids:
        here = {"tenant_id": params["tenant_id"], "ids": ids}
        db.session.execute(BLANK_MESSAGES, here)
        db.session.execute(BLANK_CHANGES, here)
        network_ids = [row.network_id for row in rows if row.network_id]
        db.session.execute(
            DROP_NETWORK_IDS, {"tenant_id": params["tenant_id"], "network_ids": network_ids}
        )
        media_files.delete_files([from_uuid("msg", row.id) for row in rows])
        drop_blobs(sorted({key for row in rows for key in blob_keys(row.content)}))
    return len(rows), len(rows)


def has_messages_in_flight(target: ErasureTarget) -> bool:
    if not target.names:
        return False
    return db.session.execute(FIND_IN_FLIGHT, search_patterns(target)).first() is not None


def scan_table(
    erasure: ContactErasure, target: ErasureTarget, select_rows: Any, *blanks: Any
) -> tuple[int, int]:
    """Scan one batch of a table and blank the rows that match.

    Returns how many rows were scanned and how many matched; `erasure.reached` moves on. Scanned is
    -1 if an unprocessed hook that matches blocks the scan.
    """
    rows = db.session.execute(
        select_rows, {**search_patterns(target), "reached": erasure.reached or NO_ID, "most": BATCH}
    ).all()
    unread = [
        n for n, row in enumerate(rows) if row.found and getattr(row, "state", "") == "waiting"
    ]
    passed = rows[: unread[0]] if unread else rows
    ids = [str(row.id) for row in passed if row.found]
    for blank in blanks if ids else ():
        db.session.execute(
            blank, {"tenant_id": current_tenant_id(), "ids": ids, "erased": ERASED_NAME}
        )
    if passed:
        erasure.reached = str(passed[-1].id)
    return -1 if unread else len(rows), len(ids)


def erase_remaining(target: ErasureTarget) -> None:
    params = search_patterns(target)
    own = {"tenant_id": current_tenant_id(), "contact_id": str(to_uuid("con", target.contact_id))}
    db.session.execute(DROP_LINKS, own)
    statements: list[Any] = [BLANK_ANSWERS, DROP_ANSWERS, DROP_PHONES, DROP_HELD, DROP_EARLY_EDITS]
    if target.names:
        for statement in statements:
            db.session.execute(statement, params)
    db.session.execute(
        DROP_JOURNEY_RUNS,
        {"tenant_id": params["tenant_id"], "contact_id": str(to_uuid("con", target.contact_id))},
    )
    db.session.execute(DROP_REJECTS, params)
    db.session.execute(BLANK_SAMPLES, params)
    _erase_emails([*_searchable_words(target.names), *_searchable_words(target.titles)])
    db.session.execute(
        delete(Identity).where(
            Identity.tenant_id == current_tenant_id(), Identity.contact_id == target.contact_id
        )
    )


def _erase_emails(words: list[str]) -> None:
    """Blank e-mails that contain these words. Bodies are encrypted, so each one is decrypted."""
    emails = db.session.execute(
        select(Mail.id, Mail.subject).where(Mail.tenant_id == current_tenant_id())
    ).all()
    for letter_id, subject in emails:
        try:
            content = f"{subject}\n{body_of(letter_id)}"
        except KeyringError:  # unreadable without its key
            continue
        if any(word in content for word in words):
            db.session.execute(update(Mail).where(Mail.id == letter_id).values(subject="", body=""))


def search_patterns(target: ErasureTarget) -> dict[str, Any]:
    """Return the parameters of all statements.

    A name matches only where it is a whole JSON value, because short names would match everywhere.
    """
    public = target.contact_id
    signed = [f"+{name}" for name in target.names if name.isdigit()]  # as order events write them
    whole = [*target.names, *signed, public]
    return {
        "tenant_id": current_tenant_id(),
        "names": target.names,
        "until": target.until,
        "contact": public,
        "titles": target.titles,
        "marks": [f'%{before}{_escaped(name)}"%' for name in whole for before in ('"', '"+')],
        "inside": [f"%{_escaped(name)}%" for name in _searchable_words([*whole, *target.titles])],
        "ends": [f"%{name[-9:]}%" for name in target.names if name.isdigit() and len(name) > 8],
        "bytes": [f'{before}{name}"'.encode() for name in whole for before in ('"', '"+')],
    }


def _searchable_words(words: list[str]) -> list[str]:
    return [word for word in words if len(word) >= 5]


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")


def blob_keys(content: Any) -> list[str]:
    """Return the keys of the files of a message: every `blob` in its content."""
    if isinstance(content, dict):
        own = [content["blob"]] if isinstance(content.get("blob"), str) else []
        return own + [key for part in content.values() for key in blob_keys(part)]
    if isinstance(content, list):
        return [key for part in content for key in blob_keys(part)]
    return []
