"""What must be true before a journey is published. Each problem names its step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import DomainError, FieldError, Invalid
from core.i18n.catalogs import N_
from messaging.inbox import composed
from messaging.inbox.composed import ComposedCard
from messaging.journeys.definition import (
    CHOICE_ANSWERS,
    DAY,
    LATEST_ORDER,
    MESSAGE_TRIGGERS,
    ORDER_STATES,
    STORE_STATES,
    Ask,
    CallUrl,
    Definition,
    If,
    MenuLink,
    Question,
    Say,
    StoreUpdate,
    TagStep,
    TemplateStep,
    Wait,
    When,
    is_last,
    is_message,
    step_title,
    texts_of,
    waits_for_answer,
)
from messaging.lines.drivers.registry import DRIVERS
from messaging.messages.kinds.interactive.buttons import MOST_BUTTONS
from messaging.messages.kinds.interactive.requests import LOCATION_REQUEST
from messaging.templates.placeholders import (
    CHECKOUT,
    CUSTOMER,
    FORM,
    ORDER,
    TRACKING,
    placeholders_in,
)

LATEST_ORDER_NAMES = tuple(f"{LATEST_ORDER}{name}" for name in ("number", "state", "total"))
CLOSED = 10**9
"""Minutes since the customer wrote, if they may never have written."""

PROBLEMS: dict[str, str] = {
    "no_steps": N_("The journey has no steps. Add one."),
    "no_words": N_("Enter at least one keyword that starts the journey."),
    "no_states": N_("Choose at least one state that starts the journey."),
    "no_tag": N_("Enter the tag."),
    "no_date": N_("Choose the date that starts the journey."),
    "repeated_id": N_("Two steps have the same id."),
    "unknown_target": N_("It continues with a step that does not exist."),
    "dead_end": N_("Nothing follows this step. Add a step “End” or “Hand to a person” after it."),
    "unreachable": N_("No other step leads here. Delete the step, or continue with it somewhere."),
    "endless": N_("It repeats without a pause. Add a question or a waiting time to the circle."),
    "window": N_(
        "More than 24 hours may have passed since the customer wrote, or the customer has never "
        "written. Use a template here."
    ),
    "no_templates": N_("This line cannot send templates. Use a text, or choose a cloud line."),
    "no_template": N_("Choose the template."),
    "empty_text": N_("Enter the text of the message."),
    "choices_unused": N_("Only buttons and lists have choices. Delete them."),
    "no_choices": N_("Add at least one choice."),
    "too_many_buttons": N_("A message can have at most 3 buttons. Use a list for more choices."),
    "repeated_choice": N_("Two choices have the same text."),
    "cannot_send": N_("The line of this journey cannot send this message."),
    "bad_message": N_("The message cannot be sent."),
    "unknown_placeholder": N_("{name} is not available here. Available: {names}."),
    "no_url": N_("Enter an address that starts with https://."),
    "no_link_text": N_("Enter the text of the button."),
    "no_answer_name": N_("Enter the name of the answer that is compared."),
    "no_order": N_("Only a journey that starts with an order of a store can change that order."),
}


@dataclass(frozen=True)
class Problem:
    """`position` counts from 1; 0: the beginning of the journey."""

    code: str
    position: int = 0
    step_id: str = ""
    title: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


class UnfinishedJourney(Invalid):
    """A journey that cannot be published, with all of its problems."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(
            "unfinished_journey",
            "The journey cannot be published yet. Correct its steps first.",
        )
        self.problems = problems
        self.faults = [
            FieldError(
                f"steps.{one.position - 1}" if one.position else "when", one.code, english(one)
            )
            for one in problems
        ]


def english(problem: Problem) -> str:
    return sentence(problem, str)


def sentence(problem: Problem, translate: Any) -> str:
    """“Step 3 (“Which day?”): Add at least one choice.”"""
    told = str(translate(PROBLEMS[problem.code]))
    if problem.code == "bad_message":
        values = dict(problem.values)
        told = str(translate(values.pop("template"))).format(**values)
    elif problem.values:
        told = told.format(**problem.values)
    if not problem.position:
        return told
    if problem.title:
        place = translate(N_("Step {number} (“{title}”): {problem}"))
    else:
        place = translate(N_("Step {number}: {problem}"))
    return str(place).format(number=problem.position, title=problem.title, problem=told)


def find_problems(definition: Definition, line_kind: str) -> list[Problem]:
    """All problems, in the order of the steps."""
    found = [Problem(code) for code in _problems_of_when(definition.when)]
    if not definition.steps:
        return [*found, Problem("no_steps")]
    steps = definition.steps
    graph = {step.id: edges(definition, step) for step in steps}
    seen: set[str] = set()
    reached, minutes = _reachable(graph, steps[0].id), window_minutes(definition)
    cycle = _steps_in_endless_circles(definition, graph)
    for at, step in enumerate(steps, 1):
        codes: list[tuple[str, dict[str, str]]] = []
        if step.id in seen:
            codes.append(("repeated_id", {}))
        seen.add(step.id)
        if any(target and target not in graph for target in graph[step.id]):
            codes.append(("unknown_target", {}))
        if "" in graph[step.id] and not is_last(step):
            codes.append(("dead_end", {}))
        if step.id not in reached:
            codes.append(("unreachable", {}))
        if step.id in cycle:
            codes.append(("endless", {}))
        codes += _problems_of_step(definition, step, line_kind)
        late = minutes.get(step.id, 0) >= DAY
        if is_message(step) and late and DRIVERS[line_kind].has_reply_window:
            codes.append(("window", {}))
        found += [Problem(code, at, step.id, step_title(step), values) for code, values in codes]
    return found


def check_publishable(definition: Definition, line_kind: str) -> None:
    if problems := find_problems(definition, line_kind):
        raise UnfinishedJourney(problems)


def edges(definition: Definition, step: Any) -> set[str]:
    """The ids of the steps that may follow; "" stands for the end of the list."""
    return {definition.after(step, target) for target, _ in _targets(step)}


def _targets(step: Any) -> Iterator[tuple[str, int]]:
    """Every target, and the minutes of waiting before it; an answer counts as -1."""
    if is_last(step):
        return
    if waits_for_answer(step):
        for choice in step.choices:
            yield choice.next or step.next, -1
        if not step.choices:
            yield step.next, -1
        if step.no_answer:
            yield step.no_answer, step.minutes
        return
    if isinstance(step, If):
        yield step.then, 0
        yield step.otherwise, 0
        return
    yield step.next, step.minutes if isinstance(step, Wait) else 0
    if isinstance(step, CallUrl | StoreUpdate) and step.failed:
        yield step.failed, 0


def window_minutes(definition: Definition) -> dict[str, int]:
    """For each step, the most minutes that may have passed since the customer wrote."""
    first = 0 if definition.when.kind in MESSAGE_TRIGGERS else CLOSED
    latest = {definition.steps[0].id: first}
    waiting = [definition.steps[0].id]
    while waiting:
        step = definition.get(waiting.pop())
        if step is None:
            continue
        for target, minutes in _targets(step):
            following = definition.after(step, target)
            passed = 0 if minutes < 0 else min(latest[step.id] + minutes, CLOSED)
            if following and passed > latest.get(following, -1):
                latest[following] = passed if passed < DAY else CLOSED
                waiting.append(following)
    return latest


def _reachable(graph: Mapping[str, set[str]], first: str) -> set[str]:
    reached, waiting = {first}, [first]
    while waiting:
        for following in graph.get(waiting.pop(), ()):
            if following and following not in reached:
                reached.add(following)
                waiting.append(following)
    return reached


def _steps_in_endless_circles(definition: Definition, graph: Mapping[str, set[str]]) -> set[str]:
    """Steps that come back to themselves without a question or a waiting time."""
    quick = {
        step.id: graph[step.id]
        for step in definition.steps
        if not isinstance(step, Wait) and not waits_for_answer(step)
    }
    return {
        step_id
        for step_id in quick
        if step_id in set().union(*(_reachable(quick, one) for one in quick[step_id] if one))
    }


def _problems_of_when(when: When) -> Iterator[str]:
    if when.kind == "keyword" and not any(when.words):
        yield "no_words"
    if when.kind == "order_state" and not set(when.states) & set(ORDER_STATES):
        yield "no_states"
    if when.kind == "store_order" and not set(when.states) & set(STORE_STATES):
        yield "no_states"
    if when.kind == "tag" and not when.tag:
        yield "no_tag"
    if when.kind == "date" and not when.date:
        yield "no_date"


def _problems_of_step(
    definition: Definition, step: Any, line_kind: str
) -> list[tuple[str, dict[str, str]]]:
    found: list[tuple[str, dict[str, str]]] = []
    found += [(code, {}) for code in _simple_problems(step, line_kind)]
    if isinstance(step, StoreUpdate) and definition.when.kind not in ("store_order", "cart"):
        found.append(("no_order", {}))
    if not found and isinstance(step, Say | MenuLink | Ask):
        found += _message_problems(step)
    found += _placeholder_problems(definition, step)
    return found


def _simple_problems(step: Any, line_kind: str) -> Iterator[str]:
    if isinstance(step, Say | MenuLink | Ask) and not step.text:
        yield "empty_text"
    has_link = isinstance(step, MenuLink) or (isinstance(step, Say) and bool(step.link_url))
    if has_link and not step.link_text:
        yield "no_link_text"
    if isinstance(step, Question):
        yield from _problems_of_question(step, line_kind)
    if isinstance(step, If) and step.what == "answer" and not step.name:
        yield "no_answer_name"
    if isinstance(step, If) and step.what == "tag" and not step.value:
        yield "no_tag"
    if isinstance(step, TagStep) and not step.tag:
        yield "no_tag"
    if isinstance(step, CallUrl) and not step.url.startswith("https://"):
        yield "no_url"


def _problems_of_question(step: Question, line_kind: str) -> Iterator[str]:
    driver = DRIVERS[line_kind]
    titles = [one.title.casefold() for one in step.choices]
    if len(set(titles)) < len(titles):
        yield "repeated_choice"
    if not all(titles):
        yield "no_choices"
    if isinstance(step, TemplateStep):
        if not driver.has_templates:
            yield "no_templates"
        if not step.name or not step.language:
            yield "no_template"
    if not isinstance(step, Ask):
        return
    if step.answer in CHOICE_ANSWERS and not step.choices:
        yield "no_choices"
    if step.answer not in CHOICE_ANSWERS and step.choices:
        yield "choices_unused"
    if step.answer == "buttons" and len(step.choices) > MOST_BUTTONS:
        yield "too_many_buttons"
    if step.answer == "location" and driver.capability(LOCATION_REQUEST) == "no":
        yield "cannot_send"


def _message_problems(step: Any) -> list[tuple[str, dict[str, str]]]:
    """The limits of the network, checked as if the message were sent."""
    card = None
    if isinstance(step, Ask) and step.answer in CHOICE_ANSWERS:
        card = choice_card(
            step.answer, [(one.title, one.description) for one in step.choices], step.list_button
        )
    elif not isinstance(step, Ask) and step.link_text:
        card = ComposedCard("link_button", link_text=step.link_text, link_url=composed.EXAMPLE_URL)
    if card is None:
        return []
    try:
        composed.message_fields(card, step.text)
    except DomainError as error:
        return [_refused(error)]
    return []


def _refused(error: DomainError) -> tuple[str, dict[str, str]]:
    values = {name: str(value) for name, value in error.values.items()}
    return "bad_message", {"template": str(error.template), **values}


def choice_card(kind: str, choices: list[tuple[str, str]], list_button: str) -> ComposedCard:
    if kind == "buttons":
        return ComposedCard("buttons", buttons=tuple(title for title, _ in choices))
    rows = tuple(f"{title} | {about}" if about else title for title, about in choices)
    return ComposedCard("list", list_button=list_button, rows=rows)


def placeholder_names(when: When) -> tuple[str, ...]:
    """What texts of a journey may contain, beside answers."""
    names: tuple[str, ...] = (*CUSTOMER[:3], "shop.name", "menu.link", *LATEST_ORDER_NAMES)
    more: dict[str, tuple[str, ...]] = {
        "order_state": ("order.number", "order.total"),
        "store_order": (*ORDER, *TRACKING),
        "cart": CHECKOUT,
        "form": FORM,
    }
    return names + more.get(when.kind, ())


def _placeholder_problems(definition: Definition, step: Any) -> list[tuple[str, dict[str, str]]]:
    names = placeholder_names(definition.when)
    for text in texts_of(step):
        try:
            used = [name for name, _ in placeholders_in(text)]
        except DomainError as error:
            return [_refused(error)]
        for name in used:
            if name not in names and not name.startswith(("answer.", "api.")):
                shown = {"name": "{{" + name + "}}", "names": ", ".join(names)}
                return [("unknown_placeholder", shown)]
    return []
