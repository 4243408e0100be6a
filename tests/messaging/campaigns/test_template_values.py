"""Templates in campaigns: header, body and buttons filled for each, in the network's own form."""

import io
from contextlib import contextmanager

import pytest
from PIL import Image
from sqlalchemy import select

from core.clock import frozen, now
from core.db import db
from core.errors import Invalid
from core.storage.pending_deletions import PendingDeletion
from messaging.campaigns import repository as campaign_repository
from messaging.campaigns.repository import CampaignInput
from messaging.lines.drivers.cloud.templates.listing import read_template
from messaging.lines.drivers.cloud.templates.payload import template_payload as on_the_wire
from messaging.simulator.network.magic_numbers import Refusal
from messaging.simulator.network.send_checks import check_send
from messaging.simulator.sample_templates import TEMPLATES
from messaging.templates import repository as template_repository
from tests.line_factory import make_line
from tests.messaging.campaigns.campaign_factory import (
    campaign,
    drafts,
    looks,
    meets,
    messages,
    starts,
    steps,
)
from tests.portal.page_reader import text_of

OFFER = {"name": "weekend_offer", "language": "en", "parameters": ["{{customer.first_name}}"]}
FULL = {
    **OFFER,
    "media": {"url": "https://example.com/soup.jpg"},
    "buttons": [None, "{{customer.name}}?from={{shop.name}}"],
}


@pytest.fixture
def line(restaurant):
    made = make_line(restaurant)
    with restaurant.scope():
        template_repository.store_templates(
            template_repository.template_account(made), [read_template(one) for one in TEMPLATES]
        )
    return made


def sent(business, campaign_id):
    """The messages, as the network gets them."""
    with frozen(now()):
        starts(business, campaign_id)
        steps(business)
    return [on_the_wire(one.content) for one in messages(business)]


def taken(wire):
    answer = check_send(
        {
            "messaging_product": "whatsapp",
            "to": "905321112233",
            "type": "template",
            "template": wire,
        }
    )
    assert not isinstance(answer, Refusal), answer
    return answer


@contextmanager
def refused(words):
    with pytest.raises(Invalid, match=words):
        yield


def test_header_body_and_buttons_are_filled_for_each(restaurant, line):
    meets(restaurant, "Ayşe Kaya")
    made = drafts(restaurant, text="", template=FULL)
    (preview,) = looks(restaurant, made).previews
    assert looks(restaurant, made).problem is None
    assert (preview.shown.header_media, preview.shown.body) == (
        "image",
        "Ayşe, dessert is on us this weekend.",
    )
    book_link = "https://example.com/book/Ay%C5%9Fe%20Kaya?from=Lokanta%20Mavi"
    assert list(zip(preview.shown.buttons, preview.shown.links, strict=True)) == [
        ("Call me", ""),
        ("Book a table", book_link),
    ]
    (wire,) = sent(restaurant, made)
    assert wire["components"] == [
        {
            "type": "header",
            "parameters": [{"type": "image", "image": {"link": "https://example.com/soup.jpg"}}],
        },
        {"type": "body", "parameters": [{"type": "text", "text": "Ayşe"}]},
        {
            "type": "button",
            "sub_type": "url",
            "index": "1",
            "parameters": [{"type": "text", "text": "Ay%C5%9Fe%20Kaya?from=Lokanta%20Mavi"}],
        },
    ]
    _, _, _, seen = taken(wire)
    assert seen["buttons"] == [["Call me", ""], ["Book a table", book_link]]
    assert seen["link"] == "https://example.com/soup.jpg"


def test_a_header_of_text_has_its_value(restaurant, line):
    meets(restaurant, "Ayşe Kaya", "")
    words = {"name": "coupon_gift", "language": "tr", "parameters": ["TATLI"]}
    made = drafts(
        restaurant, text="", template={**words, "header": "{{customer.first_name|Sevgili misafir}}"}
    )
    heads = [one.shown.header for one in looks(restaurant, made).previews]
    assert heads == ["Sevgili misafir için bir hediye", "Ayşe için bir hediye"]
    for wire in sent(restaurant, made):
        assert taken(wire)[3]["header"] in heads


def test_named_values_go_by_their_names(restaurant, line):
    meets(restaurant, "Ayşe Kaya")
    named = {
        **TEMPLATES[0],
        "name": "named_gift",
        "language": "en",
        "parameter_format": "NAMED",
        "components": [
            {"type": "HEADER", "format": "TEXT", "text": "For {{who}}"},
            {"type": "BODY", "text": "Hi {{who}}, {{what}} is on us."},
        ],
    }
    with restaurant.scope():
        template_repository.store_templates(
            template_repository.template_account(line), [read_template(named)]
        )
    words = {"name": "named_gift", "language": "en", "parameters": ["{{customer.name}}", "soup"]}
    made = drafts(restaurant, text="", template={**words, "header": "{{customer.name}}"})
    (wire,) = sent(restaurant, made)
    assert [
        [(one["parameter_name"], one["text"]) for one in part["parameters"]]
        for part in wire["components"]
    ] == [[("who", "Ayşe Kaya")], [("who", "Ayşe Kaya"), ("what", "soup")]]


@pytest.mark.parametrize(
    ("template", "says"),
    [
        (OFFER, "The template has an image or file above its text. Enter its URL, or upload it."),
        ({**FULL, "buttons": []}, "Button 2 of the template opens a URL"),
        ({**FULL, "buttons": ["x", "y"]}, "Button 1 of the template has no URL"),
        ({**FULL, "header": "Hello"}, "no value in its header"),
        ({**FULL, "parameters": []}, "0 sent, 1 needed"),
        (
            {"name": "weekend_menu", "language": "en", "parameters": ["x"], "media": FULL["media"]},
            "The template has no image or file above its text.",
        ),
    ],
)
def test_what_does_not_fit_the_template_is_shown_in_the_dry_run(restaurant, line, template, says):
    made = drafts(restaurant, text="", template=template)
    assert says in looks(restaurant, made).problem.message
    with refused(says):
        starts(restaurant, made)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"media": {"url": "soup.jpg"}}, "Enter the full URL of the file, including https://."),
        (
            {"media": {"url": "https://exa mple.com/x"}},
            "Enter the full URL of the file, including https://.",
        ),
        ({"header": "{{order.total}}"}, "is not available here"),
        ({"buttons": [None, "{{tracking.url}}"]}, "is not available here"),
        ({"buttons": ["x"] * 11}, "at most 10 buttons"),
    ],
)
def test_values_that_no_template_takes_are_not_kept(restaurant, values, says):
    with refused(says):
        drafts(restaurant, text="", template={**OFFER, **values})


def picture():
    out = io.BytesIO()
    Image.new("RGB", (40, 30), "teal").save(out, "PNG")
    return io.BytesIO(out.getvalue()), "soup.png"


def test_a_file_is_uploaded_in_the_portal_lent_to_the_network_and_goes_with_the_draft(
    browser, restaurant, line, client
):
    meets(restaurant, "Ayşe Kaya")
    made = drafts(restaurant)
    browser.signs_in(restaurant.owner)
    here = f"/campaigns/{made}/what"
    fields = {
        "name": "Soup day",
        "says": "template",
        "template": "weekend_offer/en",
        "parameters": "{{customer.first_name}}",
        "buttons": "{{customer.first_name}}",
    }
    browser.get(here)
    answer = browser.post(here, header_file=picture(), follow=True, act="stay", **fields)
    page = answer.get_data(as_text=True)
    assert "Uploaded: soup.jpg" in text_of(answer)
    shown = page.split('<div class="bubble-picture"><img src="')[1].split('"')[0]
    assert client.get(shown).mimetype == "image/jpeg"
    browser.post(here, **fields)  # without a file: the one that is there stays
    key = campaign(restaurant, made).header_blob_key
    with restaurant.scope():
        twin = campaign_repository.copy(made, "Again").id
    (wire,) = sent(restaurant, twin)
    link = wire["components"][0]["parameters"][0]["image"]["link"]
    assert client.get(link.partition("/media/")[1] + link.partition("/media/")[2]).data[:2] == (
        b"\xff\xd8"
    )
    taken(wire)
    with restaurant.scope():
        campaign_repository.remove(made)
        assert key not in db.session.scalars(select(PendingDeletion.blob_key)).all()
    with restaurant.scope():
        third = campaign_repository.copy(twin, "Third").id
        db.session.delete(campaign_repository.get(twin))
    with restaurant.scope():
        campaign_repository.change(third, CampaignInput(template={}, text="Soup"))
        assert key in db.session.scalars(select(PendingDeletion.blob_key)).all()


def test_a_film_where_a_picture_belongs_is_refused(browser, restaurant, line):
    made = drafts(restaurant)
    browser.signs_in(restaurant.owner)
    film = io.BytesIO(b"\0\0\0\x18ftypmp42" + b"\0" * 64), "film.mp4"
    fields = {"name": "Soup", "says": "template", "template": "weekend_offer/en"}
    browser.post(f"/campaigns/{made}/what", header_file=film, parameters="x", buttons="y", **fields)
    assert "The template needs a different type of file above its text:" in text_of(
        browser.get(f"/campaigns/{made}/check")
    )


def test_the_same_by_key(client, restaurant, line):
    meets(restaurant, "Ayşe Kaya")
    made = client.post(
        "/api/v1/campaigns",
        json={
            "name": "Weekend",
            "template": {
                **OFFER,
                "header_url": "https://example.com/soup.jpg",
                "buttons": [None, "{{customer.first_name}}"],
            },
        },
        headers=restaurant.bearer,
    ).json
    assert made["template"]["header_url"] == "https://example.com/soup.jpg"
    seen = client.post(f"/api/v1/campaigns/{made['id']}/dry-run", headers=restaurant.bearer).json
    assert seen["problem"] is None
    (preview,) = seen["previews"]
    assert preview["header_media"] == "image"
    assert preview["buttons"][1] == {
        "text": "Book a table",
        "url": "https://example.com/book/Ay%C5%9Fe",
    }
    bad = client.patch(
        f"/api/v1/campaigns/{made['id']}",
        json={"template": {**OFFER, "header_url": "ftp://example.com/x"}},
        headers=restaurant.bearer,
    )
    assert (bad.status_code, bad.json["errors"][0]["field"]) == (422, "template.header_url")
