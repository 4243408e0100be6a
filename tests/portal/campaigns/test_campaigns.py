"""The campaign pages: four steps, a confirmation before the start, and the results."""

import html
import re

import pytest

from core.clock import advance, frozen, now
from core.db import db
from messaging.campaigns import lifecycle as campaign_lifecycle
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.repository import CampaignInput
from messaging.models import Campaign
from tests.line_factory import make_line
from tests.messaging.campaigns.campaign_factory import campaign, meets, messages, sends, steps
from tests.messaging.campaigns.test_buttons import taps
from tests.messaging.message_factory import add_line


@pytest.fixture
def owner(browser, restaurant):
    return browser.signs_in(restaurant.owner)


def words(answer):
    assert answer.status_code == 200, answer.status_code
    plain = re.sub(r"<[^>]+>", " ", answer.get_data(as_text=True))
    return " ".join(html.unescape(plain).split())


def made(owner, restaurant, **what):
    owner.post("/campaigns/new", name="Soup day")
    with restaurant.scope():
        one = campaign_repository.list_campaigns()[0].id
    here = f"/campaigns/{one}"
    owner.post(f"{here}/who")
    fields = {"name": "Soup day", "says": "text", "text": "Soup, {{customer.first_name}}?", **what}
    owner.post(f"{here}/what", **fields)
    owner.post(f"{here}/when", begins="now", rest_days="0", follow_days="7")
    return one, here


def test_from_the_first_step_to_the_figures(owner, restaurant):
    make_line(restaurant)
    meets(restaurant, "Ayşe Kaya", "Mehmet")
    assert "No campaigns yet" in words(owner.get("/campaigns"))
    _one, here = made(owner, restaurant)
    checked = words(owner.get(f"{here}/check"))
    assert "Soup, Ayşe?" in checked
    assert "2 of 2 selected" in checked
    asked = words(owner.get(f"{here}/start"))
    assert re.search(r"Send to 2 people at a cost of about \$0\.\d+\?", asked)
    with frozen(now()):
        assert "Campaign started." in words(owner.post(f"{here}/start", follow=True))
        steps(restaurant)
        sends(restaurant)
        advance(5)
        steps(restaurant)
    page = words(owner.get(here))
    assert "Finished" in page
    assert "Ayşe Kaya" in page
    assert "No matching recipients" in words(owner.get(f"{here}?shown=failed"))
    part = owner.get(here, headers={"X-Part": "campaign"}).get_data(as_text=True)
    assert 'data-part="campaign"' in part
    assert "<html" not in part
    rows = owner.get(f"{here}/results.csv").get_data(as_text=True).splitlines()
    assert len(rows) == 3
    assert rows[1].split(",")[1:4] == ["Ayşe Kaya", "905321110001", "sent"]
    assert len(messages(restaurant)) == 2
    owner.post(f"{here}/copy")
    with restaurant.scope():
        copied = campaign_repository.list_campaigns()[0]
        assert (copied.state, copied.text) == ("draft", "Soup, {{customer.first_name}}?")


def test_the_table_of_recipients_moves_with_the_results(owner, restaurant):
    """It does not show “Waiting” until the end."""
    make_line(restaurant)
    meets(restaurant, "Ayşe Kaya")
    _one, here = made(owner, restaurant)
    with frozen(now()):
        owner.post(f"{here}/start")
        steps(restaurant)
        sends(restaurant)
        advance(5)
        steps(restaurant)
    part = owner.get(here, headers={"X-Part": "campaign"})
    assert 'data-part="recipients"' in part.get_data(as_text=True)
    assert "Ayşe Kaya +90 532 111 00 01 Sent" in words(part)


def test_a_new_campaign_is_for_contacts_with_consent_and_warns_of_the_others(owner, restaurant):
    make_line(restaurant)
    meets(restaurant, "Ayşe", "Mehmet")
    owner.post("/campaigns/new", name="Soup day")
    with restaurant.scope():
        one = campaign_repository.list_campaigns()[0]
    here = f"/campaigns/{one.id}"
    assert one.filters == {"consent": True}
    assert "0 of 0 selected" in words(owner.get(f"{here}/who"))
    owner.post(f"{here}/who")  # the consent box is unticked
    owner.post(f"{here}/what", name="Soup day", says="text", text="Soup?")
    check = words(owner.get(f"{here}/check"))
    assert "Some recipients have not given marketing consent." in check
    assert "Without marketing consent: 2" in check


def test_the_first_step_does_not_speak_of_a_window_before_there_is_a_text(owner, restaurant):
    """“Did not write within 24 hours” is not shown at once."""
    add_line(restaurant, network="whatsapp")
    meets(restaurant, "Ayşe")
    owner.post("/campaigns/new", name="Soup day")
    with restaurant.scope():
        here = f"/campaigns/{campaign_repository.list_campaigns()[0].id}"
    owner.post(f"{here}/who")
    assert "1 of 1 selected" in words(owner.get(f"{here}/who"))
    owner.post(f"{here}/what", name="Soup day", says="text", text="Soup?")
    assert "0 of 1 selected" in words(owner.get(f"{here}/who"))


def test_paused_resumed_and_stopped_by_its_buttons(owner, restaurant):
    make_line(restaurant)
    meets(restaurant, "Ayşe")
    one, here = made(owner, restaurant)
    owner.post(f"{here}/start")
    assert "Paused" in words(owner.post(f"{here}/pause", follow=True))
    assert campaign(restaurant, one).state == "paused"
    owner.post(f"{here}/resume")
    assert campaign(restaurant, one).state == "running"
    assert "permanently?" in words(owner.get(f"{here}/stop"))
    assert campaign(restaurant, one).state == "running"
    owner.post(f"{here}/stop")
    assert campaign(restaurant, one).state == "stopped"
    assert "Only a paused campaign can be resumed" in words(
        owner.post(f"{here}/resume", follow=True)
    )


def test_it_gives_the_reason_it_paused_in_the_reader_s_language(owner, restaurant):
    make_line(restaurant)
    one, here = made(owner, restaurant)
    with restaurant.scope():
        campaign_lifecycle.start(one)
        held = db.session.get(Campaign, (restaurant.tenant_id, one))
        held.state = "paused"
        held.because = {
            "code": "spend_cap_reached",
            "sentence": "The monthly spend cap of {cap} USD has been reached. "
            "Raise it in the settings to continue.",
            "values": {"cap": "5.00"},
        }
    assert "spend cap of 5.00 USD has been reached" in words(owner.get(here))


def test_what_is_wrong_is_shown_at_its_field(owner, restaurant):
    make_line(restaurant)
    one, here = made(owner, restaurant)
    assert "{{order.total}} is not available here" in words(
        owner.post(f"{here}/what", name="Soup day", says="text", text="{{order.total}}")
    )
    assert "Choose a future time, at most one year from now." in words(
        owner.post(f"{here}/when", begins="later", at="2020-01-01T10:00", rest_days="1")
    )
    assert "Choose a start time." in words(owner.post(f"{here}/when", begins="later"))
    owner.post(f"{here}/what", name="Soup day", says="text", text="")
    assert "Write the message, or choose a template." in words(owner.get(f"{here}/check"))
    assert "Write the message, or choose a template." in words(
        owner.post(f"{here}/start", follow=True)
    )
    assert campaign(restaurant, one).state == "draft"


def test_an_audience_is_saved_on_the_way_and_used_again(owner, restaurant):
    one, here = made(owner, restaurant)
    owner.post(f"{here}/who", tags="vip, regular", not_ordered_days="30", save_as="Missed")
    listed = words(owner.get("/audiences"))
    assert "Missed" in listed
    assert "no order in the last 30 days" in listed
    with restaurant.scope():
        assert campaign_repository.get(one).filters == {
            "tags": ["vip", "regular"],
            "not_ordered_days": 30,
        }
    owner.post("/audiences/new", name="All contacts")
    assert "Enter a name" not in words(owner.get("/audiences"))
    assert "Enter 1 to 3650 days." in words(
        owner.post("/audiences/new", name="Odd", seen_within_days="0")
    )


def test_who_only_looks_on_changes_nothing(browser, restaurant):
    make_line(restaurant)
    with restaurant.scope():
        one = campaign_repository.add(CampaignInput(name="Soup day", text="Soup")).id
    viewer = browser.signs_in(restaurant.hires("viewer"))
    assert "Soup day" in words(viewer.get("/campaigns"))
    assert "Draft" in words(viewer.get(f"/campaigns/{one}"))
    assert viewer.post(f"/campaigns/{one}/start").status_code == 403


def test_buttons_are_written_in_the_editor_and_their_taps_shown(owner, restaurant):
    line = make_line(restaurant)
    meets(restaurant, "Ayşe Kaya")
    buttons = {"kind": "buttons", "button_1": "I am coming", "button_2": "Not this time"}
    one, here = made(owner, restaurant, **buttons)
    assert 'value="Not this time"' in owner.get(f"{here}/what").get_data(as_text=True)
    assert "I am coming" in words(owner.get(f"{here}/check"))
    wrong = {**buttons, "button_2": "I am coming"}
    answer = owner.post(f"{here}/what", name="Soup", says="text", text="Soup?", **wrong)
    assert "Two choices have the same text." in words(answer)
    with frozen(now()):
        owner.post(f"{here}/start")
        steps(restaurant)
        sends(restaurant)
        taps(restaurant, line, messages(restaurant)[0], "I am coming")
        advance(5)
        steps(restaurant)
    page = words(owner.get(f"{here}?shown=tapped"))
    assert "Choices" in page
    assert "I am coming 1" in page
    assert "Ayşe" in page
    export = owner.get(f"{here}/results.csv?shown=tapped").get_data(as_text=True)
    assert ",I am coming," in export
    assert campaign(restaurant, one).counts["tapped"] == 1
