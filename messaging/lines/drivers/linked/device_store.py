"""The hosts' own database: which device a line is linked as, sealed; and the library's keys.

It is another database than the service's, with a role of its own: a door or a worker that is
talked into something cannot reach a session. The library makes its own tables in it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import psycopg2
from psycopg2 import sql
from psycopg2.extensions import connection as Connection  # noqa: N812 - a class of theirs

from core.security.encryption import KeyringError, current_keyring

CREATE_DEVICES = """
CREATE TABLE IF NOT EXISTS devices (
    tenant_id bigint NOT NULL,
    line_id integer NOT NULL,
    device text NOT NULL,
    PRIMARY KEY (tenant_id, line_id)
)
"""
SAVE_DEVICE = """
INSERT INTO devices (tenant_id, line_id, device) VALUES (%s, %s, %s)
ON CONFLICT (tenant_id, line_id) DO UPDATE SET device = excluded.device
"""
FIND_DEVICE = "SELECT device FROM devices WHERE tenant_id = %s AND line_id = %s"
ALL_DEVICES = "SELECT tenant_id, line_id FROM devices"
ENCRYPTED_DEVICES = "SELECT tenant_id, line_id, device FROM devices"
REENCRYPT_DEVICE = (
    "UPDATE devices SET device = %s WHERE tenant_id = %s AND line_id = %s AND device = %s"
)
DELETE_DEVICE = "DELETE FROM devices WHERE tenant_id = %s AND line_id = %s RETURNING device"
# The library's own tables: whatever is kept for a device names it in one of these columns.
LIBRARY_TABLES = r"""
SELECT table_name, column_name FROM information_schema.columns
 WHERE table_schema = current_schema() AND table_name LIKE 'whatsmeow\_%'
   AND column_name IN ('our_jid', 'jid')
 ORDER BY table_name = 'whatsmeow_device'
"""
# What the library adds to with each message or person and does not need for long. Secrets and
# contacts carry no time, so we add a column; the library names the columns it writes.
UNDATED = ("whatsmeow_message_secrets", "whatsmeow_contacts")
SENT = "whatsmeow_retry_buffer"  # texts that were sent, in case the other side asks again
RECEIVED = "whatsmeow_event_buffer"  # texts that came; the hashes tell repeats
COLUMNS = r"""
SELECT table_name, array_agg(column_name::text) FROM information_schema.columns
 WHERE table_schema = current_schema() AND table_name LIKE 'whatsmeow\_%'
 GROUP BY table_name
"""
DATE_ROWS = "ALTER TABLE {} ADD COLUMN kept_since timestamptz NOT NULL DEFAULT now()"
OLD_ROWS = {
    **dict.fromkeys(UNDATED, "DELETE FROM {} WHERE kept_since < %(before)s"),
    SENT: "DELETE FROM {} WHERE timestamp < %(milliseconds)s",
    RECEIVED: "DELETE FROM {} WHERE insert_timestamp < %(milliseconds)s",
}
# For one device, before the network has forgotten what it may send again: the text, not the hash.
OLD_TEXTS = (
    "UPDATE {} SET plaintext = NULL"
    " WHERE insert_timestamp < %(milliseconds)s AND plaintext IS NOT NULL"
)


class DeviceStore:
    def __init__(self, url: str) -> None:
        self.url = "postgresql://" + url.partition("://")[2]

    def prepare(self) -> None:
        with self._opened() as connection, connection.cursor() as cursor:
            cursor.execute(CREATE_DEVICES)

    def keep(self, tenant_id: int, line_id: int, device: str) -> None:
        sealed = current_keyring().encrypt(device, _context(tenant_id, line_id))
        with self._opened() as connection, connection.cursor() as cursor:
            cursor.execute(SAVE_DEVICE, (tenant_id, line_id, sealed))

    def find(self, tenant_id: int, line_id: int) -> str:
        """The device, or nothing: the line has to be linked."""
        with self._opened() as connection, connection.cursor() as cursor:
            cursor.execute(FIND_DEVICE, (tenant_id, line_id))
            found = cursor.fetchone()
        return current_keyring().decrypt(found[0], _context(tenant_id, line_id)) if found else ""

    def all(self) -> list[tuple[int, int]]:
        with self._opened() as connection, connection.cursor() as cursor:
            cursor.execute(ALL_DEVICES)
            return list(cursor.fetchall())

    def reencrypt(self) -> tuple[int, int]:
        """Seal every device with the newest key. How many were, and how many no key opens."""
        done = unreadable = 0
        with self._opened() as connection, connection.cursor() as cursor:
            cursor.execute(ENCRYPTED_DEVICES)
            for tenant_id, line_id, sealed in cursor.fetchall():
                try:
                    fresh = current_keyring().reencrypt(sealed, _context(tenant_id, line_id))
                except KeyringError:
                    unreadable += 1
                    continue
                if fresh != sealed:
                    cursor.execute(REENCRYPT_DEVICE, (fresh, tenant_id, line_id, sealed))
                    done += 1
        return done, unreadable

    def forget(self, tenant_id: int, line_id: int) -> None:
        """The device and every key of it. The library drops its rows when the network has heard of
        the end; where it could not be reached they would stay."""
        with self._opened() as connection, connection.cursor() as cursor:
            cursor.execute(DELETE_DEVICE, (tenant_id, line_id))
            found = cursor.fetchone()
            if found is None:
                return
            device = _decrypted(found[0], tenant_id, line_id)
            cursor.execute(LIBRARY_TABLES)
            for table, column in cursor.fetchall() if device else ():
                cursor.execute(
                    sql.SQL("DELETE FROM {} WHERE {} = %s").format(
                        sql.Identifier(table), sql.Identifier(column)
                    ),
                    (device,),
                )

    def forget_old(self, before: datetime, device: str = "") -> int:
        """Secrets, contacts and buffered texts of all devices, or of this one. How many rows."""
        values = {
            "before": before,
            "milliseconds": int(before.timestamp() * 1000),
            "device": device,
        }
        gone = 0
        with self._opened() as connection, connection.cursor() as cursor:
            cursor.execute("SET LOCAL lock_timeout = '3s'")
            cursor.execute(COLUMNS)
            for table, columns in cursor.fetchall():
                if table not in OLD_ROWS:
                    continue
                name = sql.Identifier(table)
                if table in UNDATED and "kept_since" not in columns:
                    cursor.execute(sql.SQL(DATE_ROWS).format(name))
                old = OLD_TEXTS if device and table == RECEIVED else OLD_ROWS[table]
                of_device = " AND our_jid = %(device)s" if device else ""
                cursor.execute(sql.SQL(old + of_device).format(name), values)
                gone += cursor.rowcount
        return gone

    @contextmanager
    def _opened(self) -> Iterator[Connection]:
        """Asked for a few times in the life of a session: no pool is worth it."""
        connection = psycopg2.connect(self.url, connect_timeout=5, application_name="comanda-host")
        try:
            with connection:
                yield connection
        finally:
            connection.close()


def _decrypted(sealed: str, tenant_id: int, line_id: int) -> str:
    """Nothing for one that no key opens any more: what is sealed in it nobody can use."""
    try:
        return current_keyring().decrypt(sealed, _context(tenant_id, line_id))
    except KeyringError:
        return ""


def _context(tenant_id: int, line_id: int) -> str:
    return f"devices.device@{tenant_id}/{line_id}"
