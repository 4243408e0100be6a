"""Templates in the portal: state, content, and sending a test."""

import pytest

from messaging.lines.drivers.cloud.templates.listing import NetworkTemplate
from messaging.lines.simulated_line import add_simulated_line
from messaging.messages import queries as message_queries
from messaging.templates import repository as template_repository
from messaging.templates.repository import TemplateFilters, store_templates, template_account
from tests.portal.page_reader import text_of
from tests.simulator_process import run_simulator

BODY = {
    "type": "BODY",
    "text": "Hi {{1}}, order {{2}}.",
    "example": {"body_text": [["Zeynep", "M-0184"]]},
}


@pytest.fixture
def line(restaurant, settings):
    with restaurant.scope():
        made = add_simulated_line(
            "Front desk", "http://localhost", settings.simulator_secret, test=False, default=True
        )
        media = {"type": "HEADER", "format": "IMAGE"}
        link = {"type": "BUTTONS", "buttons": [{"type": "URL", "text": "See", "url": "x/{{1}}"}]}
        store_templates(
            template_account(made),
            [
                NetworkTemplate("1", "order", "en", "utility", "approved", components=[BODY]),
                NetworkTemplate("2", "sale", "en", "marketing", "rejected", "SCAM"),
                NetworkTemplate(
                    "3", "photo", "en", "utility", "approved", components=[media, BODY, link]
                ),
            ],
        )
        return made


def template_id(business, name):
    with business.scope():
        return template_repository.list_templates(TemplateFilters(name=name))[0].id


@pytest.fixture
def page(browser, restaurant):
    return browser.signs_in(restaurant.owner)


def test_the_list_shows_each_with_its_samples_and_why_it_cannot_be_sent(page, line):
    shown = text_of(page.get("/templates"))
    assert "Hi Zeynep, order M-0184." in shown
    assert "WhatsApp rejected this template because it considers the text fraudulent." in shown
    only = text_of(page.get("/templates?state=rejected"))
    assert "Hi Zeynep" not in only
    assert "sale" in only


def test_a_try_goes_the_same_way_as_one_of_the_api(page, restaurant, line):
    path = f"/templates/{template_id(restaurant, 'order')}/send"
    answer = page.post(path, phone="905321112233", line=str(line.id), values=["Ada", "M-7"])
    assert answer.status_code == 302
    with restaurant.scope():
        message = message_queries.get(answer.location.rpartition("/")[2])
    assert (message.kind, message.text) == ("template", "Hi Ada, order M-7.")


def test_header_and_buttons_are_filled_where_they_stand(page, restaurant, line):
    path = f"/templates/{template_id(restaurant, 'photo')}/send"
    answer = page.post(
        path,
        phone="905321112233",
        line=str(line.id),
        header="https://example.com/a.jpg",
        values=["Ada", "M-7"],
        buttons=["184"],
    )
    with restaurant.scope():
        message = message_queries.get(answer.location.rpartition("/")[2])
    assert message.content["parameters"] == {
        "header": {"image": "https://example.com/a.jpg"},
        "body": ["Ada", "M-7"],
        "buttons": ["184"],
    }


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"phone": "12"}, "not a valid phone number"),
        ({"values": ["Ada", ""]}, "Fill in all values of the template."),
        ({"line": "77"}, "Not a valid choice"),
    ],
)
def test_a_wrong_try_shows_what_is_wrong(page, restaurant, line, fields, words):
    good = {"phone": "905321112233", "line": str(line.id), "values": ["Ada", "M-7"]}
    path = f"/templates/{template_id(restaurant, 'order')}/send"
    assert words in text_of(page.post(path, **{**good, **fields}))
    with restaurant.scope():
        assert message_queries.list_messages(message_queries.MessageFilters(), None, 5) == []


def test_who_may_only_look_cannot_send_or_ask(browser, restaurant, line):
    browser.signs_in(restaurant.hires("viewer"))
    assert browser.get("/templates").status_code == 200
    assert browser.post("/templates/sync").status_code == 403
    path = f"/templates/{template_id(restaurant, 'order')}/send"
    assert browser.post(path, phone="905321112233").status_code == 403


def test_the_button_asks_the_network(page, restaurant, line, settings):
    with run_simulator(settings):
        answer = page.post("/templates/sync", follow=True)
    assert "Templates synced from WhatsApp." in text_of(answer)
    with restaurant.scope():
        assert {one.name for one in template_repository.list_templates(TemplateFilters())} >= {
            "hello_world",
            "weekend_menu",
        }


def test_a_network_that_is_down_is_reported(page, line):
    assert "could not be reached" in text_of(page.post("/templates/sync", follow=True))


def test_a_new_message_lists_each_template_of_the_live_lines_once(page, restaurant, line, settings):
    """Copies on the test line are left out, and both lines are named."""
    copy = NetworkTemplate("4", "order", "en", "utility", "approved", components=[BODY])
    with restaurant.scope():
        desk = add_simulated_line(
            "Test desk", "http://localhost", settings.simulator_secret, test=True, default=False
        )
        store_templates(template_account(desk), [copy])
    shown = page.get("/messages/new").get_data(as_text=True)
    assert shown.count(">order</a>") == 1
    assert ">sale</a>" not in shown
    assert "English · " not in shown
    with restaurant.scope():
        other = add_simulated_line(
            "Terrace", "http://localhost", settings.simulator_secret, test=False, default=False
        )
        store_templates(template_account(other), [copy])
    both = page.get("/messages/new").get_data(as_text=True)
    assert both.count(">order</a>") == 2
    assert "English · Front desk" in both
    assert "English · Terrace" in both
