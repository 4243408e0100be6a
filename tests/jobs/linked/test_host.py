"""Linked lines by real hosts on the simulated network: linked, spoken through, taken over."""

import signal
import time

import psycopg2
import pytest
from sqlalchemy import select

from core.clock import now
from core.db import db, global_scope
from core.queue.leases import Lease
from core.redis.client import redis_client
from jobs.linked.wakeup import CHANNEL
from jobs.tenants import account_closure as closing_job
from messaging import reasons
from messaging.lines import removal as line_removal
from messaging.lines import repository as line_repository
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.linked.device_store import DeviceStore
from messaging.messages import accept as message_accept
from messaging.messages import queries as message_queries
from messaging.messages.accept import MessageDraft
from messaging.messages.media import files as media_files
from messaging.models import MediaFile, Message, MessageChange
from tenants import accounts
from tenants.data import account_closure
from tenants.plans.catalog import current_tenant_facts
from tests.messaging.lines.linked_processes import (
    CUSTOMER,
    add_line,
    eventually,
    link,
    staged,
    state_of,
)
from webhooks.models import Event


@pytest.fixture(scope="module")
def stage(app, settings):
    with staged(settings) as stage:
        stage.set(sent_ms=1, delivered_ms=100, read_ms=200)
        stage.host = stage.start_host()
        yield stage


@pytest.fixture
def line(stage, restaurant):
    line_id = add_line(restaurant)
    link(stage, restaurant, line_id)
    return line_id


def send(business, line_id, text="Masanız hazır", phone=CUSTOMER, **more):
    with business.scope():
        line = line_repository.get(line_id)
        draft = MessageDraft(**{"kind": "text", "phone": phone, "text": text, **more})
        return message_accept.accept_message(draft, line, current_tenant_facts()).id


def message(business, message_id):
    with business.scope():
        return message_queries.get(message_id)


def until_state(business, message_id, state, seconds=15.0):
    def look():
        found = message(business, message_id)
        return found if found.state == state else None

    return eventually(look, seconds)


def states(business, message_id):
    with business.scope():
        query = (
            select(MessageChange.state)
            .where(
                MessageChange.tenant_id == business.tenant_id,
                MessageChange.message_id == message_id,
            )
            .order_by(MessageChange.id)
        )
        return list(db.session.scalars(query))


def events(business, kind):
    with business.scope():
        query = select(Event.body).where(Event.tenant_id == business.tenant_id, Event.type == kind)
        return [body["data"] for body in db.session.scalars(query)]


def test_a_phone_is_linked_and_a_message_goes_there_and_back(stage, restaurant, line):
    with restaurant.scope():
        known, linked = pairing.get_linked_line(line)
        assert (known.phone, known.is_default, linked.qr) == ("905321110000", True, None)
        assert linked.paired_at is not None
    message_id = send(restaurant, line)
    read = until_state(restaurant, message_id, "read")
    assert read.network_id.startswith("3EB0")
    assert states(restaurant, message_id) == ["queued", "sending", "sent", "delivered", "read"]
    assert [one["text"] for one in stage.shown()] == ["Masanız hazır"]
    reply_id = stage.write(restaurant, line, text="Teşekkürler", name="Ayşe")
    published = eventually(lambda: events(restaurant, "messages.upsert"))
    assert [(one["text"], one["message_id"]) for one in published] == [("Teşekkürler", reply_id)]
    assert events(restaurant, "instances.connected")
    assert events(restaurant, "instances.qr")[0]["qr"].startswith("2@")


def test_codes_are_renewed_and_then_expire(stage, restaurant):
    stage.set(qr_first_ms=600, qr_next_ms=400, qr_codes=3)
    line_id = add_line(restaurant)
    try:
        with restaurant.scope():
            pairing.start(line_id)
        eventually(lambda: state_of(restaurant, line_id) == "unpaired")
    finally:
        stage.set(qr_first_ms=60_000, qr_next_ms=20_000, qr_codes=6)
    shown = [one["qr"] for one in events(restaurant, "instances.qr")]
    assert len(set(shown)) == len(shown) == 3
    with restaurant.scope():
        known, linked = pairing.get_linked_line(line_id)
        assert (linked.qr, linked.wanted) == (None, "nothing")
        assert known.state_because == reasons.PAIRING_TIMED_OUT
    link(stage, restaurant, line_id)  # it can be started again


def test_a_code_can_be_typed_into_the_phone_instead(stage, restaurant):
    line_id = add_line(restaurant)
    with restaurant.scope():
        pairing.start(line_id, "905321119999")
    code = eventually(lambda: _code(restaurant, line_id))
    assert len(code) == 8
    assert not stage.scan(code, "905320000000")  # another phone
    assert stage.scan(code, "905321119999")
    eventually(lambda: state_of(restaurant, line_id) == "connected")


def _code(business, line_id):
    with business.scope():
        return pairing.get_linked_line(line_id)[1].code


def test_a_repeated_message_is_stored_once(stage, restaurant, line):
    network_id = stage.write(restaurant, line, text="bir kere", copies=3)
    eventually(lambda: (stage.device(line) or {}).get("waiting") == 0)
    with restaurant.scope():
        query = select(Message.text).where(
            Message.tenant_id == restaurant.tenant_id, Message.network_id == network_id
        )
        assert list(db.session.scalars(query)) == ["bir kere"]


def test_photos_and_locations_are_received_and_stop_opts_out(stage, restaurant, line):
    stage.write(restaurant, line, kind="image", text="menü")
    stage.write(restaurant, line, kind="location", place="Galata")
    stage.write(restaurant, line, text="DUR")
    published = eventually(
        lambda: len(found := events(restaurant, "messages.upsert")) == 3 and found
    )
    assert sorted(one["type"] for one in published) == ["image", "location", "text"]
    assert events(restaurant, "contacts.opted_out")


def test_a_photo_is_fetched_by_the_host_that_holds_the_line(stage, restaurant, line):
    stage.write(restaurant, line, kind="image", text="menü")

    def kept():
        with restaurant.scope():
            rows = db.session.scalars(
                select(MediaFile).where(MediaFile.tenant_id == restaurant.tenant_id)
            ).all()
            return [one for one in rows if one.state == "kept"]

    (file,) = eventually(kept)
    assert file.source.startswith(f"linked:{line}:")
    assert file.mime_type.startswith("image/")
    assert file.size
    assert file.preview_blob_key
    with restaurant.scope():
        assert media_files.claim_downloads(10, 60.0) == []  # nothing of it is the cloud job's


def test_what_waits_while_the_line_is_down_leaves_when_it_is_up(stage, restaurant, line):
    stage.does("unlink", restaurant, line)
    eventually(lambda: state_of(restaurant, line) == "logged_out")
    assert events(restaurant, "instances.disconnected")[-1]["state"] == "logged_out"
    message_id = send(restaurant, line, "sonra")
    time.sleep(1)
    assert message(restaurant, message_id).state == "queued"
    link(stage, restaurant, line)
    until_state(restaurant, message_id, "read")


def test_a_cut_connection_is_made_again_without_a_code(stage, restaurant, line):
    stage.does("drop", restaurant, line)
    eventually(lambda: (stage.device(line) or {}).get("online"))
    until_state(restaurant, send(restaurant, line, "again"), "read")
    assert stage.codes(line) == []


def test_a_restricted_line_waits_and_goes_on(stage, restaurant, line):
    stage.does("ban", restaurant, line)
    eventually(lambda: state_of(restaurant, line) == "restricted")
    assert "restricted" in events(restaurant, "instances.restricted")[0]["because"]
    message_id = send(restaurant, line, "held")
    time.sleep(1.5)
    assert message(restaurant, message_id).state == "queued"
    stage.does("lift", restaurant, line)
    until_state(restaurant, message_id, "read")
    assert state_of(restaurant, line) == "connected"


def test_logging_out_here_unlinks_the_device_on_the_phone(stage, restaurant, line):
    assert stage.device(line)["online"]
    with restaurant.scope():
        pairing.log_out(line)
    eventually(lambda: state_of(restaurant, line) == "logged_out")
    assert stage.device(line) is None
    with restaurant.scope():
        pairing.start(line)
    assert eventually(lambda: stage.codes(line))


def test_a_lost_answer_is_settled_by_the_echo(stage, restaurant, line):
    message_id = send(restaurant, line, "cevapsız", phone="905550000006")
    read = until_state(restaurant, message_id, "read")
    assert read.network_id.startswith("3EB0")
    assert "unknown" in states(restaurant, message_id)
    assert len(stage.shown("905550000006")) == 1


def test_an_unknown_number_is_refused(stage, restaurant, line):
    refused = until_state(
        restaurant, send(restaurant, line, "kime", phone="905550000001"), "failed"
    )
    assert refused.error_code == "recipient_unavailable"


def test_a_template_is_refused_with_a_message(stage, restaurant, line):
    content = {"name": "hello_world", "language": "en_US", "parameters": []}
    message_id = send(restaurant, line, "", kind="template", content=content)
    assert until_state(restaurant, message_id, "failed").error_code == "unsupported_kind"


def test_messages_leave_one_by_one_at_a_humans_pace(stage, restaurant, line):
    began = time.monotonic()
    ids = [send(restaurant, line, f"sıra {n}", phone=f"90532111440{n}") for n in range(3)]
    for message_id in ids:
        until_state(restaurant, message_id, "read")
    assert time.monotonic() - began > 2.0  # at least a second before the second and the third


def test_a_killed_hosts_lines_go_on_elsewhere_without_a_new_code(stage, restaurant, line):
    second = stage.start_host()
    stage.host.send_signal(signal.SIGKILL)
    stage.host.wait()
    stage.host = second
    message_id = send(restaurant, line, "devam")
    until_state(restaurant, message_id, "read", 25)
    with restaurant.scope():
        assert f":{second.pid}:" in pairing.get_linked_line(line)[1].host
    assert stage.codes(line) == []
    stage.write(restaurant, line, text="hâlâ buradayım")
    eventually(lambda: events(restaurant, "messages.upsert"))


@pytest.mark.timing
def test_a_host_that_is_asked_to_stop_hands_its_lines_over_at_once(stage, restaurant, line):
    second = stage.start_host()
    eventually(lambda: redis_client().pubsub_numsub(CHANNEL)[0][1] > 1)  # it is there as well
    stage.host.terminate()
    assert stage.host.wait(12) == 0
    stage.host = second
    eventually(lambda: (stage.device(line) or {}).get("online"), 2.5)
    assert state_of(restaurant, line) == "connected"
    assert not events(restaurant, "instances.disconnected")


def test_a_frozen_host_that_wakes_up_sends_nothing_twice(stage, restaurant, line):
    second = stage.start_host()
    stage.host.send_signal(signal.SIGSTOP)
    ids = [send(restaurant, line, f"bir {n}", phone=f"90532111550{n}") for n in range(3)]
    until_state(restaurant, ids[0], "read", 60)
    stage.host.send_signal(signal.SIGCONT)
    for message_id in ids:
        until_state(restaurant, message_id, "read", 60)
    assert [len(stage.shown(f"90532111550{n}")) for n in range(3)] == [1, 1, 1]
    with restaurant.scope():
        assert f":{second.pid}:" in pairing.get_linked_line(line)[1].host
    second.terminate()
    second.wait(12)


@pytest.fixture
def keys(settings):
    """The hosts' own database, with tables such as the library makes."""
    connection = psycopg2.connect(DeviceStore(settings.linked_store_url).url)
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("CREATE TABLE whatsmeow_device (jid text PRIMARY KEY)")
    cursor.execute(
        "CREATE TABLE whatsmeow_sessions (our_jid text REFERENCES whatsmeow_device, their_id text)"
    )

    class Keys:
        store = DeviceStore(settings.linked_store_url)

        def plant(self, business, line_id):
            device = self.store.find(business.tenant_id, line_id)
            cursor.execute("INSERT INTO whatsmeow_device VALUES (%s), ('other')", (device,))
            rows = "INSERT INTO whatsmeow_sessions VALUES (%s, 'ayse'), ('other', 'ayse')"
            cursor.execute(rows, (device,))

        def left(self, business):
            cursor.execute(
                "SELECT count(*) FROM devices WHERE tenant_id = %s", (business.tenant_id,)
            )
            (mine,) = cursor.fetchone()
            for table, column in (("device", "jid"), ("sessions", "our_jid")):
                cursor.execute(f"SELECT {column} FROM whatsmeow_{table}")
                mine += sum(one != "other" for (one,) in cursor)
            return mine

    yield Keys()
    cursor.execute("DROP TABLE whatsmeow_sessions, whatsmeow_device")
    connection.close()


def ends(business):
    """Leases that are not processed yet."""
    with global_scope():
        return db.session.scalars(select(Lease).where(Lease.tenant_id == business.tenant_id)).all()


def test_an_erased_account_is_gone_from_the_phone_and_from_the_hosts_keys(
    stage, restaurant, line, keys
):
    keys.plant(restaurant, line)
    assert keys.left(restaurant) == 3
    with restaurant.scope():
        account_closure.close(restaurant.name)
    assert stage.device(line) is not None, "for a month it can be opened again"
    with restaurant.scope():
        accounts.get(restaurant.tenant_id).erase_at = now()
    assert closing_job.erase_closed_accounts() == 1
    eventually(lambda: not ends(restaurant))
    assert stage.device(line) is None
    assert keys.left(restaurant) == 0


def test_a_removed_line_leaves_no_keys_behind(stage, restaurant, line, keys):
    keys.plant(restaurant, line)
    with restaurant.scope():
        pairing.end_session(line)
        line_removal.remove(line)
    eventually(lambda: keys.left(restaurant) == 0)
    eventually(lambda: not ends(restaurant))


def test_keys_without_a_line_are_found_when_a_host_starts(stage, restaurant, line, keys):
    """As an account leaves them that was erased by an older version."""
    keys.store.save(restaurant.tenant_id, 99_999, "905321110009:7@s.whatsapp.net")
    stage.start_host()
    eventually(lambda: not keys.store.find(restaurant.tenant_id, 99_999))
    assert keys.store.find(restaurant.tenant_id, line)
