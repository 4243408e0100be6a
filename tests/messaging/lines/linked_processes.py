"""A host of linked lines and the simulated network, as real processes, and the phones on it."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from core.db import tenant_scope
from messaging.lines.drivers.linked import pairing
from messaging.simulator.network.devices import device_number
from tests.forked_process import ForkedProcess
from tests.service_processes import LINKED_HOST_COMMAND
from tests.timeouts import allow_for_load

OWNER, CUSTOMER = "905321110000", "905321112233"


def eventually(look, seconds=15.0):
    end = time.monotonic() + allow_for_load(seconds)
    while not (found := look()):
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)
    return found


class Stage:
    """Hosts may be started, frozen and killed; phones scan, write and look."""

    def __init__(self, settings):
        self.settings = settings
        self.url, self.secret = settings.simulator_url, settings.simulator_secret
        self.environment = {
            **{key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ},
            "APP_ENV": "test",
            "DATA_DIR": str(settings.data_dir),
            "DATABASE_URL": settings.database_url,
            "REDIS_URL": settings.redis_url,
            "SECRET_KEY": settings.secret_key,
            "ENCRYPTION_KEYS": settings.encryption_keys,
            "MAIL_URL": settings.mail_url,
            "ALLOW_LOOPBACK": "true",
            "SIMULATOR_URL": settings.simulator_url,
            "SIMULATOR_SECRET": settings.simulator_secret,
            "LINKED_NETWORK": "simulator",
            "LINKED_STORE_URL": settings.linked_store_url,
            "LINKED_LEASE_SECONDS": "3",
            "LEASE_SECONDS": "4",
            "LOG_LEVEL": "WARNING",
        }
        self.processes = []

    def start(self, command, **more):
        process = ForkedProcess(command, {**self.environment, **more})
        self.processes.append(process)
        return process

    def start_network(self):
        port = self.url.rpartition(":")[2]
        process = self.start([sys.executable, "-m", "messaging.simulator", "--port", port])
        eventually(self.answers, 90)
        return process

    def start_host(self, **more):
        return self.start(LINKED_HOST_COMMAND, **more)

    def answers(self):
        try:
            with urlopen(f"{self.url}/healthz", timeout=1) as answer:
                return answer.status == 200
        except OSError:
            return False

    def stop(self):
        for process in self.processes:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self.processes:
            try:
                process.wait(12)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.processes = []

    def ask(self, method, path, body=None):
        headers = {"X-Simulator-Secret": self.secret}
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}/_sim{path}", data=data, headers=headers, method=method)
        try:
            with urlopen(request, timeout=10) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            return error.code, error.read().decode()

    def set(self, **conditions):
        status, answer = self.ask("POST", "/settings", conditions)
        assert status == 200, answer

    def codes(self, line_id):
        shown = self.ask("GET", "/pairings")[1]["pairings"]
        return [one for one in shown if one["line_id"] == line_id]

    def scan(self, code, phone=OWNER, name="Derya"):
        return self.ask("POST", f"/phones/{phone}/scan", {"code": code, "name": name})[0] == 200

    def device(self, line_id):
        shown = self.ask("GET", "/devices")[1]["devices"]
        return next((one for one in shown if one["line_id"] == line_id), None)

    def does(self, what, business, line_id):
        status, answer = self.ask("POST", f"/devices/{business.tenant_id}/{line_id}/{what}", {})
        assert status == 200, answer

    def shown(self, phone=CUSTOMER):
        """What has reached a phone."""
        return self.ask("GET", f"/phones/{phone}/messages")[1]["messages"]

    def write(self, business, line_id, phone=CUSTOMER, **more):
        number = device_number(business.tenant_id, line_id)
        body = {"to_phone_number_id": number, **more}
        status, answer = self.ask("POST", f"/phones/{phone}/messages", body)
        assert status == 201, answer
        return answer["id"]


@contextmanager
def staged(settings):
    stage = Stage(settings)
    try:
        stage.start_network()
        yield stage
    finally:
        stage.stop()


def add_line(business, name="Front desk phone"):
    with business.scope():
        return pairing.add_linked_line(name, network="simulator").id


def state_of(business, line_id):
    with tenant_scope(business.tenant_id):
        return pairing.get_linked_line(line_id)[0].state


def link(stage, business, line_id, phone=OWNER):
    with business.scope():
        pairing.start(line_id)
    code = eventually(lambda: stage.codes(line_id))[0]["code"]
    assert stage.scan(code, phone)
    eventually(lambda: state_of(business, line_id) == "connected")
    return code
