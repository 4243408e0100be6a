"""The pages of printers and print jobs."""

import re
from html import unescape

import pytest

from printing import agent_package, agents, printers, spool
from tests.printing.bistro_printers import open_bistro_printers


@pytest.fixture
def press(restaurant):
    return open_bistro_printers(restaurant)


def text(answer):
    return answer.get_data(as_text=True)


def test_a_printer_is_added_set_up_and_removed(press, browser, restaurant):
    browser.signs_in(restaurant.owner)
    browser.get("/printers/new")
    made = browser.post("/printers/new", site=press.bistro.site_id, name="Teras", way="cloudprnt")
    path = made.location
    page = text(browser.get(path))
    secret = re.search(r"/print/star/([A-Za-z0-9_-]+)", page)[1]
    fields = {
        "name": "Teras", "profile": "star", "width_mm": "58", "stations": "bar",
        "fallback": press.bar, "fallback_seconds": "45", "copies": "2", "enabled": "y",
    }  # fmt: skip
    assert browser.post(path, **fields).status_code == 302
    with press.scope():
        known = printers.get(path.rpartition("/")[2])
        assert (known.width_mm, known.stations, known.fallback_seconds) == (58, ["bar"], 45)
    assert browser.post(f"{path}/address").status_code == 302
    assert secret not in text(browser.get(path))
    assert "Teras" in text(browser.get(f"{path}/remove"))
    assert browser.post(f"{path}/remove").status_code == 302
    assert browser.get(path).status_code == 404


def test_a_wrong_address_is_shown_as_a_message_and_nothing_is_written(press, browser, restaurant):
    browser.signs_in(restaurant.owner)
    path = f"/printers/{press.kitchen}"
    browser.get(path)
    fields = {
        "name": "Mutfak", "agent": press.agent.id, "output": "network", "address": "not an address",
        "language": "escpos", "profile": "generic", "width_mm": "80", "enabled": "y",
    }  # fmt: skip
    answer = browser.post(path, **fields)
    assert "192.168.1.50" in text(answer)
    assert press.printer(press.kitchen).output == {"kind": "demo"}


def test_the_pairing_page_turns_green_when_the_agent_is_there(press, browser, restaurant):
    browser.signs_in(restaurant.owner)
    browser.get("/printers")
    path = browser.post("/printers/pair", site=press.bistro.site_id).location
    page = text(browser.get(path))
    code = re.search(r"--pair ([A-Z0-9]{4}-[A-Z0-9]{4})", page)[1]
    with press.scope():
        known = agents.code_state(path.rpartition("/")[2])
        assert known.code == code
        assert agents.pair(known.id, "Kasa", "1") is not None
    part = text(browser.get(path, headers={"X-Part": "timeline"}))
    assert "Kasa" in part
    assert "data-live" not in part


def test_the_pairing_page_leads_through_the_installation_on_each_system(press, browser, restaurant):
    """What to download and the command to type, including the code."""
    browser.signs_in(restaurant.owner)
    browser.get("/printers")
    path = browser.post("/printers/pair", site=press.bistro.site_id).location
    code = re.search(r"--pair ([A-Z0-9]{4}-[A-Z0-9]{4})", text(browser.get(path)))[1]
    options = f"--pair {code} --install"
    windows = unescape(text(browser.get(f"{path}?system=windows")))
    assert 'py "$HOME\\Downloads\\print-agent.pyz" --server' in windows
    assert "/downloads/print-agent.pyz" in windows
    assert options in windows
    assert "~/Downloads/print-agent.pyz --server" in text(browser.get(f"{path}?system=macos"))
    linux = unescape(text(browser.get(f"{path}?system=linux")))
    assert "/downloads/print-agent.pyz && python3 print-agent.pyz --server" in linux
    assert agent_package.package().sha256 in linux
    guessed = browser.get(path, headers={"User-Agent": "Mozilla/5.0 (Windows NT 10.0; Win64)"})
    assert "PowerShell" in text(guessed)


def test_an_executable_of_the_agent_is_offered_when_the_operator_has_built_one(
    press, browser, restaurant, settings, tmp_path, monkeypatch
):
    assert browser.get("/downloads/print-agent-windows.exe").status_code == 404
    (tmp_path / "print-agent-windows.exe").write_bytes(b"MZ program")
    (tmp_path / "secret.env").write_text("A=B")
    monkeypatch.setattr(settings, "print_agent_dir", str(tmp_path))
    answer = browser.get("/downloads/print-agent-windows.exe")
    assert answer.get_data() == b"MZ program"
    assert browser.get("/downloads/secret.env").status_code == 404
    browser.signs_in(restaurant.owner)
    browser.get("/printers")
    path = browser.post("/printers/pair", site=press.bistro.site_id).location
    page = unescape(text(browser.get(f"{path}?system=windows")))
    assert '& "$HOME\\Downloads\\print-agent-windows.exe" --server' in page
    assert "python.org" not in page
    assert "print-agent.pyz" in text(browser.get(f"{path}?system=linux"))


def test_a_browser_keeps_the_agent_until_it_changes(client):
    first = client.get("/downloads/print-agent.pyz")
    assert first.headers["Content-Type"] == "application/octet-stream"
    again = client.get(
        "/downloads/print-agent.pyz", headers={"If-None-Match": first.headers["ETag"]}
    )
    assert again.status_code == 304
    assert "Set-Cookie" not in first.headers


def test_a_ticket_without_proof_is_asked_about_and_answered(press, browser, restaurant):
    press.bistro.order()
    kitchen, bar = press.jobs()
    with press.scope():
        for job in (spool.lock_job(kitchen.id), spool.lock_job(bar.id)):
            spool.finish_job(job, "unconfirmed", "")
    waiter = restaurant.hires("waiter")
    browser.signs_in(waiter)
    assert "2" in text(browser.get("/printers"))
    page = text(browser.get(f"/print-jobs/{kitchen.id}"))
    assert f"/print-jobs/{kitchen.id}/resend" in page
    assert browser.post(f"/print-jobs/{kitchen.id}/printed").status_code == 302
    again = browser.post(f"/print-jobs/{bar.id}/resend").location
    assert press.job(kitchen.id).state == "printed"
    assert press.job(again.rpartition("/")[2]).reprint_of == bar.id
    picture = browser.get(f"{again}/picture.png")
    assert picture.get_data().startswith(b"\x89PNG")
    assert press.job(kitchen.id).evidence[-1]["who"] == waiter.name


def test_the_order_shows_its_tickets_and_prints_its_bill(press, browser, restaurant):
    order = press.bistro.order()
    browser.signs_in(restaurant.owner)
    page = text(browser.get(f"/orders/{order.number}"))
    assert page.count("/print-jobs/pj_") == 2
    assert browser.post(f"/orders/{order.number}/bill").status_code == 302
    assert [job.kind for job in press.jobs()] == ["order", "order", "bill"]
    board = text(browser.get(f"/orders/board/{press.bistro.site_id}"))
    assert "print-wait" in board


def test_jobs_are_filtered_by_state_and_printer(press, browser, restaurant):
    press.bistro.order()
    browser.signs_in(restaurant.owner)
    kitchen, bar = press.jobs()
    only = text(browser.get(f"/print-jobs?printer={press.kitchen}"))
    assert kitchen.id in only
    assert bar.id not in only
    assert kitchen.id not in text(browser.get("/print-jobs?state=printed"))


def test_a_test_ticket_and_a_strip_are_queued_and_the_row_is_kept(press, browser, restaurant):
    browser.signs_in(restaurant.owner)
    path = f"/printers/{press.kitchen}"
    browser.get(path)
    assert "/print-jobs/" in browser.post(f"{path}/test").location
    browser.post(f"{path}/strip")
    browser.post(f"{path}/code-page", page="13:cp857")
    assert press.printer(press.kitchen).code_page == "13:cp857"
    browser.post(f"{path}/code-page", page="13:nonsense")
    assert press.printer(press.kitchen).code_page == "13:cp857"
    assert [job.kind for job in press.jobs()] == ["test", "strip"]


def test_the_api_adds_a_printer_tests_it_and_reprints(press, client, restaurant):
    def call(method, path, **body):
        return client.open(
            f"/api/v1{path}", method=method, json=body or None, headers=restaurant.bearer
        )

    made = call(
        "POST",
        "/printers",
        site_id=press.bistro.site_id,
        name="Izgara",
        way="agent",
        output={"kind": "network", "host": "192.168.1.51"},
        stations=["kitchen"],
    )
    assert made.status_code == 201
    path = f"/printers/{made.json['id']}"
    assert made.json["output"] == {"kind": "network", "host": "192.168.1.51", "port": 9100}
    assert call("PATCH", path, copies=2).json["copies"] == 2
    assert call("PATCH", path, fallback_id=made.json["id"]).status_code == 422
    job = call("POST", f"{path}/test").json["id"]
    assert call("POST", f"/print-jobs/{job}/reprint").status_code == 409
    with press.scope():
        spool.finish_job(spool.lock_job(job), "printed", "")
    assert call("POST", f"/print-jobs/{job}/reprint").status_code == 201
    listed = call("GET", f"/print-jobs?printer_id={made.json['id']}").json["data"]
    assert [one["kind"] for one in listed] == ["test", "test"]
    code = call("POST", "/print-agents", site_id=press.bistro.site_id)
    assert re.fullmatch(r"[A-Z0-9]{4}-[A-Z0-9]{4}", code.json["code"])
    agent = call("GET", "/print-agents").json["data"][0]
    assert call("DELETE", f"/print-agents/{agent['id']}").status_code == 204
    assert call("DELETE", path).status_code == 204
    assert call("GET", path).status_code == 404
