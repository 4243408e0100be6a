"""The simulated network as a real process, and a server that receives its webhooks."""

import asyncio
import json
import os
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from core.http import Policy
from core.http.async_client import Client
from deploy.local.ports import any_free
from messaging.lines.drivers.base import Envelope, LineFacts
from messaging.lines.drivers.cloud import driver as cloud_driver
from tests.forked_process import ForkedProcess
from tests.timeouts import allow_for_load

SECRET, APP_SECRET = "the service's own", "the line's own"
LINE = LineFacts(7, 100_001, "cloud", phone_number_id="5501", token="EAAB", app_secret=APP_SECRET)
PHONE = "905321112233"


class Hooks:
    """Keeps every post that is signed right; `refuse(n)` answers the next n with 500."""

    def __init__(self):
        self.bodies, self.unsigned, self.refusals, self.posts = [], 0, 0, 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                outer.posts += 1
                status = 200
                if outer.refusals > 0:
                    outer.refusals, status = outer.refusals - 1, 500
                elif cloud_driver.verify_signature(APP_SECRET, dict(self.headers), raw):
                    outer.bodies.append(raw)
                else:
                    outer.unsigned += 1
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks/cloud/t"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def parsed(self):
        return [parsed for raw in list(self.bodies) for parsed in cloud_driver.parse_webhook(raw)]

    def receipts(self):
        return [one for parsed in self.parsed() for one in parsed.receipts]

    def states(self, phone=PHONE):
        return [one.state for one in self.receipts() if one.recipient == phone]

    def received_states(self, *states, phone=PHONE):
        """Exactly these, in whatever order they came: the network promises none."""
        return sorted(self.states(phone)) == sorted(states)

    def messages(self):
        return [one for parsed in self.parsed() for one in parsed.messages]

    def values(self, field="messages"):
        """The JSON of each change of this field."""
        changes = [
            change
            for raw in list(self.bodies)
            for entry in json.loads(raw)["entry"]
            for change in entry["changes"]
        ]
        return [change["value"] for change in changes if change["field"] == field]


@dataclass
class SimulatedNetwork:
    url: str
    hooks: Hooks
    process: ForkedProcess
    sent: int = field(default=0)

    def ask(self, method, path, body=None, **headers):
        """Status and JSON (or bytes), as the service would ask."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        named.setdefault("X-Simulator-Secret", SECRET)
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}{path}", data=data, headers=named, method=method)
        try:
            with urlopen(request, timeout=10) as answer:
                return answer.status, _read(answer)
        except HTTPError as error:
            return error.code, _read(error)

    def graph(self, path, token="EAAB"):
        return self.ask("GET", f"/v23.0{path}", Authorization=f"Bearer {token}")

    def register(self, **more):
        line = {
            "phone_number_id": LINE.phone_number_id,
            "phone": "905550101010",
            "app_secret": APP_SECRET,
            "callback_url": self.hooks.url,
            "tenant_id": 7,
            "account_id": "9001",
            "name": "Lokanta Mavi",
            **more,
        }
        return self.ask("POST", "/_sim/lines", line)

    def set(self, **conditions):
        status, answer = self.ask("POST", "/_sim/settings", conditions)
        assert status == 200, answer

    def send(self, phone=PHONE, text="hi", kind="text", ours=None, line=LINE, **content):
        """By the real driver."""
        self.sent += 1
        envelope = Envelope(ours or f"msg_{self.sent}", 1, 7, 1, phone, kind, text, content)

        async def go():
            async with Client(Policy(allow_loopback=True)) as client:
                return await cloud_driver.send(client, self.url, "v23.0", line, envelope)

        return asyncio.run(go())

    def times(self, ours):
        return self.ask("GET", f"/_sim/accepted?ours={ours}")[1]["times"]

    def shown(self, phone=PHONE):
        return self.ask("GET", f"/_sim/phones/{phone}/messages")[1]["messages"]

    def act(self, what, of=PHONE, **more):
        """As a person, as staff on the business phone or as Meta's agent."""
        body = {"phone_number_id": LINE.phone_number_id, **more}
        return self.ask("POST", f"/_sim/phones/{of}/{what}", body)

    def post_message(self, **body):
        """Send a raw request; status and answer."""
        request = {"messaging_product": "whatsapp", "type": "text", **body}
        if request["type"] == "text":
            request.setdefault("text", {"body": "hi"})
        path = f"/v23.0/{LINE.phone_number_id}/messages"
        return self.ask("POST", path, request, Authorization="Bearer EAAB")

    def write(self, phone=PHONE, **more):
        body = {"to_phone_number_id": LINE.phone_number_id, **more}
        return self.ask("POST", f"/_sim/phones/{phone}/messages", body)


def _read(answer):
    raw = answer.read()
    return json.loads(raw) if "json" in answer.headers.get("Content-Type", "") else raw


def eventually(look, seconds=6.0):
    end = time.monotonic() + allow_for_load(seconds)
    while not (found := look()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
    return found


@contextmanager
def started(*arguments, secret=SECRET):
    port = any_free()
    environment = {**os.environ, "SIMULATOR_SECRET": secret}
    command = [sys.executable, "-m", "messaging.simulator", "--port", str(port), *arguments]
    process = ForkedProcess(command, environment)
    network = SimulatedNetwork(f"http://127.0.0.1:{port}", Hooks(), process)
    try:
        eventually(lambda: _answers(network.url), 90)
        yield network
    finally:
        process.terminate()
        process.wait(10)
        network.hooks.server.shutdown()
        network.hooks.server.server_close()


def _answers(url):
    try:
        with urlopen(f"{url}/healthz", timeout=1) as answer:
            return answer.status == 200
    except (URLError, OSError):
        return False
