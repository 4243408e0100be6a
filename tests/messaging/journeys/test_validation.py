"""Each mistake in a journey is named with its step, in the user's words."""

import pytest

from messaging.journeys.definition import read_definition
from messaging.journeys.validation import english, find_problems
from tests.messaging.journeys.sample_journeys import MENU

KEYWORD = {"kind": "keyword", "words": ["hi"]}
SAY = {"id": "say", "kind": "say", "text": "Welcome to the shop"}
END = {"id": "end", "kind": "end"}
TEMPLATE = {"id": "tpl", "kind": "template", "name": "offer", "language": "en"}


def problems(*steps, when=None, line="cloud"):
    definition = read_definition({"when": when or KEYWORD, "steps": list(steps)})
    return [english(one) for one in find_problems(definition, line)]


def codes(*steps, **more):
    definition = read_definition({"when": more.pop("when", KEYWORD), "steps": list(steps)})
    return [one.code for one in find_problems(definition, more.pop("line", "cloud"))]


def test_the_sample_has_no_problem():
    assert find_problems(read_definition(MENU), "cloud") == []


def test_a_journey_needs_steps_and_keywords():
    assert problems(when={"kind": "keyword"}) == [
        "Enter at least one keyword that starts the journey.",
        "The journey has no steps. Add one.",
    ]


def test_a_dead_end_is_named_with_the_beginning_of_its_text():
    (told,) = problems(SAY)
    assert told == (
        "Step 1 (“Welcome to the shop”): Nothing follows this step. "
        "Add a step “End” or “Hand to a person” after it."
    )


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([{**SAY, "next": "gone"}, END], ["unknown_target", "unreachable"]),
        ([{**SAY, "next": "say"}, END], ["endless", "unreachable"]),
        ([SAY, {"id": "w", "kind": "wait", "minutes": 5, "next": "say"}], ["window"]),
        ([SAY, {**SAY, "id": "b", "next": "say"}], ["endless", "endless"]),
        ([{**SAY, "text": ""}, END], ["empty_text"]),
        ([{"id": "a", "kind": "ask", "text": "?"}, END], ["no_choices"]),
        (
            [
                {
                    "id": "a",
                    "kind": "ask",
                    "text": "?",
                    "choices": [{"title": str(n)} for n in range(4)],
                },
                END,
            ],
            ["too_many_buttons"],
        ),
        ([{"id": "a", "kind": "call_url", "url": "http://x.example"}, END], ["no_url"]),
        ([{**SAY, "text": "{{order.number}}"}, END], ["unknown_placeholder"]),
        ([{"id": "a", "kind": "store_update"}, END], ["no_order"]),
    ],
)
def test_mistakes_are_found(steps, expected):
    assert codes(*steps) == expected


def test_a_text_after_a_day_must_be_a_template():
    late = {"id": "w", "kind": "wait", "minutes": 24 * 60}
    assert codes(SAY, late, {**SAY, "id": "b"}, END) == ["window"]
    assert codes(SAY, late, TEMPLATE, END) == []
    assert codes(SAY, late, {**SAY, "id": "b"}, END, line="linked") == []


def test_an_answer_opens_the_window_again():
    late = {"id": "w", "kind": "wait", "minutes": 20 * 60}
    ask = {"id": "a", "kind": "ask", "answer": "text", "text": "?"}
    assert codes(SAY, late, ask, {**late, "id": "w2"}, {**SAY, "id": "b"}, END) == []
    assert codes(SAY, late, {**late, "id": "w2"}, {**SAY, "id": "b"}, END) == ["window"]


def test_a_journey_that_an_order_starts_begins_with_a_template():
    when = {"kind": "order_state", "states": ["closed"]}
    assert codes(SAY, END, when=when) == ["window"]
    choices = [{"title": "Good"}, {"title": "Bad"}]
    assert codes({**TEMPLATE, "choices": choices}, SAY, END, when=when) == []


def test_a_linked_phone_cannot_send_templates():
    assert codes(TEMPLATE, END, line="linked") == ["no_templates"]
