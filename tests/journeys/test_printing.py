"""Printing an order over real HTTP: an agent, a CloudPRNT and a Server Direct Print printer."""

import base64
import hashlib
import json
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest

from core.clock import now
from printing import agents, printers, spool
from printing import queries as print_job_queries
from tests.printing.agent_process import AgentProcess, CountingPrinter, wait_until
from tests.printing.fake_pull_printers import Epson, Star, call
from tests.restaurant.bistro import open_bistro
from tests.timeouts import allow_for_load


@pytest.fixture
def bistro(service, restaurant):
    return open_bistro(restaurant)


class Wire:
    """The agent's side of the protocol, implemented here."""

    def __init__(self, service, bistro):
        with bistro.scope():
            _, code = agents.new_code(bistro.site_id)
        self.base = service.url
        answer = self.post(f"{service.url}/print/v1/pair", {"code": code.lower(), "name": "pi"})
        assert answer.status == 200, answer.body
        paired = answer.json()
        self.token, self.id, self.url = paired["token"], paired["agent_id"], paired["poll_url"]
        assert paired["site"]["id"] == bistro.site_id

    def post(self, url, body, token=""):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return call("POST", url, json.dumps(body).encode(), **headers)

    def polls(self, *known, wait=5, have=(), state="ready"):
        states = [{"id": one, "state": state} for one in known]
        return self.post(
            self.url, {"wait": wait, "have": list(have), "printers": states}, self.token
        )

    def reports(self, job, outcome="printed", **more):
        body = {"fence": job["fence"], "outcome": outcome, "evidence": {"bytes": 12}, **more}
        return self.post(f"{self.base}/print/v1/jobs/{job['id']}/result", body, self.token)


def printer_of(bistro, name, way="agent", **values):
    with bistro.scope():
        return printers.add(bistro.site_id, name, way, values)


def until(true, seconds=10):
    end = time.monotonic() + allow_for_load(seconds)
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def states(bistro):
    with bistro.scope():
        return [
            job.state
            for job in print_job_queries.listed(print_job_queries.PrintJobFilters(), None, 50)
        ][::-1]


def test_an_order_is_with_the_agent_within_a_second(service, bistro):
    wire = Wire(service, bistro)
    payload = {"agent_id": wire.id, "output": {"kind": "demo"}}
    kitchen = printer_of(bistro, "Mutfak", **payload, stations=["kitchen"])
    bar = printer_of(bistro, "Bar", **payload, stations=["bar"])
    first = wire.polls().json()
    assert {one["id"] for one in first["printers"]} == {kitchen.id, bar.id}
    got = {}

    def waits():
        got["answer"], got["at"] = wire.polls(kitchen.id, bar.id, wait=10), time.monotonic()

    thread = threading.Thread(target=waits)
    thread.start()
    time.sleep(0.3)  # the poll is held by now
    bistro.order()
    thread.join()
    jobs = got["answer"].json()["jobs"]
    assert jobs
    with bistro.scope():
        rows = print_job_queries.listed(print_job_queries.PrintJobFilters(), None, 5)
        waits = [(job.claimed_at - job.queued_at).total_seconds() for job in rows if job.claimed_at]
    # Placing the order is not measured, and a worker's first ticket also loads its fonts.
    assert max(waits) < allow_for_load(3), waits
    if len(jobs) == 1:  # the two were rendered one after the other
        jobs += wire.polls(kitchen.id, bar.id, have=[jobs[0]["id"]]).json()["jobs"]
    assert {job["printer_id"] for job in jobs} == {kitchen.id, bar.id}
    assert b"Hamburger" in base64.b64decode(
        next(job["data"] for job in jobs if job["printer_id"] == kitchen.id)
    )
    for job in jobs:
        assert wire.reports(job).json() == {"state": "printed"}
        assert wire.reports(job).json() == {"state": "printed"}
    assert wire.reports({**jobs[0], "fence": 0}).status == 409
    picture = call(
        "GET",
        f"{service.url}/print/v1/jobs/{jobs[0]['id']}/picture.png",
        Authorization=f"Bearer {wire.token}",
    )
    assert picture.body.startswith(b"\x89PNG")
    assert states(bistro) == ["printed", "printed"]
    with bistro.scope():
        agents.revoke(wire.id)
    refused = wire.polls(kitchen.id, bar.id)
    assert (refused.status, refused.json()["error"]["code"]) == (401, "agent_revoked")
    assert wire.reports(jobs[0]).json()["error"]["code"] == "agent_revoked"


def test_a_held_poll_ends_when_the_agent_is_revoked_or_its_printers_change(service, bistro):
    wire = Wire(service, bistro)
    payload = {"agent_id": wire.id, "output": {"kind": "demo"}}
    kitchen = printer_of(bistro, "Mutfak", **payload, stations=["kitchen"])
    answers = []
    thread = threading.Thread(target=lambda: answers.append(wire.polls(kitchen.id, wait=20)))
    thread.start()
    time.sleep(0.3)
    with bistro.scope():
        printers.change(kitchen.id, {"output": {"kind": "network", "host": "192.168.1.9"}})
    thread.join(10)
    assert answers[0].json()["printers"][0]["output"]["host"] == "192.168.1.9"
    thread = threading.Thread(target=lambda: answers.append(wire.polls(kitchen.id, wait=20)))
    thread.start()
    time.sleep(0.3)
    with bistro.scope():
        agents.revoke(wire.id)
    thread.join(10)
    assert answers[1].status == 401


def test_codes_cannot_be_guessed(service, bistro, redis):
    wire = Wire(service, bistro)
    answers = [
        wire.post(f"{service.url}/print/v1/pair", {"code": f"2222-{one}222"})
        for one in "BCDFGHJKMNPQRS"
    ]
    assert answers[0].json()["code"] == "pairing_code_unknown"
    assert answers[-1].status == 429
    redis.delete(*redis.scan_iter("bucket:pairing:*"))


def test_a_star_printer_prints_in_order_and_survives_its_faults(service, bistro):
    printer = printer_of(bistro, "Mutfak", "cloudprnt", stations=["kitchen"])
    star = Star(f"{service.url}/print/star/{printer.secret}")
    idle = star.polls()
    assert idle.json() == {"jobReady": False}
    assert idle.headers["Cache-Control"] == "no-store"
    bistro.order()
    bistro.order()
    assert star.polls(printing=True).json() == {"jobReady": False}
    offer = star.polls().json()
    assert offer["mediaTypes"] == ["application/vnd.star.starprnt"]
    assert star.polls().json() == offer  # offered until it is fetched
    once = star.fetches(offer)
    assert once.headers["Content-Type"] == offer["mediaTypes"][0]
    assert star.fetches(offer).body == once.body
    assert star.fetches(offer, type="image/png").status == 415
    assert star.polls().json() == {"jobReady": False}  # one is claimed
    # The printer runs out of paper: the ticket stays queued, and the error is shown.
    assert star.confirms(offer, "410 Out of paper").status == 200
    assert states(bistro) == ["queued", "queued"]
    star.code = "410 Out of paper"
    assert star.polls().json() == {"jobReady": False}
    with bistro.scope():
        assert printers.get(printer.id).state == "paper_out"
        db_job = print_job_queries.listed(
            print_job_queries.PrintJobFilters(state="queued"), None, 2
        )[-1]
        db_job.due_at = now()
    star.code = "200 OK"
    again = star.polls().json()
    assert again["jobToken"] != offer["jobToken"]
    assert star.fetches(again).body == once.body
    assert star.confirms(offer).status == 200  # from the first claim, so it is too late
    assert states(bistro) == ["claimed", "queued"]
    # The confirmation is lost: the job is unconfirmed, the next is claimed, a late result counts.
    with bistro.scope():
        spool.claimed_job(printer.id).leased_until = now() - timedelta(seconds=1)
    star.code = "211 Paper low"
    following = star.polls().json()
    assert following["jobReady"]
    assert states(bistro) == ["unconfirmed", "claimed"]
    assert star.confirms(again).status == 200
    assert star.fetches(following).status == 200
    assert star.confirms(following, "OK").status == 200
    assert states(bistro) == ["printed", "printed"]
    with bistro.scope():
        assert printers.get(printer.id).state == "paper_low"
    # The same printer, its address in another spelling.
    plain = star.mac.replace(":", "")
    for mac in (plain, plain.upper(), star.mac.replace(":", "-"), star.mac.replace(":", ".")):
        assert Star(star.url, mac=mac, code="200 OK").polls().status == 200, mac
    # Strangers.
    assert Star(star.url, mac="00:11:62:ff:ff:ff").polls().status == 403
    assert Star(f"{star.url[:-4]}abcd").polls().status == 404
    with bistro.scope():
        printers.renew_secret(printer.id)
    until(lambda: star.polls().status == 404)


def test_a_star_printer_that_cannot_read_a_ticket_does_not_hold_up_the_next(service, bistro):
    printer = printer_of(bistro, "Mutfak", "cloudprnt", stations=["kitchen"])
    star = Star(f"{service.url}/print/star/{printer.secret}", code="420 Cover open")
    bistro.order()
    assert star.polls().json() == {"jobReady": False}
    with bistro.scope():
        assert printers.get(printer.id).state == "cover_open"
    star.code = "200 OK"
    offer = star.polls().json()
    star.fetches(offer)
    star.confirms(offer, "511 Media decoding error")
    bistro.order()
    assert states(bistro) == ["failed", "queued"]
    assert star.cycle()
    assert len(star.printed) == 1


def test_an_epson_printer_prints_in_order_and_survives_its_faults(service, bistro):
    printer = printer_of(bistro, "Bar", "server_direct", stations=["bar"])
    epson = Epson(f"{service.url}/print/epson/{printer.secret}")
    assert epson.asks() is None
    bistro.order()
    bistro.order()
    job, data = epson.asks()
    assert epson.asks() is None  # one is claimed
    assert epson.answers(job, False, "EPTR_REC_EMPTY").status == 200
    assert states(bistro) == ["queued", "queued"]
    with bistro.scope():
        assert printers.get(printer.id).state == "paper_out"
        first = print_job_queries.listed(print_job_queries.PrintJobFilters(), None, 5)[-1]
        first.due_at = now()
    assert epson.asks() is None
    assert epson.reports_status(0x0F000014).status == 200
    again, same = epson.asks()
    from xml.etree import ElementTree as ET

    assert again != job
    assert ET.tostring(same) == ET.tostring(data)
    assert epson.answers(again, status=0x0F000016).status == 200
    other, _ = epson.asks()
    with bistro.scope():
        spool.claimed_job(printer.id).leased_until = now() - timedelta(seconds=1)
    assert epson.asks() is None
    assert states(bistro) == ["printed", "unconfirmed"]
    assert epson.answers(other).status == 200
    assert states(bistro) == ["printed", "printed"]
    # Old and unknown tickets: the printer repeats its report until it is answered 200.
    for old in ("01JF9Z6M3V7Q2N8K4T5W6X7Y8Z.1", "what-is-this.1", "x"):
        assert epson.answers(old).status == 200, old
    assert epson.reports_status(0x20).status == 200
    with bistro.scope():
        assert printers.get(printer.id).state == "cover_open"
    assert Epson(epson.url, id="another").posts(ConnectionType="GetRequest").status == 403
    assert Epson(f"{epson.url[:-4]}abcd").posts(ConnectionType="GetRequest").status == 404
    assert epson.posts(ConnectionType="SetResponse", ResponseFile="<!DOCTYPE a>").status == 400
    assert epson.posts(ConnectionType="Nothing").status == 400


def test_an_order_is_printed_by_a_real_agent_that_is_killed_and_runs_out_of_paper(
    service, bistro, tmp_path
):
    with bistro.scope():
        _, code = agents.new_code(bistro.site_id)
    agent, kitchen = AgentProcess(service.url, tmp_path, code), CountingPrinter()
    agent.start()
    try:
        until(lambda: (tmp_path / "agent.json").is_file(), 20)
        with bistro.scope():
            (known,) = agents.listed(bistro.site_id)
        first = printer_of(
            bistro, "Mutfak", agent_id=known.id, output=kitchen.output, stations=["kitchen"]
        )
        printer_of(bistro, "Bar", agent_id=known.id, output={"kind": "demo"}, stations=["bar"])
        until(lambda: state_of(bistro, first.id) == "ready", 20)
        order = bistro.order()
        until(lambda: states(bistro) == ["printed", "printed"], 20)
        assert kitchen.printed() == [order.number]
        (picture,) = (tmp_path / "tickets").rglob("*.png")
        assert picture.read_bytes().startswith(b"\x89PNG")
        # The printer runs out of paper: the ticket waits, with a reason, and is printed later.
        kitchen.state = "paper_out"
        waits = bistro.order(phone="905321112244", table="3")
        until(lambda: state_of(bistro, first.id) == "paper_out", 20)
        assert waits.number not in kitchen.printed()
        kitchen.state = "ready"
        until(lambda: set(states(bistro)) == {"printed"}, 30)
        # Killed after printing and before recording it: printed again, with a mark.
        agent.stop()
        agent.start("after_print:1")
        doubtful = bistro.order(phone="905321112255", table="4")
        assert wait_until(lambda: set(states(bistro)) == {"printed"}, allow_for_load(40), agent)
        assert agent.deaths == 1
        numbers = kitchen.printed()
        assert list(dict.fromkeys(numbers)) == [order.number, waits.number, doubtful.number]
        assert kitchen.doubled() <= kitchen.marked() <= 1
    finally:
        agent.stop()
        kitchen.close()


def test_the_downloaded_agent_prints_an_order_without_the_repository(service, bistro, tmp_path):
    """Download, one line with the code, and the ticket is printed."""
    url = f"{service.url}/downloads/print-agent.pyz"
    got = call("GET", url)
    assert got.status == 200
    assert "attachment" in got.headers["Content-Disposition"]
    digest, _, name = call("GET", f"{url}.sha256").body.decode().strip().partition("  ")
    assert (digest, name) == (hashlib.sha256(got.body).hexdigest(), "print-agent.pyz")
    (tmp_path / name).write_bytes(got.body)
    with bistro.scope():
        _, code = agents.new_code(bistro.site_id)
    line = f"{name} --server {service.url} --pair {code} --data data --no-scan --log agent.log"
    # -I -S: neither this repository nor any installed package is there to help.
    agent = subprocess.Popen([sys.executable, "-I", "-S", *line.split()], cwd=tmp_path)
    try:
        until(lambda: (tmp_path / "data" / "agent.json").is_file(), 20)
        with bistro.scope():
            (known,) = agents.listed(bistro.site_id)
        assert known.version == "1.1"
        printer_of(
            bistro,
            "Mutfak",
            agent_id=known.id,
            output={"kind": "file", "path": "kitchen"},
            stations=["kitchen"],
        )
        order = bistro.order()
        until(lambda: states(bistro) == ["printed"], 30)
        assert order.number.encode() in (tmp_path / "data" / "files" / "kitchen").read_bytes()
    finally:
        agent.terminate()
        agent.wait(10)
    assert "Paired with" in (tmp_path / "agent.log").read_text()


def state_of(bistro, printer_id):
    with bistro.scope():
        return printers.get(printer_id).state
