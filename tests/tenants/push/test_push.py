"""Push notifications: encrypted for the browser, signed, retried, and ended when it is gone."""

import base64
import json
import struct
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from sqlalchemy import select

from core.clock import advance, frozen
from core.db import db
from core.errors import Invalid
from core.http import Policy
from core.security import web_push
from core.security.web_push import BrowserKeys
from jobs import push as push_jobs
from messaging.contacts import identities, merging
from messaging.contacts.erasure import erasures as contact_erasures
from tenants import team
from tenants.data import export
from tenants.push import notifications, subscriptions
from tenants.push.models import PushNotification
from tests.messaging.inbox.inbox_factory import AYSE, add_line, talk_with, writes

SECRET = b"sixteen-bytes-ok"
LOCAL = Policy(frozenset({80, 443}), allow_loopback=True)


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class FakeBrowser:
    """Has a real key pair and decrypts as a browser does (RFC 8291)."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.point = self.key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )
        self.keys = BrowserKeys(web_push.encoded(self.point), web_push.encoded(SECRET))

    def decrypt(self, body):
        salt, (size, length) = body[:16], struct.unpack("!IB", body[16:21])
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        assert size == 4096
        their_key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender)
        shared = self.key.exchange(ec.ECDH(), their_key)
        info = b"WebPush: info\x00" + self.point + sender
        material = HKDF(hashes.SHA256(), 32, SECRET, info).derive(shared)
        key = HKDF(hashes.SHA256(), 16, salt, b"Content-Encoding: aes128gcm\x00").derive(material)
        nonce = HKDF(hashes.SHA256(), 12, salt, b"Content-Encoding: nonce\x00").derive(material)
        plain = AESGCM(key).decrypt(nonce, sealed, None)
        assert plain.endswith(b"\x02")
        return json.loads(plain[:-1])


class FakePushService:
    def __init__(self):
        self.got, self.status = [], 201
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                service.got.append((dict(self.headers), body))
                self.send_response(service.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/push/abc"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def service():
    made = FakePushService()
    yield made
    made.server.shutdown()


@pytest.fixture
def phone():
    return FakeBrowser()


@pytest.fixture
def settings_with_key(app, monkeypatch):
    settings = app.extensions["comanda"]
    changed = settings.model_copy(
        update={"vapid_private_key": web_push.new_private_key(), "allow_loopback": True}
    )
    monkeypatch.setitem(app.extensions, "comanda", changed)
    return changed


def subscribe(business, person, service, phone, topics=("assigned",), shows_text=False):
    with business.scope():
        return subscriptions.subscribe(
            person.id,
            service.url,
            phone.keys,
            topics=topics,
            shows_text=shows_text,
            device="Chrome on Android",
            policy=LOCAL,
        ).id


def devices(business, person):
    with business.scope():
        return [one.id for one in subscriptions.list_of(person.id)]


def waiting(business):
    with business.scope():
        query = select(PushNotification).where(PushNotification.tenant_id == business.tenant_id)
        found = list(db.session.scalars(query))
        db.session.expunge_all()
        return found


def send(app):
    with app.app_context():
        return push_jobs.drain()


def test_a_browser_can_decrypt_what_was_encrypted_for_it(phone):
    sealed = web_push.encrypt('{"title": "Yeni sipariş"}'.encode(), phone.keys)
    assert phone.decrypt(sealed) == {"title": "Yeni sipariş"}
    with pytest.raises(Exception):  # noqa: B017, PT011 - another browser cannot
        FakeBrowser().decrypt(sealed)


def test_the_request_is_signed_for_the_push_service():
    key = web_push.new_private_key()
    header = web_push.authorization("https://push.example.com/x/y", key, "mailto:a@example.com")
    token, public = header.removeprefix("vapid t=").split(", k=")
    head, claims, signature = token.split(".")
    told = json.loads(decoded(claims))
    assert (told["aud"], told["sub"]) == ("https://push.example.com", "mailto:a@example.com")
    raw = decoded(signature)
    point = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), decoded(public))
    point.verify(
        encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")),
        f"{head}.{claims}".encode(),
        ec.ECDSA(hashes.SHA256()),
    )


@pytest.mark.parametrize(
    ("shows_text", "title", "body"),
    [(False, "New message", ""), (True, "New message from Ayşe Yılmaz", "Merhaba")],
)
def test_a_new_message_reaches_the_device_without_private_text_unless_allowed(
    restaurant, service, phone, app, settings_with_key, shows_text, title, body
):
    selin = restaurant.hires("inbox", "Selin Kaya")
    subscribe(restaurant, selin, service, phone, ("messages",), shows_text)
    writes(restaurant, add_line(restaurant), AYSE)
    send(app)
    talk = talk_with(restaurant)
    headers, sealed = service.got[0]
    assert headers["Content-Encoding"] == "aes128gcm"
    assert phone.decrypt(sealed) == {
        "title": title,
        "body": body,
        "tag": f"conversation:{talk.id}",
        "url": f"/inbox/{talk.id}",
    }
    assert send(app) == 0


def test_only_the_assignee_is_told_about_an_assigned_conversation(
    restaurant, service, phone, app, settings_with_key
):
    selin, emre = restaurant.hires("inbox", "Selin Kaya"), restaurant.hires("inbox", "Emre Ak")
    subscribe(restaurant, selin, service, phone)
    line = add_line(restaurant)
    writes(restaurant, line, AYSE)
    send(app)
    assert service.got == []
    with restaurant.scope():
        from messaging.inbox import conversation_actions, conversations

        talk = conversations.list_conversations(conversations.ConversationFilters(), None, 1)[0]
        conversation_actions.assign(talk.id, emre.id)
    send(app)
    assert service.got == []
    with restaurant.scope():
        conversation_actions.assign(talk.id, selin.id)
    writes(restaurant, line, AYSE, text="Hello?")
    send(app)
    assert len(service.got) == 1  # both are about one conversation, so the newer one replaces


def test_a_failed_notification_is_repeated_and_then_given_up(
    restaurant, service, phone, app, settings_with_key
):
    selin = restaurant.hires("inbox", "Selin Kaya")
    subscribe(restaurant, selin, service, phone)
    service.status = 503
    with frozen():
        with restaurant.scope():
            assert notifications.announce_test(selin.id)
        send(app)
        for wait in notifications.WAITS:
            advance(wait)
            with app.app_context(), push_jobs.global_scope():
                push_jobs.sweep()
            send(app)
        assert len(service.got) == notifications.MOST_TRIES
        advance(3600)
        with app.app_context(), push_jobs.global_scope():
            push_jobs.sweep()
        assert send(app) == 0
    assert len(devices(restaurant, selin)) == 1


@pytest.mark.parametrize("status", [404, 410])
def test_a_device_that_is_gone_is_removed(
    restaurant, service, phone, app, settings_with_key, status
):
    selin = restaurant.hires("inbox", "Selin Kaya")
    subscribe(restaurant, selin, service, phone)
    service.status = status
    with restaurant.scope():
        notifications.announce_test(selin.id)
    send(app)
    assert devices(restaurant, selin) == []


def test_bad_addresses_and_keys_are_refused(restaurant, phone):
    selin = restaurant.hires("inbox", "Selin Kaya")
    for endpoint, keys in (
        ("http://10.0.0.1/x", phone.keys),
        ("ftp://push.example.com/x", phone.keys),
        ("https://push.example.com/x", BrowserKeys("AAAA", phone.keys.auth_secret)),
        ("https://push.example.com/x", BrowserKeys(phone.keys.public_key, "AAAA")),
    ):
        with restaurant.scope(), pytest.raises(Invalid):
            subscriptions.subscribe(
                selin.id,
                endpoint,
                keys,
                topics=["messages"],
                shows_text=False,
                device="",
                policy=Policy(frozenset({80, 443})),
            )


def test_a_member_who_left_gets_nothing_more(restaurant, service, phone, app, settings_with_key):
    selin = restaurant.hires("inbox", "Selin Kaya")
    subscribe(restaurant, selin, service, phone, ("messages",), shows_text=True)
    line = add_line(restaurant)
    writes(restaurant, line, AYSE)
    with restaurant.scope():
        team.remove_member(team.find_by_person(selin.id).id, "owner")
    assert devices(restaurant, selin) == []
    assert waiting(restaurant) == []
    writes(restaurant, line, AYSE, text="Hello?")
    send(app)
    assert service.got == []


def test_a_device_of_somebody_who_is_no_member_is_dropped_when_sending(
    restaurant, service, phone, app, settings_with_key
):
    selin = restaurant.hires("inbox", "Selin Kaya")
    subscribe(restaurant, selin, service, phone, ("messages",))
    writes(restaurant, add_line(restaurant), AYSE)
    with restaurant.scope():
        db.session.delete(team.find_by_person(selin.id))
    send(app)
    assert service.got == []
    assert devices(restaurant, selin) == []


def test_a_topic_that_the_role_no_longer_allows_is_not_sent(
    restaurant, service, phone, app, settings_with_key
):
    selin = restaurant.hires("manager", "Selin Kaya")
    subscribe(restaurant, selin, service, phone, ("messages", "orders"))
    line = add_line(restaurant)
    writes(restaurant, line, AYSE)
    with restaurant.scope():
        team.change_role(team.find_by_person(selin.id).id, "waiter", "owner")
        notifications.announce("orders", "order:1", "/orders/1", {"number": "A-1", "place": "Bar"})
    send(app)
    (told,) = [phone.decrypt(body) for _, body in service.got]
    assert told["title"] == "New order"
    assert waiting(restaurant) == []


def test_what_waits_about_an_erased_contact_is_deleted(restaurant, service, phone):
    selin = restaurant.hires("inbox", "Selin Kaya")
    subscribe(restaurant, selin, service, phone, ("messages",), shows_text=True)
    writes(restaurant, add_line(restaurant), AYSE)
    assert [one.facts["text"] for one in waiting(restaurant)] == ["Merhaba"]
    with restaurant.scope():
        contact_erasures.start_erasure(identities.find_contact(AYSE))
    assert waiting(restaurant) == []


def test_what_waits_too_long_is_deleted_and_never_sent(
    restaurant, service, phone, app, settings_with_key
):
    selin = restaurant.hires("inbox", "Selin Kaya")
    subscribe(restaurant, selin, service, phone, ("messages",))
    with frozen():
        writes(restaurant, add_line(restaurant), AYSE)
        advance(notifications.EXPIRES.total_seconds() + 1)
        send(app)
        assert (service.got, waiting(restaurant)) == ([], [])
        writes(restaurant, add_line(restaurant), AYSE, text="Hello?")
        advance(notifications.EXPIRES.total_seconds() + 1)
        with restaurant.scope():
            notifications.delete_old()
        assert waiting(restaurant) == []


def test_what_waits_follows_a_merged_conversation(restaurant, service, phone):
    selin = restaurant.hires("inbox", "Selin Kaya")
    subscribe(restaurant, selin, service, phone, ("messages",), shows_text=True)
    line = add_line(restaurant)
    writes(restaurant, line, AYSE)
    kept = talk_with(restaurant)
    with restaurant.scope():
        notifications.drop_conversations([kept.id])
    writes(restaurant, line, "905321117702", text="It is me", name="Ayşe")
    with restaurant.scope():
        merging.merge(identities.find_contact(AYSE), identities.find_contact("905321117702"))
    (one,) = waiting(restaurant)
    assert (one.path, one.facts["text"]) == (f"/inbox/{kept.id}", "It is me")


def test_addresses_of_devices_and_waiting_texts_are_not_exported():
    assert "push_notifications" not in export.exported_tables()
    columns = {one.name for one in export.exported_columns("push_subscriptions")}
    assert "device" in columns
    assert not columns & {"endpoint", "endpoint_hash", "auth_secret"}
