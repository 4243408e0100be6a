"""The command-line tool against the running service: real processes, real HTTP."""

import json
import os
import random
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from standardwebhooks import Webhook

from core.db import db
from messaging.lines.simulated_line import add_simulated_line
from tests.clients.cut_connections import CuttingProxy
from tests.factories import make_business
from tests.webhooks.receivers import Receiver, add_endpoint, wait_until
from webhooks.events import publish_webhook_event

CLI = Path(__file__).parents[2] / "clients" / "cli" / "comanda_cli.py"
# The full load test: LISTEN_EVENTS=10000 LISTEN_CUTS=20 pytest tests/clients/test_cli.py -k cuts
EVENTS = int(os.environ.get("LISTEN_EVENTS", "600"))
CUTS = int(os.environ.get("LISTEN_CUTS", "6"))


@pytest.fixture
def business(app, service, settings):
    made = make_business("Kumru Atölye")
    with made.scope():
        add_simulated_line("Test line", service.url, settings.simulator_secret, test=True)
    return made


class Terminal:
    def __init__(self, url, key, folder):
        self.file = folder / "config.json"
        self.environment = {
            "PATH": os.environ["PATH"],
            "COMANDA_CONFIG": str(self.file),
            "COMANDA_URL": url,
            "COMANDA_API_KEY": key,
        }
        self.started = []

    def run(self, *arguments, typed=None, without=()):
        environment = {k: v for k, v in self.environment.items() if k not in without}
        return subprocess.run(
            [sys.executable, CLI, *arguments],
            env=environment,
            input=typed,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def start(self, *arguments):
        process = subprocess.Popen(
            [sys.executable, CLI, *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.started.append(process)
        return process


@pytest.fixture
def terminal(service, business, tmp_path):
    made = Terminal(service.url, business.test_key, tmp_path)
    yield made
    for process in made.started:
        process.kill()
        process.communicate()


@pytest.fixture
def local_server():
    made = Receiver(200)
    yield made
    made.close()


def listening(process):
    """Its signing secret, which is printed when it is ready."""
    assert process.stdout.readline().startswith("Forwarding events to http://127.0.0.1:")
    return process.stdout.readline().removeprefix("Signing secret: ").strip()


def publish(business, count):
    with business.scope():
        for number in range(count):
            data = {"n": number, "text": "ığüşöç", "test": True}
            publish_webhook_event("messages.upsert", {"instance_id": 1, "data": data})
        db.session.flush()


def test_login_saves_the_key_for_its_owner_only(terminal, business):
    key = business.test_key
    done = terminal.run("login", typed=f"{key}\n", without=["COMANDA_API_KEY"])
    assert (done.returncode, done.stderr) == (0, "")
    assert "Signed in to Kumru Atölye" in done.stdout
    assert key not in done.stdout
    assert stat.S_IMODE(terminal.file.stat().st_mode) == 0o600
    saved = ["COMANDA_API_KEY", "COMANDA_URL"]
    sent = terminal.run("send", "905321112233", "Hello", without=saved)
    assert (sent.returncode, sent.stderr) == (0, ""), sent.stdout
    assert sent.stdout.startswith("sent  msg_")
    assert terminal.run("logout", without=saved).returncode == 0
    again = terminal.run("send", "905321112233", "Hello", without=saved)
    assert (again.returncode, again.stderr) == (3, "You are not signed in. Run `comanda login`.\n")


def test_errors_have_their_own_exit_codes(terminal, service):
    def ends(code, *arguments, **more):
        done = terminal.run(*arguments, **more)
        assert done.returncode == code, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done.stderr

    assert "invalid_phone, req_" in ends(1, "send", "+90 532", "x")
    ends(2, "send", "905321112233")
    assert "begins with ck_test_" in ends(2, "login", "--key", "nonsense")
    assert "is not an http" in ends(2, "send", "1", "x", "--url", "ftp://example.com")
    wrong = "ck_test_" + "0" * 36
    assert "invalid_key" in ends(3, "send", "905321112233", "x", "--key", wrong)
    assert "No connection to http" in ends(4, "login", "--url", "http://127.0.0.1:9")
    assert "There is no trigger" in ends(2, "trigger", "guest.dances")
    assert "30m, 2h" in ends(2, "events", "replay", "--since", "yesterday")
    assert "begins with req_" in ends(2, "open", "msg_1")


def test_open_prints_the_page_of_a_request(terminal, service):
    done = terminal.run("open", "req_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z", "--print-only")
    expected = f"{service.url}/integrations/requests?id=req_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z\n"
    assert (done.returncode, done.stdout) == (0, expected)


def test_a_trigger_reaches_the_local_server_signed_like_a_webhook(terminal, business, local_server):
    webhook = Receiver(200)
    endpoint = add_endpoint(business, webhook.url)
    process = terminal.start("listen", "--forward-to", local_server.url)
    secret = listening(process)
    done = terminal.run("trigger", "guest.writes", "--text", "Açık mısınız?")
    assert (done.returncode, done.stderr) == (0, "")
    assert "leads to messages.upsert" in done.stdout
    assert wait_until(lambda: local_server.requests and webhook.requests, seconds=30)
    webhook.close()
    headers, body = local_server.requests[0]
    event = Webhook(secret).verify(body, headers)
    assert (event["event"], event["data"]["text"]) == ("messages.upsert", "Açık mısınız?")
    real_headers, real_body = webhook.requests[0]
    assert body == real_body
    assert Webhook(endpoint.secret).verify(real_body, real_headers) == event
    assert headers["webhook-id"] == real_headers["webhook-id"]
    assert {"content-type", "user-agent"} <= set(headers)
    assert headers["user-agent"] == real_headers["user-agent"]


@pytest.mark.parametrize(
    ("name", "last"), [("receipt.read", "messages.read"), ("line.banned", "instances.restricted")]
)
def test_other_triggers(terminal, business, local_server, name, last):
    listening(terminal.start("listen", "--forward-to", local_server.url))
    assert terminal.run("trigger", name).returncode == 0
    assert wait_until(lambda: last in [one["event"] for one in local_server.bodies], seconds=30), (
        local_server.bodies
    )


def test_cuts_lose_and_double_nothing(terminal, service, business, local_server):
    """The connection is cut while responses are under way and while the tool waits."""
    proxy = CuttingProxy(service.url)
    terminal.environment["COMANDA_URL"] = proxy.url
    process = terminal.start("listen", "--forward-to", local_server.url, "--json")
    listening(process)
    printed = []
    reader = threading.Thread(target=lambda: printed.extend(process.stdout), daemon=True)
    reader.start()
    began, sent = time.monotonic(), 0
    for number in range(CUTS):
        share = (EVENTS - sent) // (CUTS - number)
        if number % 2:
            proxy.cut_next_response()
        publish(business, share)
        sent += share
        time.sleep(random.uniform(0.05, 0.4))
        assert wait_until(lambda: proxy.connected, seconds=20)
        proxy.cut()
    arrived = wait_until(lambda: len(local_server.requests) >= EVENTS, seconds=20 + EVENTS / 50)
    wait_until(lambda: len(printed) >= EVENTS, seconds=20)  # a line is printed after forwarding
    process.terminate()
    process.wait(30)
    reader.join(30)
    read = [json.loads(line) for line in printed]
    proxy.close()
    assert arrived, f"{len(local_server.requests)} of {EVENTS}: {process.stderr.read()}"
    sequences = [one["sequence"] for one in local_server.bodies]
    assert sequences == sorted(set(sequences))  # each once, in order
    assert len(sequences) == EVENTS
    assert sequences == [one["sequence"] for one in read]
    assert proxy.cuts >= CUTS
    assert process.returncode == 0
    print(f"{EVENTS} events, {proxy.cuts} cuts, {time.monotonic() - began:.1f} s")


def test_it_resumes_where_the_last_run_ended(terminal, business, local_server):
    process = terminal.start("listen", "--forward-to", local_server.url)
    listening(process)
    publish(business, 3)
    assert wait_until(lambda: len(local_server.requests) == 3, seconds=20)
    process.terminate()
    process.wait(20)
    publish(business, 2)
    listening(terminal.start("listen", "--resume", "--forward-to", local_server.url))
    assert wait_until(lambda: len(local_server.requests) == 5, seconds=20)
    assert [one["sequence"] for one in local_server.bodies] == [1, 2, 3, 4, 5]


def test_a_local_server_that_fails_gets_the_event_again(terminal, business, local_server):
    local_server.answers = [500, 200]
    listening(terminal.start("listen", "--forward-to", local_server.url, "--most", "1"))
    publish(business, 1)
    assert wait_until(lambda: len(local_server.requests) == 2, seconds=20)
    first, second = (headers["webhook-id"] for headers, _ in local_server.requests)
    assert first == second


def test_events_are_tailed_and_replayed(terminal, business, local_server):
    publish(business, 5)
    process = terminal.start("events", "tail", "-n", "2", "--json", "--events", "messages.*")
    shown = [json.loads(process.stdout.readline())["sequence"] for _ in range(2)]
    assert shown == [4, 5]
    publish(business, 1)
    assert json.loads(process.stdout.readline())["sequence"] == 6
    done = terminal.run("events", "replay", "--since", "1h", "--forward-to", local_server.url)
    assert done.returncode == 0, done.stderr
    assert [one["sequence"] for one in local_server.bodies] == [1, 2, 3, 4, 5, 6]
    later = terminal.run("events", "replay", "--since", "0s", "--forward-to", local_server.url)
    assert "0 events were forwarded." in later.stderr
    done = terminal.run("events", "replay", "--since", "1h")
    assert (done.returncode, done.stdout) == (0, "0 events are sent again.\n")
