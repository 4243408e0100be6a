"""A phone is linked by its QR code in a real browser, and a message goes there and back."""

import json
import re
import signal
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

from messaging.simulator.phones.access_links import phones_link
from tests.browser.driver import new_page, save_screenshot, sign_in
from tests.factories import PASSWORD, make_business
from tests.messaging.lines.linked_processes import eventually
from tests.service_processes import LINKED_HOST_COMMAND

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

OWNER, GUEST = "905321110000", "905321112233"
SLOW = 30_000  # many processes share the machine while this runs


def ask(service, business, method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {**business.bearer, "Content-Type": "application/json"}
    request = Request(f"{service.url}/api/v1{path}", data=data, headers=headers, method=method)
    with urlopen(request, timeout=15) as answer:
        return answer.status, json.load(answer)


def test_a_phone_is_linked_by_its_code_and_speaks(app, settings, service, chromium):
    business = make_business("Lokanta Mavi")
    service.start("host", LINKED_HOST_COMMAND)
    context, page, watch = new_page(chromium, service.url)
    sign_in(page, business.owner.email, PASSWORD)
    page.goto("/lines")
    page.get_by_role("link", name="Link a phone").click()
    save_screenshot(page, "link-a-phone")
    page.get_by_label("Name").fill("Front desk phone")
    expect(page.get_by_text("unofficial client")).to_be_visible()
    page.get_by_role("button", name="Show QR code").click()
    code = page.get_by_role("img", name="QR code for linking the phone")
    expect(code).to_be_visible(timeout=SLOW)
    save_screenshot(page, "pairing")
    left = page.locator("[data-seconds]")
    first = int(left.text_content())
    expect(left).not_to_have_text(str(first))

    link = phones_link(settings.simulator_url, settings.simulator_secret, business.tenant_id)
    other, phone, _ = new_page(chromium, settings.simulator_url)
    phone.goto(link)
    phone.get_by_label("Add phone").fill(OWNER)
    phone.get_by_label("Name").fill("Derya")
    phone.get_by_role("button", name="Add").click()
    phone.get_by_role("link", name="Linked devices").click()
    save_screenshot(phone, "phone-scans")
    phone.get_by_role("button", name="Scan the code for Front desk phone").click()
    expect(phone.get_by_text("connected", exact=True)).to_be_visible(timeout=SLOW)

    save_screenshot(phone, "phone-linked")
    # Without a reload.
    expect(page.get_by_role("heading", name="Connected")).to_be_visible(timeout=SLOW)
    expect(page.get_by_text("+90 532 111 00 00")).to_be_visible()
    save_screenshot(page, "pairing-done")
    page.get_by_role("link", name="Open line").click()
    expect(page.get_by_text("Connected", exact=True).first).to_be_visible()
    expect(page.get_by_text("Warm-up, day 1 of 7")).to_be_visible()
    save_screenshot(page, "linked-line")
    line_id = int(re.search(r"/lines/(\d+)", page.url)[1])

    body = {"phone": GUEST, "message": "Masanız hazır", "instance_id": line_id}
    status, sent = ask(service, business, "POST", "/messages/send", body)
    assert (status, sent["status_code"], sent["instance_id"]) == (200, "sent", line_id)
    assert sent["message_id"].startswith("3EB0")
    phone.goto(f"/phones/{GUEST}")
    phone.get_by_role("link", name="Front desk phone").click()
    expect(phone.get_by_role("log")).to_contain_text("Masanız hazır", timeout=SLOW)

    page.goto(f"/messages/{sent['id']}")
    for state in ("Sent", "Delivered", "Read"):
        expect(page.locator(".timeline")).to_contain_text(state, timeout=SLOW)

    phone.get_by_label("Message", exact=True).fill("Geliyoruz")
    phone.keyboard.press("Enter")
    expect(phone.get_by_role("log")).to_contain_text("Geliyoruz")
    received = f"/messages?direction=in&instance_id={line_id}"
    eventually(lambda: ask(service, business, "GET", received)[1]["data"], SLOW / 1000)
    page.goto(f"/messages?line={line_id}")
    expect(page.get_by_text("Geliyoruz")).to_be_visible()

    choices = [{"id": "yes", "title": "Evet"}, {"id": "later", "title": "Daha sonra"}]
    buttons = {"type": "buttons", "body": "Saat 20:00 uygun mu?", "buttons": choices}
    to = {"to": {"phone": GUEST}, "instance_id": line_id}
    status, _ = ask(service, business, "POST", "/messages", {**to, **buttons})
    assert status in (200, 202)
    expect(phone.get_by_role("log")).to_contain_text("2. Daha sonra", timeout=SLOW)
    phone.get_by_label("Message", exact=True).fill("2.")
    phone.keyboard.press("Enter")

    def chosen():
        _, found = ask(service, business, "GET", received)
        return [one["button"]["id"] for one in found["data"] if one["type"] == "button"]

    assert eventually(chosen, SLOW / 1000) == ["later"]
    rows = [{"id": "t-19", "title": "19:00"}, {"id": "t-20", "title": "20:00"}]
    times = {"type": "list", "body": "Hangi saat?", "button": "Seç", "sections": [{"rows": rows}]}
    status, _ = ask(service, business, "POST", "/messages", {**to, **times})
    assert status in (200, 202)
    expect(phone.get_by_role("log")).to_contain_text("2. 20:00", timeout=SLOW)
    phone.get_by_label("Message", exact=True).fill("20:00")
    phone.keyboard.press("Enter")
    assert eventually(lambda: len(chosen()) == 2 and chosen()[0], SLOW / 1000) == "t-20"

    second = service.start("second host", LINKED_HOST_COMMAND)
    service.processes["host"].send_signal(signal.SIGKILL)
    status, _ = ask(
        service, business, "POST", "/messages/send", {**body, "message": "Hâlâ buradayız"}
    )
    assert status in (200, 202)
    phone.goto(f"/phones/{GUEST}")
    phone.get_by_role("link", name="Front desk phone").click()
    expect(phone.get_by_role("log")).to_contain_text("Hâlâ buradayız", timeout=SLOW)
    assert second.poll() is None
    assert ask(service, business, "GET", f"/instances/{line_id}/pairing")[1]["state"] == "connected"
    watch.expect_none()

    page.goto(f"/lines/{line_id}")
    page.get_by_role("link", name="Unlink phone").click()
    page.get_by_role("button", name="Unlink phone").click()
    expect(page.get_by_text("Unlinking the phone.")).to_be_visible()
    phone.goto(f"/phones/{OWNER}/devices")
    expect(phone.get_by_text("There are no codes to scan")).to_be_visible()
    expect(phone.get_by_text("connected", exact=True)).to_have_count(0)
    other.close()
    context.close()
