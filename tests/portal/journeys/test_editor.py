"""The journey editor: build, play, publish and follow a journey in the portal, without a script."""

import html
import re

import pytest

from tests.factories import Browser
from tests.line_factory import make_line
from tests.messaging.journeys.sample_journeys import MENU, publish, runs, sent, taps, writes


@pytest.fixture
def line(app, shop, redis):
    return make_line(shop)


@pytest.fixture
def owner(app, shop):
    return Browser(app.test_client()).signs_in(shop.owner)


def new_journey(owner, **fields):
    made = owner.post("/journeys", **(fields or {"name": "Help"}))
    assert made.status_code == 302
    return made.location


def page_of(owner, path):
    answer = owner.get(path)
    assert answer.status_code == 200
    return html.unescape(answer.get_data(as_text=True))


def add(owner, path, kind, **fields):
    added = owner.post(f"{path}/steps", kind=kind)
    step_id = re.search(r"step=([a-z0-9_]+)", added.location)[1]
    if fields:
        saved = owner.post(f"{path}/steps/{step_id}", **fields)
        assert saved.status_code == 302
    return step_id


def test_a_journey_is_built_played_and_published(owner, shop, line):
    path = new_journey(owner)
    assert owner.post(f"{path}/when", kind="keyword", words="help\nyardım").status_code == 302
    ask = add(owner, path, "ask")
    hours = add(owner, path, "say", text="From 9 to 22.")
    end = add(owner, path, "end")
    person = add(owner, path, "hand_over", note="Please help")
    choices = {"title_0": "Hours", "next_0": hours, "title_1": "A person", "next_1": person}
    owner.post(f"{path}/steps/{ask}", answer="buttons", text="How can we help?", **choices)
    owner.post(f"{path}/steps/{hours}", text="From 9 to 22.", next=end)
    shown = page_of(owner, path)
    assert "How can we help?" in shown
    assert "Before you publish" not in shown
    played = owner.post(f"{path}/play", said="[]", choice="Hours").get_data(as_text=True)
    assert "From 9 to 22." in played
    assert "The journey ends here." in played
    assert runs(shop) == []
    published = owner.post(f"{path}/publish", follow=True).get_data(as_text=True)
    assert "Version 1 is published." in published
    writes(shop, line, "help")
    taps(shop, line, "Hours")
    assert sent(shop) == ["How can we help?", "From 9 to 22."]


def test_a_mistake_is_named_and_keeps_the_journey_from_being_published(owner, shop, line):
    path = new_journey(owner)
    owner.post(f"{path}/when", kind="keyword", words="help")
    add(owner, path, "say", text="Hello")
    assert "Step 1 (“Hello”): Nothing follows this step." in page_of(owner, path)
    refused = owner.post(f"{path}/publish", follow=True).get_data(as_text=True)
    assert "Nothing follows this step." in html.unescape(refused)
    assert "Draft" in refused


def test_steps_move_and_a_deleted_step_leaves_no_target_behind(owner, shop, line):
    path = new_journey(owner)
    first = add(owner, path, "say", text="Good morning")
    second = add(owner, path, "say", text="Good evening")
    owner.post(f"{path}/steps/{first}", text="Good morning", next=second)
    owner.post(f"{path}/steps/{second}/move", to="up")
    shown = page_of(owner, path)
    assert shown.index("Good evening") < shown.index("Good morning")
    owner.post(f"{path}/steps/{second}/remove")
    shown = page_of(owner, path)
    assert "Good evening" not in shown
    assert "unknown step" not in shown
    assert owner.post(f"{path}/steps/{second}/remove").status_code == 404


@pytest.mark.parametrize(
    "code", ["greeting", "away", "help_menu", "where_is_my_order", "reservation"]
)
def test_a_ready_made_journey_can_be_published_as_it_is(owner, shop, line, code):
    path = new_journey(owner, ready_made=code, name="Ready")
    published = owner.post(f"{path}/publish", follow=True).get_data(as_text=True)
    assert "Version 1 is published." in published


@pytest.mark.parametrize("code", ["cash_on_delivery", "back_in_stock", "review", "win_back"])
def test_a_ready_made_journey_with_a_template_asks_for_it(owner, shop, line, code):
    path = new_journey(owner, ready_made=code, name="Ready")
    shown = page_of(owner, path)
    assert "Choose the template." in shown
    problems = re.search(r'class="problem-list">(.*?)</ul>', shown, re.DOTALL)[1]
    assert problems.count("<li>") == 1


def test_runs_are_listed_and_stopped(owner, shop, line):
    journey_id = publish(shop, MENU)
    writes(shop, line, "menu")
    listed = page_of(owner, f"/journeys/{journey_id}/runs")
    (run,) = runs(shop)
    assert f"/journeys/runs/{run.id}" in listed
    assert "How can we help?" in page_of(owner, f"/journeys/runs/{run.id}")
    stopped = owner.post(f"/journeys/runs/{run.id}/stop", follow=True)
    assert "A member of the team stopped it." in stopped.get_data(as_text=True)
    assert "Menu" in page_of(owner, "/journeys")


@pytest.mark.parametrize(
    "said", ["[" * 30_000, '[{"text": "\\ud83d"}]', '[{"text": {"a": 1}}]', "{}", "[1, null]", "x"]
)
def test_a_damaged_conversation_is_played_without_what_is_damaged(owner, line, said):
    path = new_journey(owner)
    add(owner, path, "say", text="Good morning")
    played = owner.post(f"{path}/play", said=said)
    assert played.status_code == 200
    assert "Good morning" in played.get_data(as_text=True)
