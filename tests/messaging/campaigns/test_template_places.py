"""Templates with a map above the text and a button that copies a code, in campaigns."""

import pytest

from core.errors import Invalid
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns import results
from tests.messaging.campaigns.campaign_factory import campaign, drafts, looks, meets, sends, starts
from tests.messaging.campaigns.test_buttons import taps
from tests.messaging.campaigns.test_template_values import line, messages, sent, taken  # noqa: F401
from tests.portal.page_reader import text_of

PLACE = {
    "latitude": 41.0082,
    "longitude": 28.9784,
    "name": "Lokanta Mavi Moda",
    "address": "Moda Caddesi 1, Istanbul",
}
NEW_PLACE = {"name": "new_place", "language": "en", "parameters": ["{{customer.first_name}}"]}
FULL = {**NEW_PLACE, "location": PLACE, "buttons": [None, "MODA-10"]}


def test_the_place_and_the_code_reach_the_network(restaurant, line):  # noqa: F811
    meets(restaurant, "Ayşe Kaya")
    made = drafts(restaurant, text="", template=FULL)
    found = looks(restaurant, made)
    assert (found.problem, found.previews[0].shown.header_media) == (None, "location")
    (wire,) = sent(restaurant, made)
    taken(wire)
    head, _, button = wire["components"]
    assert head["parameters"] == [{"type": "location", "location": PLACE}]
    assert (button["sub_type"], button["index"]) == ("copy_code", "1")
    assert button["parameters"] == [{"type": "coupon_code", "coupon_code": "MODA-10"}]


def test_a_tapped_quick_reply_is_counted(restaurant, line):  # noqa: F811
    meets(restaurant, "Ayşe Kaya")
    made = drafts(restaurant, text="", template=FULL)
    sent(restaurant, made)
    sends(restaurant)
    (message,) = messages(restaurant)
    taps(restaurant, line, message, "Remind me")
    with restaurant.scope():
        found = results.count_results(campaign_repository.get(made))
    assert found["taps"] == {"Remind me": 1}


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ({**FULL, "location": {}}, "The template shows a map above its text. Enter the place."),
        ({**FULL, "buttons": []}, "Button 2 of the template copies a code"),
        ({**FULL, "buttons": [None, "X" * 16]}, "can have at most 15 characters"),
        (
            {"name": "weekend_menu", "language": "en", "parameters": ["x"], "location": PLACE},
            "The template shows no map above its text.",
        ),
    ],
)
def test_what_does_not_fit_is_shown_before_the_start(restaurant, line, template, says):  # noqa: F811
    made = drafts(restaurant, text="", template=template)
    assert says in looks(restaurant, made).problem.message
    with pytest.raises(Invalid, match=says):
        starts(restaurant, made)


@pytest.mark.parametrize("wrong", [{"latitude": 91.0}, {"longitude": "x"}, {"name": ""}])
def test_a_place_that_is_none_is_refused(restaurant, wrong):
    with pytest.raises(Invalid):
        drafts(restaurant, text="", template={**FULL, "location": {**PLACE, **wrong}})


def test_in_the_portal_with_a_map_link(browser, restaurant, line):  # noqa: F811
    meets(restaurant, "Ayşe Kaya")
    made = drafts(restaurant)
    browser.signs_in(restaurant.owner)
    here = f"/campaigns/{made}/what"
    fields = {
        "name": "Soup day",
        "says": "template",
        "template": "new_place/en",
        "parameters": "{{customer.first_name}}",
        "location": "https://maps.example.com/@41.0082,28.9784,17z",
        "location_name": PLACE["name"],
        "location_address": PLACE["address"],
        "code": "MODA-10",
        "act": "stay",
    }
    browser.get(here)
    page = browser.post(here, follow=True, **fields)
    assert campaign(restaurant, made).template["location"] == PLACE
    assert campaign(restaurant, made).template["buttons"] == [None, "MODA-10"]
    again = page.get_data(as_text=True)
    assert 'value="41.0082, 28.9784"' in again
    assert 'value="MODA-10"' in again
    wrong = browser.post(here, **{**fields, "location": "Moda"})
    assert "Enter latitude and longitude, or paste a map link." in text_of(wrong)


def test_by_key_with_wrong_values(client, restaurant, line):  # noqa: F811
    template = {**NEW_PLACE, "header_location": PLACE, "buttons": [None, "MODA-10"]}
    made = client.post(
        "/api/v1/campaigns",
        json={"name": "Moda", "template": template},
        headers=restaurant.bearer,
    ).json
    assert made["template"]["header_location"] == PLACE
    bad = client.patch(
        f"/api/v1/campaigns/{made['id']}",
        json={"template": {**template, "header_location": {**PLACE, "name": ""}}},
        headers=restaurant.bearer,
    )
    field = bad.json["errors"][0]["field"]
    assert (bad.status_code, field) == (422, "template.header_location.name")
