"""What the library of linked phones keeps is deleted like everything else."""

from datetime import timedelta

import psycopg2
import pytest

from core.clock import frozen, now
from jobs.linked import retention as linked_retention
from messaging.lines.drivers.linked.device_store import DeviceStore
from tenants.data import retention as retention_settings
from tenants.data.retention import RetentionDays

# As the library creates them, without irrelevant columns.
TABLES = """
CREATE TABLE whatsmeow_device (jid text PRIMARY KEY);
CREATE TABLE whatsmeow_sessions (our_jid text, their_id text, session bytea,
    PRIMARY KEY (our_jid, their_id));
CREATE TABLE whatsmeow_contacts (our_jid text, their_jid text, full_name text,
    PRIMARY KEY (our_jid, their_jid));
CREATE TABLE whatsmeow_message_secrets (our_jid text, chat_jid text, sender_jid text,
    message_id text, key bytea NOT NULL,
    PRIMARY KEY (our_jid, chat_jid, sender_jid, message_id));
CREATE TABLE whatsmeow_event_buffer (our_jid text NOT NULL, ciphertext_hash bytea NOT NULL,
    plaintext bytea, server_timestamp bigint NOT NULL, insert_timestamp bigint NOT NULL,
    PRIMARY KEY (our_jid, ciphertext_hash));
CREATE TABLE whatsmeow_retry_buffer (our_jid text NOT NULL, chat_jid text NOT NULL,
    message_id text NOT NULL, format text NOT NULL, plaintext bytea NOT NULL,
    timestamp bigint NOT NULL, PRIMARY KEY (our_jid, chat_jid, message_id));
"""
INSERTS = (
    "INSERT INTO whatsmeow_sessions (our_jid, their_id) VALUES (%(our)s, %(id)s)",
    "INSERT INTO whatsmeow_contacts (our_jid, their_jid, full_name) VALUES (%(our)s, %(id)s, 'A')",
    """INSERT INTO whatsmeow_message_secrets (our_jid, chat_jid, sender_jid, message_id, key)
       VALUES (%(our)s, 'ayse', 'ayse', %(id)s, 'k')""",
    "INSERT INTO whatsmeow_event_buffer VALUES (%(our)s, %(id)s, 'Merhaba', 1, %(ms)s)",
    "INSERT INTO whatsmeow_retry_buffer VALUES (%(our)s, 'ayse', %(id)s, 'wa', 'Selam', %(ms)s)",
)
DEVICE = "905321112233:7@s.whatsapp.net"


class Library:
    def __init__(self, url):
        self.store = DeviceStore(url)
        self.connection = psycopg2.connect(self.store.url)
        self.connection.autocommit = True
        self.cursor = self.connection.cursor()

    def writes(self, name, device=DEVICE):
        payload = {"our": device, "id": name, "ms": int(now().timestamp() * 1000)}
        for insert in INSERTS:
            self.cursor.execute(insert, payload)

    def left(self, device=DEVICE):
        """The number of rows of each table, and of received texts."""
        tables = ("sessions", "contacts", "message_secrets", "retry_buffer", "event_buffer")
        counts = {}
        for table in tables:
            self.cursor.execute(
                f"SELECT count(*) FROM whatsmeow_{table} WHERE our_jid = %s", (device,)
            )
            (counts[table],) = self.cursor.fetchone()
        self.cursor.execute(
            "SELECT count(plaintext) FROM whatsmeow_event_buffer WHERE our_jid = %s", (device,)
        )
        (counts["texts"],) = self.cursor.fetchone()
        return tuple(counts.values())


@pytest.fixture
def library(settings):
    """The hosts' own database, by the hosts' role, with the library's tables."""
    made = Library(settings.linked_store_url)
    made.store.prepare()
    made.cursor.execute(TABLES)
    yield made
    made.cursor.execute(
        "DROP TABLE whatsmeow_device, whatsmeow_sessions, whatsmeow_contacts,"
        " whatsmeow_message_secrets, whatsmeow_event_buffer, whatsmeow_retry_buffer;"
        " DELETE FROM devices"
    )
    made.connection.close()


def cleaned(app, library, days):
    with frozen(now() + timedelta(days=days)), app.app_context():
        return linked_retention.forget(library.store)


def test_secrets_contacts_and_buffered_texts_are_deleted_after_a_month(app, library):
    library.writes("before")
    assert cleaned(app, library, 0) == 0
    library.writes("after")
    assert library.left() == (2, 2, 2, 2, 2, 2)
    assert cleaned(app, library, 29) == 0
    assert cleaned(app, library, 31) == 8
    assert library.left() == (2, 0, 0, 0, 0, 0), "the keys of the session stay"


def test_a_business_that_keeps_messages_for_a_week_keeps_these_no_longer(app, restaurant, library):
    library.store.save(restaurant.tenant_id, 1, DEVICE)
    with app.app_context(), restaurant.scope():
        retention_settings.set_days(RetentionDays(message_days=7))
    library.writes("mine")
    library.writes("theirs", "other")
    cleaned(app, library, 0)
    cleaned(app, library, 8)
    assert library.left() == (1, 0, 0, 0, 1, 0), "the hash tells a repeat for two weeks"
    assert library.left("other") == (1, 1, 1, 1, 1, 1)


def test_a_store_without_the_librarys_tables_is_left_alone(app, settings):
    store = DeviceStore(settings.linked_store_url)
    store.prepare()
    with app.app_context():
        assert linked_retention.forget(store) == 0
