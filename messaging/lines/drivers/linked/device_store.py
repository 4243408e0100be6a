"""The hosts' own database: the encrypted device of each linked line, and the library's keys.

It is separate from the service's database and has its own role, so that a compromised web process
or worker cannot reach a session. The library creates its own tables in it.
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
# Every library table with data of a device names the device in one of these columns.
LIBRARY_TABLES = r"""
SELECT table_name, column_name FROM information_schema.columns
 WHERE table_schema = current_schema() AND table_name LIKE 'whatsmeow\_%'
   AND column_name IN ('our_jid', 'jid')
 ORDER BY table_name = 'whatsmeow_device'
"""
# Tables that grow with each message or contact and whose rows are not needed for long. Message
# secrets and contacts have no timestamp, so we add a column; the library names the columns that it
# writes, so it is not affected.
UNDATED = ("whatsmeow_message_secrets", "whatsmeow_contacts")
SENT = "whatsmeow_retry_buffer"  # sent texts, in case the recipient's device requests them again
RECEIVED = "whatsmeow_event_buffer"  # received texts; their hashes identify repeats
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
# For one device, while the network may still repeat messages: deletes the text and keeps the hash.
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

    def save(self, tenant_id: int, line_id: int, device: str) -> None:
        sealed = current_keyring().encrypt(device, _context(tenant_id, line_id))
        with self._opened() as connection, connection.cursor() as cursor:
            cursor.execute(SAVE_DEVICE, (tenant_id, line_id, sealed))

    def find(self, tenant_id: int, line_id: int) -> str:
        """Return the device, or "" if the line has to be linked."""
        with self._opened() as connection, connection.cursor() as cursor:
            cursor.execute(FIND_DEVICE, (tenant_id, line_id))
            found = cursor.fetchone()
        return current_keyring().decrypt(found[0], _context(tenant_id, line_id)) if found else ""

    def all(self) -> list[tuple[int, int]]:
        with self._opened() as connection, connection.cursor() as cursor:
            cursor.execute(ALL_DEVICES)
            return list(cursor.fetchall())

    def reencrypt(self) -> tuple[int, int]:
        """Encrypt every device with the newest key.

        Returns how many were re-encrypted and how many no key can decrypt.
        """
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
        """Delete the device and all its keys.

        The library deletes its rows only after the network has confirmed the logout, so they would
        stay if the network could not be reached.
        """
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
        """Delete old secrets, contacts and buffered texts of all devices, or of one.

        Returns the number of rows.
        """
        values = {
            "before": before,
            "milliseconds": int(before.timestamp() * 1000),
            "device": device,
        }
        deleted = 0
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
                deleted += cursor.rowcount
        return deleted

    @contextmanager
    def _opened(self) -> Iterator[Connection]:
        """Open a connection. Used a few times per session, so there is no pool."""
        connection = psycopg2.connect(self.url, connect_timeout=5, application_name="comanda-host")
        try:
            with connection:
                yield connection
        finally:
            connection.close()


def _decrypted(sealed: str, tenant_id: int, line_id: int) -> str:
    """Return the device, or "" if no key can decrypt it; its data is unusable then."""
    try:
        return current_keyring().decrypt(sealed, _context(tenant_id, line_id))
    except KeyringError:
        return ""


def _context(tenant_id: int, line_id: int) -> str:
    return f"devices.device@{tenant_id}/{line_id}"
