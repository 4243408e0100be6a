"""Campaigns with buttons, a list or a link: what is sent on each line, and taps in the results."""

import pytest

from core.clock import now
from core.errors import Invalid
from jobs.inbound.messages import receive_and_react
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import results
from messaging.campaigns.repository import CampaignInput
from messaging.costs.usage import UsageTally
from messaging.inbox.composed import ComposedCard
from messaging.lines import repository as line_repository
from messaging.lines.drivers.base import InboundMessage
from messaging.messages.linked.choices import as_choice
from tests.line_factory import make_line
from tests.messaging.campaigns.campaign_factory import (
    campaign,
    drafts,
    looks,
    meets,
    messages,
    sends,
    starts,
    steps,
)

COMING = ComposedCard("buttons", buttons=("I am coming", "Not this time"))
LIST = ComposedCard("list", list_button="Choose", rows=("19:00 | By the window", "20:00"))
LINK = ComposedCard(
    "link_button", link_text="Our menu", link_url="https://example.com/m?to={{customer.name}}"
)
GUEST = "905321110001"


@pytest.fixture
def line(restaurant):
    return make_line(restaurant)


def becomes(business, line, kind):
    with business.scope():
        line_repository.get(line.id).kind = kind


def sent(business, campaign_id):
    starts(business, campaign_id)
    steps(business)
    sends(business)
    return messages(business)


def taps(business, line, message, title, **content):
    """The guest taps a button of this message, or types the text on a linked phone."""
    with business.scope():
        answer = InboundMessage(
            network_id=f"wamid.tap.{title}.{message.phone}",
            sender_phone=message.phone,
            sender_network_id="",
            sender_name="Ayşe",
            at=int(now().timestamp()),
            kind="button",
            text=title,
            content={"id": title, "title": title, "reply_to": message.network_id, **content},
        )
        receive_and_react(line_repository.get(line.id), answer, UsageTally())


def types(business, line, text):
    with business.scope():
        here = line_repository.get(line.id)
        answer = InboundMessage(
            f"typed.{text}", GUEST, "", "Ayşe", int(now().timestamp()), "text", text
        )
        receive_and_react(here, as_choice(here, answer), UsageTally())


def counted(business, campaign_id):
    with business.scope():
        return results.count_results(campaign_repository.get(campaign_id))


def listed(business, campaign_id, shown):
    with business.scope():
        one = campaign_repository.get(campaign_id)
        return [row.recipient.tapped for row in results.list_results(one, shown)]


def test_buttons_are_sent_and_taps_are_counted_by_title(restaurant, line):
    meets(restaurant, "Ayşe", "Can", "Ece")
    made = drafts(restaurant, card=COMING)
    first, second, _ = sent(restaurant, made)
    assert first.kind == "buttons"
    assert [one["title"] for one in first.content["interactive"]["buttons"]] == list(COMING.buttons)
    taps(restaurant, line, first, "I am coming")
    taps(restaurant, line, second, "Not this time")
    found = counted(restaurant, made)
    assert (found["tapped"], found["taps"]) == (2, {"I am coming": 1, "Not this time": 1})
    assert listed(restaurant, made, "tapped") == ["I am coming", "Not this time"]


def test_the_latest_choice_of_a_recipient_counts(restaurant, line):
    meets(restaurant, "Ayşe")
    made = drafts(restaurant, card=COMING)
    (message,) = sent(restaurant, made)
    taps(restaurant, line, message, "I am coming")
    taps(restaurant, line, message, "Not this time")
    assert counted(restaurant, made)["taps"] == {"Not this time": 1}


def test_a_tap_on_another_message_is_not_counted(restaurant, line):
    meets(restaurant, "Ayşe")
    made = drafts(restaurant, card=COMING)
    (message,) = sent(restaurant, made)
    taps(restaurant, line, message, "I am coming", reply_to="wamid.other")
    assert counted(restaurant, made)["taps"] == {}


def test_a_linked_phone_sends_numbers_and_counts_what_was_typed(restaurant, line):
    becomes(restaurant, line, "linked")
    meets(restaurant, "Ayşe")
    made = drafts(restaurant, card=LIST)
    (preview,) = looks(restaurant, made).previews
    assert preview.text.endswith("1. 19:00 – By the window\n2. 20:00")
    becomes(restaurant, line, "cloud")  # the factory sends what is not left to a phone's host
    (message,) = sent(restaurant, made)
    assert message.kind == "list"
    becomes(restaurant, line, "linked")
    types(restaurant, line, "2")
    assert counted(restaurant, made)["taps"] == {"20:00": 1}


def test_the_preview_shows_buttons_and_links(restaurant, line):
    meets(restaurant, "Ayşe Kaya")
    (list_shown,) = looks(restaurant, drafts(restaurant, card=LIST)).previews
    assert (list_shown.shown.buttons, list_shown.choices) == (("Choose",), ("19:00", "20:00"))
    (link_shown,) = looks(restaurant, drafts(restaurant, card=LINK)).previews
    assert link_shown.shown.links == ("https://example.com/m?to=Ay%C5%9Fe%20Kaya",)


def test_a_text_that_is_too_long_for_buttons_is_sent_without_them(restaurant, line):
    """A name can make it too long; the others keep their buttons."""
    meets(restaurant, "A" * 60, "Can")
    made = drafts(restaurant, text="{{customer.name}}" + "x" * 1000, card=COMING)
    assert sorted(one.kind for one in sent(restaurant, made)) == ["buttons", "text"]


def test_a_template_or_a_copy_keeps_or_drops_the_card(restaurant, line):
    made = drafts(restaurant, card=COMING)
    with restaurant.scope():
        twin = campaign_repository.copy(made, "Again")
        assert twin.card == COMING.as_json()
        template = {"name": "weekend_offer", "language": "en", "parameters": []}
        assert campaign_repository.change(twin.id, CampaignInput(template=template)).card == {}
        campaign_repository.change(made, CampaignInput(card=None))
    assert campaign(restaurant, made).card == {}


@pytest.mark.parametrize(
    ("card", "says"),
    [
        (ComposedCard("buttons"), "Enter the text of at least one button."),
        (ComposedCard("buttons", buttons=("a", "a")), "Two choices have the same text."),
        (ComposedCard("list", rows=("a",)), "Enter the text of the list's button."),
        (ComposedCard("link_button", link_text="Menu", link_url="menu"), "starts with https://"),
        (
            ComposedCard("link_button", link_text="Menu", link_url="https://a.b/{{order.total}}"),
            "is not available here",
        ),
    ],
)
def test_what_cannot_be_sent_is_refused_when_it_is_saved(restaurant, card, says):
    with pytest.raises(Invalid, match=says):
        drafts(restaurant, card=card)


def test_the_same_by_key(client, restaurant, line):
    meets(restaurant, "Ayşe")
    card = {"kind": "buttons", "buttons": ["I am coming", "Not this time"]}
    made = client.post(
        "/api/v1/campaigns",
        json={"name": "Soup", "message": "Soup tonight?", "quiet_hours": None, "card": card},
        headers=restaurant.bearer,
    ).json
    assert made["card"] == card
    here = f"/api/v1/campaigns/{made['id']}"
    seen = client.post(f"{here}/dry-run", headers=restaurant.bearer).json
    assert [one["text"] for one in seen["previews"][0]["buttons"]] == card["buttons"]
    bad = client.patch(
        here,
        json={"card": {"kind": "buttons", "buttons": ["x" * 21]}},
        headers=restaurant.bearer,
    )
    assert (bad.status_code, bad.json["errors"][0]["field"]) == (422, "card.buttons")
    (message,) = sent(restaurant, made["id"])
    taps(restaurant, line, message, "I am coming")
    rows = client.get(f"{here}/results?state=tapped", headers=restaurant.bearer).json["data"]
    assert [one["tapped"] for one in rows] == ["I am coming"]
