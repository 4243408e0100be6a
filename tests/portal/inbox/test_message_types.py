"""Every message type in the inbox, and on the page of its line."""

import pytest

from messaging.lines import repository as line_repository
from tests.factories import Browser
from tests.messaging.inbox.inbox_factory import AYSE, add_line, talk_with, writes
from tests.messaging.message_factory import sent_message
from tests.messaging.messages.kind_examples import EXAMPLES, example
from tests.portal.page_reader import text_of


@pytest.fixture
def line(restaurant):
    return add_line(restaurant)


@pytest.fixture
def talk(restaurant, line):
    writes(restaurant, line, text="Bu akşam yer var mı?")
    return talk_with(restaurant).id


def page(app, business, talk):
    reader = Browser(app.test_client()).signs_in(business.hires("inbox", "Selin Kaya"))
    answer = reader.get(f"/inbox/{talk}")
    assert answer.status_code == 200
    return answer.get_data(as_text=True)


@pytest.mark.parametrize("code", sorted(EXAMPLES))
def test_the_thread_shows_it(app, restaurant, line, talk, code):
    text, content = example(code)
    with restaurant.scope():
        sent_message(line_repository.get(line), kind=code, text=text, content=content, phone=AYSE)
    shown = page(app, restaurant, talk)
    assert text in shown


@pytest.mark.parametrize(
    ("code", "parts"),
    [
        ("buttons", ["Table", "20:00?", "Yes", "Mavi"]),
        ("list", ["When?", "19:00"]),
        ("link_button", ["Menu", 'href="https://example.com/a"', "Open"]),
        ("carousel", ["New", 'href="https://example.com/a"']),
        ("product", ["ayran"]),
        ("flow", ["Book", "Open"]),
        ("catalog", ["Order here", "ayran", "Mavi"]),
        ("order_details", ["2 × Lahmacun", "19.00", "Courier", "−R$2.00", "R$25.00"]),
    ],
)
def test_the_thread_shows_what_can_be_tapped(app, restaurant, line, talk, code, parts):
    text, content = example(code)
    with restaurant.scope():
        sent_message(line_repository.get(line), kind=code, text=text, content=content, phone=AYSE)
    entry = page(app, restaurant, talk).split('class="entry entry-out')[1]
    for part in parts:
        assert part in entry


def test_the_page_of_a_line_lists_what_it_can_send(app, restaurant, line):
    owner = Browser(app.test_client()).signs_in(restaurant.owner)
    shown = text_of(owner.get(f"/lines/{line}"))
    assert "Message types" in shown
    assert "Carousel" in shown
    assert "Cannot send" not in shown
