"""What one machine did, the other knows: nothing is kept in a process, a folder or a local name."""

import json
import re
import time
from http.cookies import SimpleCookie
from urllib.parse import urlencode

import pytest
from redis import Redis

from core.security.live_tokens import make_live_token
from tests.chaos.linked import _linked
from tests.chaos.load import Crowd, new_phone
from tests.chaos.printing import Kitchen
from tests.factories import PASSWORD
from tests.printing.agent_process import wait_until
from tests.timeouts import allow_for_load

pytestmark = pytest.mark.timing  # fourteen processes beside the workers of the suite are too many

JSON = {"Content-Type": "application/json"}
SENT_OR_QUEUED = (200, 202)  # 202 if the network has not answered within the time of a request
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)


@pytest.fixture(scope="module")
def crowd(hosts):
    return Crowd(hosts, businesses=1, prefer="")


@pytest.fixture(scope="module")
def business(crowd):
    return crowd.businesses[0]


def post(hosts, machine, path, business, body, **headers):
    headers = {**business.bearer, **JSON, **headers}
    status, _, raw = hosts.request(machine, "POST", path, headers, json.dumps(body).encode())
    return status, json.loads(raw)


def state(hosts, machine, business, message_id):
    path = f"/api/v1/messages/{message_id}"
    return json.loads(hosts.request(machine, "GET", path, business.bearer)[2])["status_code"]


def test_both_are_ready_and_have_the_same_files(hosts):
    for machine in hosts.machines:
        status, _, raw = hosts.request(machine, "GET", "/readyz", {})
        assert status == 200, raw
        checks = json.loads(raw)["checks"]
        assert set(checks.values()) == {"ok"}, checks


def test_an_idempotency_key_holds_on_both(hosts, business):
    first, second = hosts.machines
    body = {"phone": new_phone(), "message": "Your table is ready"}
    key = {"Idempotency-Key": "table-7"}
    status, answer = post(hosts, first, "/api/v1/messages/send", business, body, **key)
    assert status in SENT_OR_QUEUED, answer
    status, again = post(hosts, second, "/api/v1/messages/send", business, body, **key)
    assert status in SENT_OR_QUEUED, again
    assert again["id"] == answer["id"]
    seconds = allow_for_load(20)
    sent = ("sent", "delivered", "read")
    took = wait_until(lambda: state(hosts, second, business, answer["id"]) in sent, seconds)
    assert took < seconds
    assert hosts.network("GET", f"/accepted?ours={answer['id']}")["times"] == 1


def test_the_other_machine_sends_what_one_accepted(hosts, business):
    """The workers of the machine that accepted it are stopped, and its web process is killed."""
    first, second = hosts.machines
    hosts.fleet.end(first, "worker-1")
    body = {"phone": new_phone(), "message": "Your table is ready"}
    headers = {"Prefer": "respond-async"}
    status, answer = post(hosts, first, "/api/v1/messages/send", business, body, **headers)
    assert status == 202
    hosts.fleet.kill(first, "web")
    sent = ("sent", "delivered", "read")
    seconds = allow_for_load(30)
    assert (
        wait_until(lambda: state(hosts, second, business, answer["id"]) in sent, seconds) < seconds
    )
    assert hosts.network("GET", f"/accepted?ours={answer['id']}")["times"] == 1
    for name in ("web", "worker-1"):
        hosts.fleet.start(first, name)
    hosts.fleet.wait_for(first, hosts.fleet.web_port)


def test_a_file_uploaded_to_one_is_sent_by_the_other(hosts, business):
    first, second = hosts.machines
    headers = {**business.bearer, "Content-Type": "image/png"}
    path = "/api/v1/media?filename=menu.png"
    status, _, raw = hosts.request(first, "POST", path, headers, PNG)
    assert status == 201, raw
    media = json.loads(raw)["id"]
    message = {"to": {"phone": new_phone()}, "type": "image", "media_id": media}
    status, answer = post(hosts, second, "/api/v1/messages", business, message)
    assert status in (200, 201, 202), answer
    seconds = allow_for_load(20)
    sent = ("sent", "delivered", "read")
    took = wait_until(lambda: state(hosts, second, business, answer["id"]) in sent, seconds)
    assert took < seconds, hosts.request(
        second, "GET", f"/api/v1/messages/{answer['id']}", business.bearer
    )


def test_who_signed_in_at_one_is_signed_in_at_the_other(hosts, business):
    first, second = hosts.machines
    jar: SimpleCookie = SimpleCookie()

    def ask(machine, method, path, fields=None):
        cookies = "; ".join(f"{name}={one.value}" for name, one in jar.items())
        headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
        body = urlencode(fields).encode() if fields else None
        connection = hosts.connection(machine, hosts.fleet.web_port)
        connection.request(method, path, body, {"Host": hosts.url.partition("//")[2], **headers})
        answer = connection.getresponse()
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            jar.load(cookie)
        page = answer.read().decode()
        connection.close()
        return answer.status, page

    token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', ask(first, "GET", "/signin")[1])
    fields = {"email": business.owner.email, "password": PASSWORD, "csrf_token": token[1]}
    assert ask(second, "POST", "/signin", fields)[0] == 302  # the form came from the other machine
    status, page = ask(first, "GET", "/home")
    assert status == 200
    assert business.name in page


def test_a_page_at_one_shows_what_happens_at_the_other(hosts, business):
    first, second = hosts.machines
    token = make_live_token(
        hosts.settings.secret_key, business.tenant_id, "per_1", ("messages", "inbox")
    )
    stream = hosts.connection(second, hosts.fleet.live_port)
    stream.request("GET", "/live/stream", headers={"Authorization": f"Bearer {token}"})
    answer = stream.getresponse()
    assert answer.status == 200
    body = {"phone": new_phone(), "message": "Your table is ready"}
    end = time.monotonic() + allow_for_load(20)
    assert post(hosts, first, "/api/v1/messages/send", business, body)[0] in SENT_OR_QUEUED
    while not (line := answer.readline()).startswith(b"data:"):
        assert time.monotonic() < end, line
    stream.close()


def test_one_scheduler_leads_and_names_its_machine(hosts):
    redis = Redis.from_url(hosts.settings.redis_url)
    seconds = allow_for_load(20)
    assert wait_until(lambda: redis.get("scheduler:leader"), seconds) < seconds
    leader = redis.get("scheduler:leader").decode()
    if hosts.machines[0].address == "127.0.0.1":  # with namespaces, which have a name of their own
        assert leader.startswith("host-a:")


def test_a_linked_phone_moves_to_the_machine_that_is_left(hosts, business):
    first, second = hosts.machines
    line_id = _linked(hosts, business.tenant_id)
    lines = "SELECT host FROM linked_lines WHERE tenant_id = %s AND line_id = %s"
    holder = hosts.ask(lines, business.tenant_id, line_id)[0][0]
    lost, left = (first, second) if holder.startswith("host-a") else (second, first)
    hosts.fleet.kill(lost, "linked")
    body = {"phone": new_phone(), "message": "From the phone", "instance_id": line_id}
    headers = {"Prefer": "respond-async"}
    status, answer = post(hosts, left, "/api/v1/messages/send", business, body, **headers)
    assert status == 202, answer
    seconds = allow_for_load(40)
    sent = ("sent", "delivered", "read")
    took = wait_until(lambda: state(hosts, left, business, answer["id"]) in sent, seconds)
    assert took < seconds, (
        hosts.ask(lines, business.tenant_id, line_id),
        hosts.request(left, "GET", f"/api/v1/messages/{answer['id']}", business.bearer)[2],
    )
    assert not [p for p in hosts.network("GET", "/pairings")["pairings"] if p["line_id"] == line_id]
    hosts.fleet.start(lost, "linked")


def test_an_agent_prints_tickets_while_a_machine_is_down(hosts):
    kitchen = Kitchen(hosts)
    try:
        numbers = kitchen.order(1)
        hosts.fleet.kill(hosts.machines[0], "web")
        numbers += kitchen.order(2)
        seconds = allow_for_load(30)
        assert wait_until(kitchen.settled, seconds, kitchen.agent) < seconds
        assert sorted(kitchen.printer.printed()) == sorted(numbers)
    finally:
        kitchen.close()
        hosts.fleet.start(hosts.machines[0], "web")


def test_nothing_but_the_shared_folder_has_files(hosts):
    """DATA_DIR of a machine may be lost: files of tenants are in BLOB_URL."""
    for machine in hosts.machines:
        own = hosts.fleet.folder / machine.name
        assert [path for path in own.rglob("*") if path.is_file()] == []
    assert [path for path in (hosts.fleet.folder / "files").rglob("*") if path.is_file()]
