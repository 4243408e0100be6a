"""The pages of linked phones: their content in each state, and the rights they need."""

import re
from datetime import timedelta

import pytest

from core.clock import now
from messaging.lines import repository as line_repository
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.linked import sessions as linked_sessions
from messaging.lines.drivers.linked.client import PairingCodeShown, QrCodeShown


@pytest.fixture
def line_id(restaurant):
    with restaurant.scope():
        return pairing.add_linked_line("Front desk", network="simulator").id


def requested_session(business, line_id):
    with business.scope():
        return pairing.find_linked_line(line_id).wanted


def text(answer):
    return answer.get_data(as_text=True)


def test_a_phone_is_added_and_its_code_asked_for(browser, restaurant):
    browser.signs_in(restaurant.owner)
    assert "unofficial client" in text(browser.get("/lines/link"))
    answer = browser.post("/lines/link", name="Courier")
    assert answer.status_code == 302
    page = text(browser.get(answer.location))
    assert "Getting a code" in page
    assert "data-live" in page
    with restaurant.scope():
        [line] = [one for one in line_repository.list_lines() if one.kind == "linked"]
        assert (line.name, line.state, line.network) == ("Courier", "pairing", "simulator")
        assert pairing.find_linked_line(line.id).wanted == "session"


def test_it_needs_a_name(browser, restaurant):
    browser.signs_in(restaurant.owner)
    answer = browser.post("/lines/link", name="  ")
    assert answer.status_code == 200
    with restaurant.scope():
        assert not [one for one in line_repository.list_lines() if one.kind == "linked"]


def test_the_code_is_drawn_and_only_its_part_is_asked_for_again(browser, restaurant, line_id):
    browser.signs_in(restaurant.owner)
    with restaurant.scope():
        linked_sessions.record_code_shown(
            line_id, QrCodeShown("2@abc", now() + timedelta(seconds=20))
        )
    page = text(browser.get(f"/lines/{line_id}/pair"))
    assert "<svg" in page
    assert "A new code appears" in page
    part = text(browser.get(f"/lines/{line_id}/pair", headers={"X-Part": "pairing"}))
    assert "<html" not in part
    assert 'data-part="pairing"' in part
    with restaurant.scope():
        linked_sessions.record_code_shown(
            line_id, PairingCodeShown("ABCD1234", now() + timedelta(seconds=90))
        )
    page = text(browser.get(f"/lines/{line_id}/pair"))
    assert "ABCD-1234" in page
    assert re.search(r"Valid for <span data-seconds>(89|90)</span> s<", page)
    with restaurant.scope():
        linked_sessions.record_code_shown(
            line_id, PairingCodeShown("ABCD1234", now() + timedelta(minutes=57, seconds=26))
        )
    assert "Valid for about 57 minutes" in text(browser.get(f"/lines/{line_id}/pair"))
    with restaurant.scope():
        linked_sessions.record_pairing_timeout(line_id)
    page = text(browser.get(f"/lines/{line_id}/pair"))
    assert "Get a new code" in page
    assert "data-live>" not in page


def test_a_missing_host_is_shown_as_a_message(browser, restaurant, line_id):
    browser.signs_in(restaurant.owner)
    with restaurant.scope():
        line, _ = pairing.start(line_id)
        line.state_at = now() - timedelta(minutes=1)
    assert "is not responding" in text(browser.get(f"/lines/{line_id}/pair"))


def test_a_number_for_the_typed_code_is_read_as_people_write_it(browser, restaurant, line_id):
    browser.signs_in(restaurant.owner)
    answer = browser.post(f"/lines/{line_id}/pair", phone="+90 532 111 22 33")
    assert answer.status_code == 302
    with restaurant.scope():
        assert pairing.find_linked_line(line_id).code_phone == "905321112233"
    assert browser.post(f"/lines/{line_id}/pair", phone="12").status_code == 200
    with restaurant.scope():
        assert pairing.find_linked_line(line_id).code_phone == "905321112233"


def test_a_connected_phone_is_restarted_logged_out_and_removed(browser, restaurant, line_id):
    browser.signs_in(restaurant.owner)
    with restaurant.scope():
        linked_sessions.record_paired(line_id, "905321110000")
        linked_sessions.record_connected(line_id)
    page = text(browser.get(f"/lines/{line_id}"))
    assert "Warm-up, day 1 of 7" in page
    assert "Last seen" in page
    browser.post(f"/lines/{line_id}/restart")
    assert requested_session(restaurant, line_id) == "session"
    assert "Unlink phone" in text(browser.get(f"/lines/{line_id}/logout"))
    assert requested_session(restaurant, line_id) == "session"
    browser.post(f"/lines/{line_id}/logout")
    assert requested_session(restaurant, line_id) == "logout"
    browser.post(f"/lines/{line_id}/remove")
    assert browser.get(f"/lines/{line_id}").status_code == 404
    assert "started linking a phone to the line" not in text(browser.get("/audit"))
    assert "unlinked the phone of the line" in text(browser.get("/audit"))


def test_its_pace_may_be_slower_and_not_faster(browser, restaurant, line_id):
    browser.signs_in(restaurant.owner)
    browser.post(f"/lines/{line_id}", name="Front desk", per_second="0.2")
    answer = browser.post(f"/lines/{line_id}", name="Front desk", per_second="5")
    assert "two seconds" in text(answer)
    with restaurant.scope():
        assert float(line_repository.get(line_id).per_second) == 0.2


def test_what_is_for_cloud_lines_does_nothing_to_a_phone(browser, restaurant, line_id):
    browser.signs_in(restaurant.owner)
    browser.post(f"/lines/{line_id}/check")
    browser.post(f"/lines/{line_id}/access", token="EAAB")
    with restaurant.scope():
        line = line_repository.get(line_id)
        assert (line.state, line.token) == ("unpaired", None)


@pytest.mark.parametrize("role", ["viewer", "inbox"])
def test_who_only_looks_changes_nothing(browser, restaurant, line_id, role):
    browser.signs_in(restaurant.hires(role))
    for path in ("pair", "restart", "logout"):
        assert browser.post(f"/lines/{line_id}/{path}").status_code == 403
    assert browser.get("/lines/link").status_code == 403
    assert requested_session(restaurant, line_id) == "nothing"


def test_a_cloud_lines_pair_page_is_a_conflict(browser, restaurant):
    from tests.line_factory import make_line

    browser.signs_in(restaurant.owner)
    assert browser.get(f"/lines/{make_line(restaurant).id}/pair").status_code == 409
