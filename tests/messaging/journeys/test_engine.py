"""Properties of every journey that can be published, whatever the customer does."""

from datetime import UTC, datetime, timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from messaging.journeys import engine
from messaging.journeys.definition import read_definition, waits_for_answer
from messaging.journeys.engine import CallDone, Facts, Reply, Send, TimeOver
from messaging.journeys.validation import find_problems

MOMENT = datetime(2026, 3, 2, 12, tzinfo=UTC)
IDS = [f"s{number}" for number in range(6)]
TARGETS = st.sampled_from(["", *IDS])
TITLES = ("Yes", "No", "Maybe")


@st.composite
def steps(draw, step_id):
    kind = draw(
        st.sampled_from(
            ("say", "ask", "wait", "if", "tag", "hand_over", "call_url", "end", "menu_link")
        )
    )
    step = {"id": step_id, "kind": kind, "next": draw(TARGETS)}
    if kind in ("say", "menu_link"):
        step["text"] = "Hello {{customer.first_name|there}}"
    if kind == "menu_link":
        step["link_text"] = "Menu"
    if kind == "ask":
        answer = draw(st.sampled_from(("buttons", "list", "text", "number", "photo")))
        step |= {"answer": answer, "text": "Well?", "save_as": "x", "no_answer": draw(TARGETS)}
        if answer in ("buttons", "list"):
            titles = TITLES[: draw(st.integers(1, 3))]
            step["choices"] = [{"title": one, "next": draw(TARGETS)} for one in titles]
            step["list_button"] = "Choose"
    if kind == "wait":
        step["minutes"] = draw(st.integers(1, 3000))
    if kind == "if":
        what = draw(st.sampled_from(("answer", "open", "ordered")))
        step |= {"what": what, "name": "x", "value": "Yes"}
        step |= {"then": draw(TARGETS), "otherwise": draw(TARGETS)}
    if kind == "tag":
        step["tag"] = "vip"
    if kind == "call_url":
        step |= {"url": "https://example.com/", "failed": draw(TARGETS)}
    return step


@st.composite
def definitions(draw):
    count = draw(st.integers(1, 6))
    made = [draw(steps(step_id)) for step_id in IDS[:count]]
    return read_definition({"when": {"kind": "keyword", "words": ["hi"]}, "steps": made})


INPUTS = st.lists(
    st.sampled_from(
        (
            Reply("text", "Yes"),
            Reply("button", "No", "No"),
            Reply("text", "what?"),
            Reply("text", "12"),
            Reply("image"),
            TimeOver(),
            CallDone(True, "ok"),
            CallDone(False, because="call_refused"),
        )
    ),
    max_size=25,
)


def play(definition, inputs):
    """All visits, and the state at the end."""
    state, moment, visits = engine.begin(definition, {}), MOMENT, []
    for given_input in [None, *inputs]:
        moment += timedelta(minutes=1)
        facts = Facts(moment, frozenset(), False, {"menu.link": "https://example.com/menu"})
        visits += engine.advance(definition, state, given_input, facts)
    return state, visits


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(definitions(), INPUTS)
def test_a_valid_journey_always_waits_or_ends_and_counts_each_visit_once(definition, inputs):
    if find_problems(definition, "cloud"):
        return
    state, visits = play(definition, inputs)
    assert [visit.number for visit in visits] == list(range(1, len(visits) + 1))
    assert state.visit == len(visits)
    if state.state == engine.RUNNING:
        assert state.waits
        assert state.until is not None
    else:
        assert not state.waits
        assert state.state == engine.COMPLETED


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(definitions(), INPUTS)
def test_any_stored_journey_ends_its_work_even_if_it_is_invalid(definition, inputs):
    """A draft that is played may have circles and dead ends."""
    state, visits = play(definition, inputs)
    assert len(visits) <= (len(inputs) + 1) * (len(definition.steps) + 2)
    assert state.state in (engine.RUNNING, engine.COMPLETED, engine.FAILED)


@settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))
@given(definitions(), INPUTS)
def test_an_input_that_the_run_does_not_wait_for_changes_nothing(definition, inputs):
    state, _ = play(definition, inputs)
    before = (state.step, state.visit, state.waits, dict(state.values), state.state)
    unexpected = {engine.REPLY: CallDone(True), engine.TIME: Reply("text", "Yes")}
    unexpected |= {engine.CALL: TimeOver(), "": TimeOver()}
    visits = engine.advance(definition, state, unexpected[state.waits], Facts(MOMENT))
    assert visits == []
    assert before == (state.step, state.visit, state.waits, dict(state.values), state.state)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(definitions())
def test_a_question_is_sent_before_it_waits(definition):
    state, visits = play(definition, [])
    if state.waits == engine.REPLY:
        assert isinstance(visits[-1].effect, Send)
        assert waits_for_answer(definition.get(state.step))
