"""What the Python client does when answers are refusals or do not come."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from comanda import BadKey, Comanda, ConnectionFailed, RateLimited, Unavailable, verify_webhook
from comanda import transport as transport_module

from core.clock import now
from core.security.signing import webhook_headers

SENT = {"id": "msg_1", "message_id": "wamid.1", "status_code": "sent", "cost_usd": 0.0034}
SENT |= {"phone": "905321112233", "instance_id": 7}
HANGS_UP = None


class Stage:
    """Answers in turn, then the last one repeatedly: (status, body, headers), or no answer."""

    def __init__(self) -> None:
        self.answers, self.keys, outer = [], [], self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                outer.keys.append(self.headers["Idempotency-Key"])
                answer = outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                if answer is HANGS_UP:
                    self.connection.close()
                    return
                status, body, headers = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(json.dumps(body).encode())

            def do_DELETE(self):
                self.headers.add_header("Content-Length", "0")
                self.do_POST()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def stage():
    made = Stage()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def client(stage):
    made = Comanda("ck_test_x", stage.url, timeout=5, retries=3)
    made.pauses = []
    made._transport._sleep = made.pauses.append
    return made


def refusal(status, code, **headers):
    return (
        status,
        {"status": "error", "code": code, "message": "No.", "request_id": "req_1"},
        {name.replace("_", "-"): value for name, value in headers.items()},
    )


def test_a_busy_service_is_asked_again_with_the_same_key(stage, client):
    stage.answers = [
        refusal(429, "rate_limited", Retry_After="7"),
        refusal(503, "try_again"),
        HANGS_UP,
        (200, SENT, {}),
    ]
    assert client.send("905321112233", "x").id == "msg_1"
    assert len(stage.keys) == 4
    assert len(set(stage.keys)) == 1
    assert client.pauses[0] == 7
    assert client.pauses[1] < client.pauses[2] <= 2.5


def test_it_gives_up_with_what_was_said_last(stage, client):
    stage.answers = [refusal(429, "rate_limited", Retry_After="1")]
    with pytest.raises(RateLimited, match="req_1"):
        client.send("905321112233", "x")
    assert len(stage.keys) == 4
    stage.answers = [HANGS_UP]
    with pytest.raises(ConnectionFailed) as lost:
        client.send("905321112233", "x", idempotency_key="mine")
    assert lost.value.idempotency_key == "mine"


def test_an_error_that_a_retry_cannot_fix_is_reported_at_once(stage, client):
    for status, code in ((503, "line_unavailable"), (429, "rate_limited")):
        stage.keys.clear()
        stage.answers = [refusal(status, code, Retry_After="3600")]
        with pytest.raises((Unavailable, RateLimited)):
            client.send("905321112233", "x")
        assert len(stage.keys) == 1
    stage.keys.clear()
    stage.answers = [HANGS_UP]
    with pytest.raises(ConnectionFailed):
        client.remove_contact("con_1")
    assert len(stage.keys) == 1


def test_an_answer_that_is_no_json_is_an_error_too(stage, client):
    stage.answers = [(502, "<html>", {})]
    with pytest.raises(Unavailable) as refused:
        client.send("905321112233", "x")
    assert (refused.value.status, refused.value.message) == (502, "HTTP 502")


def test_pauses_grow_and_end():
    assert 0.3 < transport_module._back_off(0) < 0.7
    assert transport_module._back_off(20) <= 25


def test_a_key_with_a_newline_is_used_without_it():
    Comanda("ck_test_abc\n", "http://127.0.0.1:1").close()
    with pytest.raises(BadKey) as refusal:
        Comanda("ck_test_abc\ndef", "http://127.0.0.1:1")
    assert "abc" not in str(refusal.value)


def test_a_webhook_body_may_be_text():
    event = {"event": "x", "event_id": "evt_1", "occurred_at": "2026-03-01T10:00:00Z", "of": "ş"}
    secret, body = "whsec_" + "QUJD" * 8, json.dumps(event, ensure_ascii=False)
    headers = webhook_headers(secret, "evt_1", body.encode(), now())
    assert verify_webhook(headers, body, secret) == verify_webhook(headers, body.encode(), secret)
