"""The settings page of the tenant's own language model."""

import pytest

from restaurant.text_orders.model import settings as model_settings

PAGE = "/settings/language-model"
FIELDS = {
    "url": "http://127.0.0.1:9/v1/chat/completions",
    "key": "sk-secret-key",
    "model": "menu-reader",
    "transcription_model": "whisper-1",
    "timeout_seconds": "6",
    "daily_requests": "200",
    "enabled": "y",
}


@pytest.fixture
def owner(browser, restaurant):
    return browser.signs_in(restaurant.owner)


def stored(restaurant):
    with restaurant.scope():
        return model_settings.get()


def text_of(answer):
    return answer.get_data(as_text=True)


def test_it_is_saved_and_its_key_is_never_shown(owner, restaurant):
    assert "Use this language model" in text_of(owner.get(PAGE))
    assert owner.post(PAGE, **FIELDS).location == PAGE
    model = stored(restaurant)
    assert (model.url, model.model) == ("http://127.0.0.1:9/v1", "menu-reader")
    assert (model.transcription_model, model.timeout_seconds) == ("whisper-1", 6)
    page = text_of(owner.get(PAGE))
    assert "http://127.0.0.1:9/v1" in page
    assert "Requests today: 0" in page
    assert "sk-secret-key" not in page
    assert "Leave blank to keep the saved key." in page


def test_a_blank_key_keeps_the_saved_one_only_for_the_same_address(owner, restaurant):
    owner.post(PAGE, **FIELDS)
    owner.post(PAGE, **{**FIELDS, "key": "", "model": "other"})
    assert stored(restaurant).key
    owner.post(PAGE, **{**FIELDS, "key": "", "url": "http://127.0.0.1:8/v1"})
    assert stored(restaurant).key == ""


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("url", "not an address", "address"),
        ("model", "", "required"),
        ("timeout_seconds", "90", "Enter a number from 2 to 30."),
        ("daily_requests", "0", "Enter a number from 1 to"),
    ],
)
def test_a_wrong_value_is_explained_and_nothing_is_stored(owner, restaurant, field, value, text):
    answer = owner.post(PAGE, **{**FIELDS, field: value})
    assert answer.status_code == 200
    assert text in text_of(answer)
    assert 'aria-invalid="true"' in text_of(answer)
    assert stored(restaurant) is None


def test_it_is_removed_after_a_confirmation(owner, restaurant):
    owner.post(PAGE, **FIELDS)
    assert "Its key is deleted" in text_of(owner.get(f"{PAGE}/remove"))
    owner.post(f"{PAGE}/remove")
    assert stored(restaurant) is None


def test_a_member_who_may_only_look_cannot_change_it(browser, restaurant):
    browser.signs_in(restaurant.owner).post(PAGE, **FIELDS)
    browser.signs_in(restaurant.hires("viewer", "Ece Kaya"))
    page = text_of(browser.get(PAGE))
    assert "menu-reader" in page
    assert 'name="key"' not in page
    assert browser.post(f"{PAGE}/remove").status_code == 403
    assert stored(restaurant) is not None
