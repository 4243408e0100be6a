"""Templates written in the portal."""

import io

import pytest
from PIL import Image

from messaging.lines.simulated_line import add_simulated_line
from messaging.templates import repository as template_repository
from messaging.templates.repository import TemplateFilters
from tests.portal.page_reader import text_of
from tests.simulator_process import run_simulator

FIELDS = {
    "name": "order_ready",
    "language": "en",
    "category": "utility",
    "header_type": "text",
    "header_text": "Order {{1}}",
    "header_example": "M-0184",
    "body": "Hi {{1}}, your order is ready.\r\nEnjoy it!",
    "example-1": "Zeynep",
    "footer": "Lokanta Mavi",
    "b0-type": "quick_reply",
    "b0-text": "Thanks",
    "b1-type": "phone",
    "b1-text": "Call us",
    "b1-phone": "+90 212 111 22 33",
    "b2-type": "quick_reply",
    "b2-text": "",
}


@pytest.fixture(scope="module")
def network(settings):
    with run_simulator(settings) as url:
        yield url


@pytest.fixture
def page(browser, restaurant, settings, network):
    with restaurant.scope():
        add_simulated_line(
            "Front desk", "http://localhost", settings.simulator_secret, test=False, default=True
        )
    return browser.signs_in(restaurant.owner)


def stored(restaurant, name):
    with restaurant.scope():
        return template_repository.list_templates(TemplateFilters(name=name))


def test_a_template_is_written_and_submitted(page, restaurant):
    answer = page.post("/templates/new", **FIELDS)
    assert answer.status_code == 302, text_of(answer)
    [made] = stored(restaurant, "order_ready")
    assert (made.state, made.category, made.language) == ("pending", "utility", "en")
    kinds = [one["type"] for one in made.components]
    assert kinds == ["HEADER", "BODY", "FOOTER", "BUTTONS"]
    assert made.components[1]["text"] == "Hi {{1}}, your order is ready.\nEnjoy it!"
    assert made.components[3]["buttons"][1]["phone_number"] == "+902121112233"
    shown = text_of(page.get(f"/templates/{made.id}"))
    assert "Hi Zeynep, your order is ready." in shown
    assert "WhatsApp is reviewing this template." in shown


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"name": "Order Ready"}, "lowercase letters, digits and _"),
        ({"body": "{{1}} is ready."}, "cannot begin or end with a placeholder"),
        ({"example-1": ""}, "WhatsApp needs a sample value for {{1}}"),
        ({"b1-phone": "12"}, "Enter the phone number with its country code"),
        ({"header_type": "image"}, "Upload a sample file for the header"),
        ({"name": "hello_world", "language": "en_US"}, "There is already a template"),
    ],
)
def test_a_refused_form_keeps_what_was_typed_and_names_the_problem(page, change, sentence):
    answer = page.post("/templates/new", **{**FIELDS, "name": "kept_form", **change})
    assert answer.status_code == 200
    shown = text_of(answer)
    assert sentence in shown
    assert 'value="Lokanta Mavi"' in answer.text


def test_a_one_time_code_needs_no_text(page, restaurant):
    answer = page.post(
        "/templates/new",
        name="entry_code",
        language="en",
        category="authentication",
        security_recommendation="yes",
        code_expiration_minutes="10",
        otp_type="one_tap",
        apps="com.example.app K8a/AINcGX7",
        body="",
    )
    assert answer.status_code == 302, text_of(answer)
    [made] = stored(restaurant, "entry_code")
    assert made.components[-1]["buttons"][0]["supported_apps"][0]["package_name"] == (
        "com.example.app"
    )


def picture():
    made = io.BytesIO()
    Image.new("RGB", (40, 30), "orange").save(made, "JPEG")
    return io.BytesIO(made.getvalue()), "cake.jpg"


def test_an_uploaded_picture_survives_a_refused_form(page, restaurant):
    fields = {**FIELDS, "name": "cake_of_the_week", "header_type": "image"}
    refused = page.post("/templates/new", **{**fields, "footer": "x" * 61}, header_file=picture())
    token = refused.text.split('name="kept_file" value="')[1].split('"')[0]
    answer = page.post("/templates/new", **fields, kept_file=token)
    assert answer.status_code == 302, text_of(answer)
    [made] = stored(restaurant, "cake_of_the_week")
    assert made.header_file["filename"] == "cake.jpg"
    assert "/media/" in page.get(f"/templates/{made.id}").text


def test_a_duplicate_begins_with_the_same_content(page, restaurant):
    page.post("/templates/new", **{**FIELDS, "name": "to_copy"})
    [made] = stored(restaurant, "to_copy")
    shown = page.get(f"/templates/new?from={made.id}")
    assert 'value="to_copy_2"' in shown.text
    assert "Hi {{1}}, your order is ready." in shown.text
    assert 'value="Zeynep"' in shown.text


def test_a_template_is_deleted_after_a_question(page, restaurant):
    page.post("/templates/new", **{**FIELDS, "name": "not_needed"})
    [made] = stored(restaurant, "not_needed")
    asked = text_of(page.get(f"/templates/{made.id}/delete"))
    assert "WhatsApp does not allow the same name again for 30 days." in asked
    assert page.post(f"/templates/{made.id}/delete").status_code == 302
    assert stored(restaurant, "not_needed") == []
