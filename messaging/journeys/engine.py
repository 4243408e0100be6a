"""The rules of a run, without a database: what follows from an answer, a waiting time or a call.

`advance` changes the state and returns the visits of steps, each with at most one effect. The
caller applies the effects in one transaction (`runs`), or shows them on a phone (`player`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from core.values.text import strip_accents
from messaging.journeys import reasons
from messaging.journeys.definition import (
    Ask,
    CallUrl,
    Definition,
    End,
    HandOver,
    Hours,
    If,
    MenuLink,
    Question,
    Say,
    StoreUpdate,
    TagStep,
    TemplateStep,
    Wait,
    waits_for_answer,
)
from messaging.templates.placeholders import fill_placeholders

REPLY, TIME, CALL, CALLING = "reply", "time", "call", "calling"
"""What a run waits for: an answer, a time, a worker that calls another service, its response."""
RUNNING, COMPLETED, STOPPED, FAILED = "running", "completed", "stopped", "failed"
MOST_REPEATS = 2
MOST_VISITS = 500
LONGEST_ANSWER = 1000
FILES_OF_PHOTOS = ("image", "sticker")


@dataclass(frozen=True)
class Send:
    """A message: `kind` is the message's kind, or the step's for a template."""

    kind: str
    text: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    list_button: str = ""
    link_text: str = ""
    link_url: str = ""
    template: tuple[str, str, tuple[str, ...]] | None = None


@dataclass(frozen=True)
class ChangeTag:
    tag: str
    remove: bool


@dataclass(frozen=True)
class GiveToPerson:
    note: str
    member: str


@dataclass(frozen=True)
class Call:
    """A call to another service. A worker makes it after the transaction."""

    step_id: str


Effect = Send | ChangeTag | GiveToPerson | Call | None


@dataclass(frozen=True)
class Visit:
    """One step that was carried out. `number` is unique in the run."""

    number: int
    step_id: str
    kind: str
    effect: Effect
    note: str = ""
    """A code: what was decided, such as `yes` or `no` of a condition."""


@dataclass
class RunState:
    step: str
    visit: int = 0
    waits: str = ""
    until: datetime | None = None
    values: dict[str, str] = field(default_factory=dict)
    repeats: int = 0
    state: str = RUNNING
    because: str = ""


@dataclass(frozen=True)
class Facts:
    """What conditions look at."""

    moment: datetime
    """In the account's time zone."""
    tags: frozenset[str] = frozenset()
    has_ordered: bool = False
    values: Mapping[str, str] = field(default_factory=dict)
    """Placeholders that come from the contact and the account."""


@dataclass(frozen=True)
class Reply:
    """A message of the customer."""

    kind: str
    text: str = ""
    choice_id: str = ""
    latitude: float | None = None
    longitude: float | None = None
    message_id: str = ""


@dataclass(frozen=True)
class TimeOver:
    """The waiting time of the current step is over."""


@dataclass(frozen=True)
class CallDone:
    ok: bool
    text: str = ""
    because: str = ""


Input = Reply | TimeOver | CallDone | None
"""None starts a run."""


def begin(definition: Definition, values: Mapping[str, str]) -> RunState:
    return RunState(definition.steps[0].id if definition.steps else "", values=dict(values))


def advance(definition: Definition, state: RunState, given: Input, facts: Facts) -> list[Visit]:
    """Carry out steps until the run waits or ends. A finished run does nothing."""
    if state.state != RUNNING:
        return []
    visits: list[Visit] = []
    if state.waits:
        _take_input(definition, state, given, facts, visits)
    steps_left = len(definition.steps) + 1
    while state.state == RUNNING and not state.waits:
        step = definition.get(state.step)
        steps_left -= 1
        if step is None:
            _end(state, FAILED if state.step else COMPLETED, "" if not state.step else "lost_step")
        elif steps_left < 0 or state.visit >= MOST_VISITS:
            _end(state, FAILED, reasons.TOO_MANY_STEPS)
        else:
            visits.append(_visit(definition, state, step, facts))
    return visits


def is_answer(step: Any, reply: Reply) -> bool:
    """Whether the message is one that the question can be answered with."""
    return _answer(step, reply) is not None


def is_open(hours: Hours, moment: datetime) -> bool:
    """Whether the local time is within the hours. They may end after midnight."""
    clock = moment.strftime("%H:%M")
    if hours.opens <= hours.closes:
        return moment.weekday() in hours.days and hours.opens <= clock < hours.closes
    if clock >= hours.opens:
        return moment.weekday() in hours.days
    return clock < hours.closes and (moment - timedelta(days=1)).weekday() in hours.days


def _take_input(
    definition: Definition, state: RunState, given: Input, facts: Facts, visits: list[Visit]
) -> None:
    step = definition.get(state.step)
    if step is None:
        _end(state, FAILED, "lost_step")
    elif isinstance(given, Reply) and state.waits == REPLY:
        _take_reply(definition, state, step, given, facts, visits)
    elif isinstance(given, TimeOver) and state.waits in (REPLY, TIME):
        if isinstance(step, Question):
            if step.no_answer:
                _go(state, step.no_answer)
            else:
                _end(state, COMPLETED, reasons.NO_ANSWER)
        else:
            _go(state, definition.after(step, step.next))
    elif isinstance(given, CallDone) and state.waits in (CALL, CALLING):
        if given.ok and isinstance(step, CallUrl) and step.save_as:
            state.values[f"answer.{step.save_as}"] = given.text[:LONGEST_ANSWER]
        target = step.next if given.ok else step.failed or step.next
        _go(state, definition.after(step, target))


def _take_reply(
    definition: Definition,
    state: RunState,
    step: Any,
    reply: Reply,
    facts: Facts,
    visits: list[Visit],
) -> None:
    found = _answer(step, reply)
    if found is not None:
        written, target = found
        if step.save_as:
            state.values[f"answer.{step.save_as}"] = written[:LONGEST_ANSWER]
        _go(state, definition.after(step, target or step.next))
        return
    state.visit += 1
    if state.repeats >= MOST_REPEATS or not isinstance(step, Ask):
        effect = GiveToPerson("", "")
        visits.append(
            Visit(state.visit, step.id, "hand_over", effect, reasons.ANSWER_NOT_UNDERSTOOD)
        )
        _end(state, COMPLETED, reasons.ANSWER_NOT_UNDERSTOOD)
        return
    state.repeats += 1
    state.until = facts.moment + timedelta(minutes=step.minutes)
    visits.append(Visit(state.visit, step.id, step.kind, _question(step, state, facts), "repeated"))


def _visit(definition: Definition, state: RunState, step: Any, facts: Facts) -> Visit:
    state.visit += 1
    number, effect, note = state.visit, None, ""
    following = definition.after(step, step.next)
    effect = _effect(step, state, facts)
    if isinstance(step, End):
        _end(state, COMPLETED, "")
    elif isinstance(step, HandOver):
        _end(state, COMPLETED, reasons.HANDED_OVER)
    elif isinstance(step, CallUrl | StoreUpdate):
        state.waits, state.until = CALL, facts.moment
    elif isinstance(step, Wait) or waits_for_answer(step):
        state.waits = TIME if isinstance(step, Wait) else REPLY
        state.until, state.repeats = facts.moment + timedelta(minutes=step.minutes), 0
    elif isinstance(step, If):
        holds = _holds(definition, step, state, facts)
        note = "yes" if holds else "no"
        _go(state, definition.after(step, step.then if holds else step.otherwise))
    else:
        _go(state, following)
    return Visit(number, step.id, step.kind, effect, note)


def _effect(step: Any, state: RunState, facts: Facts) -> Effect:
    if isinstance(step, Say | MenuLink | Ask | TemplateStep):
        return _question(step, state, facts)
    if isinstance(step, TagStep):
        return ChangeTag(step.tag, step.remove)
    if isinstance(step, HandOver):
        return GiveToPerson(filled(step.note, state, facts), step.member)
    return Call(step.id) if isinstance(step, CallUrl | StoreUpdate) else None


def filled(text: str, state: RunState, facts: Facts) -> str:
    return fill_placeholders(text, {**facts.values, **state.values}).text


def _question(step: Any, state: RunState, facts: Facts) -> Send:
    if isinstance(step, TemplateStep):
        values = tuple(filled(one, state, facts) or "–" for one in step.parameters)
        choices = tuple((one.title, one.description) for one in step.choices)
        template = (step.name, step.language, values)
        return Send("template", choices=choices, template=template)
    text = filled(step.text, state, facts)
    if isinstance(step, MenuLink):
        url = facts.values.get("menu.link", "")
        if not url:
            return Send("text", text)
        return Send("link_button", text, link_text=step.link_text, link_url=url)
    if isinstance(step, Say):
        if step.link_url:
            url = filled(step.link_url, state, facts)
            return Send("link_button", text, link_text=step.link_text, link_url=url)
        return Send("text", text)
    if step.answer in ("buttons", "list"):
        choices = tuple((one.title, one.description) for one in step.choices)
        return Send(step.answer, text, choices, step.list_button)
    return Send("location_request" if step.answer == "location" else "text", text)


def _answer(step: Any, reply: Reply) -> tuple[str, str] | None:
    """The answer as it is stored and its target, or None if the message is not an answer."""
    if not isinstance(step, Question):
        return None
    if step.choices:
        return _chosen(step, reply)
    if not isinstance(step, Ask):
        return None
    if step.answer == "location":
        if reply.latitude is None or reply.longitude is None:
            return None
        return f"{reply.latitude:.6f},{reply.longitude:.6f}", ""
    if step.answer == "photo":
        return (reply.message_id, "") if reply.kind in FILES_OF_PHOTOS else None
    written = reply.text.strip()
    if not written:
        return None
    if step.answer == "number":
        number = _number(written)
        return None if number is None else (number, "")
    return written, ""


def _chosen(step: Question, reply: Reply) -> tuple[str, str] | None:
    said = {_folded(reply.choice_id), _folded(reply.text)} - {""}
    for at, choice in enumerate(step.choices, 1):
        if _folded(choice.title) in said or (not reply.choice_id and str(at) in said):
            return choice.title, choice.next
    return None


def _number(written: str) -> str | None:
    try:
        number = Decimal(written.replace(",", "."))
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number) >= 10**12:
        return None
    return f"{number.normalize():f}"


def _folded(text: str) -> str:
    return " ".join(strip_accents(text).split()).strip(".! ")


def _holds(definition: Definition, step: If, state: RunState, facts: Facts) -> bool:
    if step.what == "answer":
        return _folded(state.values.get(f"answer.{step.name}", "")) == _folded(step.value)
    if step.what == "tag":
        return _folded(step.value) in {_folded(one) for one in facts.tags}
    if step.what == "open":
        return is_open(definition.hours, facts.moment)
    if step.what == "latest_order":
        return bool(facts.values.get("latest_order.number"))
    return facts.has_ordered


def _go(state: RunState, step_id: str) -> None:
    state.step, state.waits, state.until, state.repeats = step_id, "", None, 0


def _end(state: RunState, how: str, because: str) -> None:
    state.state, state.because, state.waits, state.until = how, because, "", None
