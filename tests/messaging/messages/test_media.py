"""Files that customers send: fetched safely, kept, served to who may have them, gone with them."""

import base64
import hashlib
import io
import json
import threading
from dataclasses import replace
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from PIL import Image

from core.clock import advance, frozen, now
from core.db import global_scope
from core.queue import lanes
from core.storage import pending_deletions
from core.storage.blobs import NoSuchBlob
from jobs import media as job
from messaging import reasons
from messaging.costs.usage import UsageTally
from messaging.messages import accept as message_accept
from messaging.messages import queries as message_queries
from messaging.messages.accept import MessageDraft
from messaging.messages.kinds.media import IMAGE
from messaging.messages.kinds.registry import MESSAGE_KINDS
from messaging.messages.media import files as media_files
from messaging.messages.receive import receive_message
from tenants.data.erasure import erase_tenant
from tenants.plans.catalog import current_tenant_facts
from tests.factories import Browser
from tests.messaging.message_factory import add_line, events_of, wrote


def picture(kind="JPEG", size=(64, 48), **more):
    out = io.BytesIO()
    Image.new("RGB", size, (200, 90, 30)).save(out, kind, **more)
    return out.getvalue()


class Network:
    """Tells of files and gives them; keeps who asked with what token."""

    def __init__(self):
        self.files, self.asked, self.lie = {}, [], {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append((self.path, self.headers.get("Authorization")))
                name = self.path.rpartition("/")[2]
                found = outer.files.get(name)
                if found is None:
                    self.answer(400, json.dumps({"error": {"code": 100}}).encode())
                elif self.path.startswith("/_media"):
                    self.answer(200, found[1], found[0])
                else:
                    payload = {
                        "url": f"{outer.url}/_media/{name}",
                        "mime_type": found[0],
                        "sha256": hashlib.sha256(found[1]).hexdigest(),
                        "file_size": len(found[1]),
                        **outer.lie,
                    }
                    self.answer(200, json.dumps(payload).encode())

            def answer(self, status, body, kind="application/json"):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def network(app, settings, monkeypatch):
    made = Network()
    monkeypatch.setitem(
        app.extensions, "comanda", settings.model_copy(update={"simulator_url": made.url})
    )
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


def receives(business, line, network, body, kind="image", mime="image/jpeg", **content):
    network.files["77"] = (mime, body)
    with business.scope():
        tally = UsageTally()
        message = wrote(
            content.get("caption", ""),
            kind=kind,
            content={"id": "77", "mime_type": mime, **content},
        )
        message_id = receive_message(line, message, tally)
        tally.write()
    return message_id


def fetch(app):
    with app.app_context():
        return job.drain()


def stored_file(business, message_id):
    with business.scope():
        return media_files.get_file(message_id)


def event(business):
    with business.scope():
        return events_of(business.tenant_id, "messages.upsert")[-1]["data"]


def path_of(url):
    return url.removeprefix("http://localhost")


def test_a_photo_is_fetched_and_served_at_the_address_the_event_told(
    app, restaurant, line, network
):
    body = picture()
    message_id = receives(restaurant, line, network, body, caption="Masa 7")
    told = event(restaurant)["media"]
    assert (told["caption"], told["mime_type"]) == ("Masa 7", "image/jpeg")
    assert fetch(app) == 1
    assert [one[1] for one in network.asked] == ["Bearer token"] * 2
    answer = app.test_client().get(path_of(told["url"]))
    assert (answer.status_code, answer.data) == (200, body)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    shown = app.test_client().get(f"/api/v1/messages/{message_id}", headers=restaurant.bearer).json
    assert shown["media"]["size"] == len(body)
    assert shown["media"]["sha256"] == hashlib.sha256(body).hexdigest()
    assert app.test_client().get(path_of(shown["media"]["url"])).status_code == 200


def test_a_link_expires_and_a_forged_one_opens_nothing(app, restaurant, line, network):
    receives(restaurant, line, network, picture())
    url = path_of(event(restaurant)["media"]["url"])
    fetch(app)
    assert app.test_client().get(url[:-2] + "xx").status_code == 404
    with frozen(now()):
        advance(timedelta(days=8))
        assert app.test_client().get(url).status_code == 410


def test_who_comes_too_early_is_asked_to_come_again(app, restaurant, line, network, monkeypatch):
    monkeypatch.setattr("api.media.WAIT_SECONDS", 0.1)
    receives(restaurant, line, network, picture())
    answer = app.test_client().get(path_of(event(restaurant)["media"]["url"]))
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")


def test_what_is_no_picture_is_not_kept_as_one(app, restaurant, line, network):
    for body in (b"<svg onload=alert(1)>", b"<html><script>1</script>", b"\xff\xd8\xff broken"):
        message_id = receives(restaurant, line, network, body)
        fetch(app)
        file = stored_file(restaurant, message_id)
        assert (file.state, file.error, file.blob_key) == (
            "failed",
            reasons.FILE_OTHER_TYPE,
            None,
        )


def test_a_document_that_could_run_is_only_ever_saved(app, restaurant, line, network):
    body = b"<html><script>alert(1)</script></html>"
    receives(
        restaurant, line, network, body, "document", "text/html", filename='../in"voice\n.html'
    )
    fetch(app)
    answer = app.test_client().get(path_of(event(restaurant)["media"]["url"]))
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "/" not in answer.headers["Content-Disposition"]


def test_another_file_than_the_announced_one_is_not_taken(app, restaurant, line, network):
    network.lie = {"sha256": "0" * 64}
    message_id = receives(restaurant, line, network, picture())
    fetch(app)
    file = stored_file(restaurant, message_id)
    assert (file.state, file.error) == ("waiting", reasons.FILE_WRONG_HASH)
    assert file.due_at > now()


def test_a_file_over_the_cap_is_not_read_to_its_end(app, restaurant, line, network, monkeypatch):
    rules = replace(IMAGE.file, received_bytes=1000)
    monkeypatch.setitem(MESSAGE_KINDS, "image", replace(IMAGE, file=rules))
    for told in ({}, {"file_size": 10}):  # a right and a wrong size
        network.lie = told
        message_id = receives(restaurant, line, network, picture(size=(900, 900)) + b"\0" * 4000)
        fetch(app)
        assert stored_file(restaurant, message_id).state == "failed"
        assert stored_file(restaurant, message_id).error == reasons.FILE_LARGER


def test_a_bomb_of_a_picture_is_not_drawn(app, restaurant, line, network, monkeypatch):
    monkeypatch.setattr("core.storage.images.MAX_BYTES", 4000)
    message_id = receives(restaurant, line, network, picture("PNG", (100, 100)), mime="image/png")
    fetch(app)
    assert stored_file(restaurant, message_id).state == "failed"


def test_a_network_that_is_down_is_retried_and_finally_given_up(
    app, restaurant, line, network, monkeypatch
):
    message_id = receives(restaurant, line, network, picture())
    network.files.clear()
    network.files["77"] = ("image/jpeg", picture())
    network.lie = {"url": "http://127.0.0.1:1/gone"}
    with frozen(now()):
        for _ in range(len(media_files.BACK_OFF)):
            fetch(app)
            assert stored_file(restaurant, message_id).state == "waiting"
            advance(timedelta(hours=2))
            with restaurant.scope():
                lanes.mark_due(media_files.LANE, restaurant.tenant_id)
        fetch(app)
    assert stored_file(restaurant, message_id).state == "failed"


def test_the_portal_shows_a_re_encoded_picture_without_its_location(app, restaurant, line, network):
    exif = Image.Exif()
    exif[0x010E] = "SECRETPLACE"
    message_id = receives(restaurant, line, network, picture(exif=exif.tobytes()))
    fetch(app)
    browser = Browser(app.test_client()).signs_in(restaurant.owner)
    page = browser.get(f"/messages/{message_id}").get_data(as_text=True)
    assert f"/messages/{message_id}/picture" in page
    shown = browser.client.get(f"/messages/{message_id}/picture")
    assert (shown.status_code, shown.headers["Content-Type"]) == (200, "image/jpeg")
    assert b"SECRETPLACE" not in shown.data
    assert b"SECRETPLACE" in browser.client.get(f"/messages/{message_id}/file").data


def test_a_picture_we_sent_is_fetched_when_somebody_looks(app, restaurant, line, network):
    network.files["menu.jpg"] = ("image/jpeg", picture())
    with restaurant.scope():
        content = {"url": f"{network.url}/_media/menu.jpg"}
        draft = MessageDraft(kind="image", phone="905321112233", content=content)
        ticket = message_accept.accept_message(draft, line, current_tenant_facts())
    browser = Browser(app.test_client()).signs_in(restaurant.owner)
    assert browser.get(f"/messages/{ticket.id}").status_code == 200
    fetch(app)
    assert browser.client.get(f"/messages/{ticket.id}/picture").status_code == 200
    assert network.asked[-1][1] is None


def test_it_goes_with_its_message(app, restaurant, line, network):
    message_id = receives(restaurant, line, network, picture())
    fetch(app)
    file = stored_file(restaurant, message_id)
    keys = [file.blob_key, file.preview_blob_key]
    with restaurant.scope():
        assert media_files.delete_files([message_id]) == 1
    with global_scope():
        assert set(keys) <= set(pending_deletions.list_pending(1000))
    with app.app_context():
        job.delete_pending_files()
        for key in keys:
            with pytest.raises(NoSuchBlob):
                app.extensions["blobs"].open(key)
    with global_scope():
        assert not set(keys) & set(pending_deletions.list_pending(1000))


def test_closing_an_account_takes_its_files_along(app, restaurant, line, network):
    message_id = receives(restaurant, line, network, picture())
    fetch(app)
    key = stored_file(restaurant, message_id).blob_key
    with restaurant.scope():
        erase_tenant()
    with app.app_context():
        job.delete_pending_files()
        assert not app.extensions["blobs"].exists(key)


def test_the_message_never_waits_for_its_file(app, restaurant, line, network):
    message_id = receives(restaurant, line, network, picture())
    with restaurant.scope():
        assert message_queries.get(message_id).state == "received"
        assert media_files.get_file(message_id).state == "waiting"


@pytest.mark.parametrize("said", ["", "x" * 64, "AAAA", "é"])
def test_what_is_no_hash_is_none(said):
    assert media_files.hex_digest(said) == ""


def test_a_hash_is_the_same_in_both_spellings():
    digest = hashlib.sha256(b"x")
    assert media_files.hex_digest(base64.b64encode(digest.digest()).decode()) == digest.hexdigest()
    assert media_files.hex_digest(digest.hexdigest().upper()) == digest.hexdigest()
