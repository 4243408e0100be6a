"""A journey as it is stored: when it begins, and its steps in the order in which they are read.

A step is followed by the next one in the list, or by the step that `next` names. Definitions are
read with `read_definition`; whether a journey can be published is decided in `validation`.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from core.errors import Invalid
from core.values.text import BadText, normalize_text
from messaging.messages.kinds.interactive.base import LONGEST_BODY, LONGEST_LABEL
from messaging.messages.kinds.interactive.choice_list import LONGEST_DESCRIPTION, LONGEST_TITLE

MOST_STEPS = 60
LONGEST_WAIT = 90 * 24 * 60
DAY = 24 * 60
LONGEST_TEXT = 4096

WHEN_KINDS = (
    *("keyword", "first_message", "out_of_hours", "ad"),
    *("order_state", "store_order", "cart", "form", "tag", "date", "api"),
)
MESSAGE_TRIGGERS = ("keyword", "first_message", "out_of_hours", "ad")
"""The customer has just written."""
CHOICE_ANSWERS = ("buttons", "list")
ANSWERS = (*CHOICE_ANSWERS, "text", "number", "location", "photo")
ORDER_STATES = (
    *("sent_to_kitchen", "preparing", "ready", "served"),
    *("out_for_delivery", "delivered", "closed", "cancelled"),
)
STORE_STATES = ("order.created", "order.fulfilled", "order.cancelled")
DATES = ("birthday", "last_order")
CONDITIONS = ("answer", "tag", "open", "ordered", "latest_order")
STORE_ACTIONS = ("confirm", "cancel")
LATEST_ORDER = "latest_order."
"""Placeholders of the contact's last order begin with it."""


def _clean(text: str) -> str:
    try:
        return normalize_text(text.replace("\r\n", "\n"))
    except BadText as error:
        raise ValueError(str(error)) from None


def _text(most: int) -> Any:
    return Annotated[str, Field(max_length=most), AfterValidator(_clean)]


Target = Annotated[str, Field(pattern=r"^[a-z0-9_]{0,32}$")]
StepId = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,32}$")]
ValueName = Annotated[str, Field(pattern=r"^[a-z0-9_]{0,32}$")]
Minutes = Annotated[int, Field(ge=1, le=LONGEST_WAIT)]
ClockTime = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class When(Part):
    """What starts a run. Which fields count depends on `kind`."""

    kind: Literal[
        "keyword",
        "first_message",
        "out_of_hours",
        "ad",
        "order_state",
        "store_order",
        "cart",
        "form",
        "tag",
        "date",
        "api",
    ] = Field("keyword", description="What starts a run.")
    words: list[_text(60)] = Field(  # type: ignore[valid-type]
        default_factory=list,
        max_length=30,
        description="keyword: the words or sentences, one of which is the whole message.",
        examples=[["menu", "hours"]],
    )
    ad: _text(64) = Field(  # type: ignore[valid-type]
        "", description="ad: the id of one ad; empty: every ad."
    )
    states: list[_text(30)] = Field(  # type: ignore[valid-type]
        default_factory=list,
        max_length=10,
        description="order_state: the states of an order. store_order: the events of a store.",
        examples=[["completed"]],
    )
    tag: _text(50) = Field("", description="tag: the tag that was added.")  # type: ignore[valid-type]
    date: Literal["", "birthday", "last_order"] = Field(
        "", description="date: the birthday, or the last order."
    )
    days: int = Field(
        0,
        ge=-365,
        le=3650,
        description="date: this many days after the date; negative: before it.",
    )
    hour: int = Field(10, ge=0, le=23, description="date: the hour of the day, local time.")
    connection_id: _text(40) = Field(  # type: ignore[valid-type]
        "", description="store_order, cart and form: only this connection; empty: every one."
    )


class Hours(Part):
    """When somebody answers, in the account's time zone."""

    days: list[Annotated[int, Field(ge=0, le=6)]] = Field(
        default_factory=lambda: list(range(7)), max_length=7, description="0 is Monday."
    )
    opens: ClockTime = Field("09:00", description="HH:MM")
    closes: ClockTime = Field("22:00", description="HH:MM; earlier than `opens`: after midnight.")


class Choice(Part):
    title: _text(LONGEST_TITLE) = Field(description="What is tapped.")  # type: ignore[valid-type]
    description: _text(LONGEST_DESCRIPTION) = Field(  # type: ignore[valid-type]
        "", description="A list shows it below the title."
    )
    next: Target = Field("", description="The step that follows; empty: the next one.")


class Step(Part):
    id: StepId = Field(description="Unique in the journey.", examples=["step_1"])
    next: Target = Field("", description="The step that follows; empty: the next one.")


class Say(Step):
    kind: Literal["say"] = Field(description="What the step does.")
    text: _text(LONGEST_TEXT) = Field("", description="The text.")  # type: ignore[valid-type]
    link_text: _text(LONGEST_LABEL) = Field(  # type: ignore[valid-type]
        "", description="The text of a button that opens a link."
    )
    link_url: _text(2000) = Field("", description="The link.")  # type: ignore[valid-type]


class MenuLink(Step):
    kind: Literal["menu_link"] = Field(description="What the step does.")
    text: _text(LONGEST_BODY) = Field("", description="The text.")  # type: ignore[valid-type]
    link_text: _text(LONGEST_LABEL) = Field(  # type: ignore[valid-type]
        "", description="The text of the button that opens the menu."
    )


class Question(Step):
    """What waits for an answer."""

    choices: list[Choice] = Field(
        default_factory=list, max_length=10, description="What the customer can tap."
    )
    save_as: ValueName = Field(
        "", description="The name of the answer: {{answer.name}}.", examples=["people"]
    )
    minutes: Minutes = Field(DAY - 60, description="How long the answer is waited for.")
    no_answer: Target = Field(
        "", description="The step if nobody answers in time; empty: the journey ends."
    )


class Ask(Question):
    kind: Literal["ask"] = Field(description="What the step does.")
    answer: Literal["buttons", "list", "text", "number", "location", "photo"] = Field(
        "buttons", description="What kind of answer is expected."
    )
    text: _text(LONGEST_BODY) = Field("", description="The question.")  # type: ignore[valid-type]
    list_button: _text(LONGEST_LABEL) = Field(  # type: ignore[valid-type]
        "", description="list: the text of the button that opens it."
    )


class TemplateStep(Question):
    kind: Literal["template"] = Field(description="What the step does.")
    name: _text(512) = Field("", description="The template.")  # type: ignore[valid-type]
    language: _text(15) = Field("", description="Its language.")  # type: ignore[valid-type]
    parameters: list[_text(1024)] = Field(  # type: ignore[valid-type]
        default_factory=list, max_length=20, description="The values of its placeholders."
    )


class Wait(Step):
    kind: Literal["wait"] = Field(description="What the step does.")
    minutes: Minutes = Field(60, description="How long.")


class If(Step):
    kind: Literal["if"] = Field(description="What the step does.")
    what: Literal["answer", "tag", "open", "ordered", "latest_order"] = Field(
        "answer",
        description="answer: the answer `name` is `value`. tag: the contact has the tag `value`. "
        "open: it is within the hours. ordered: the contact has ordered before. latest_order: the "
        "contact has ordered in the last 30 days, so {{latest_order.number}}, "
        "{{latest_order.state}} and {{latest_order.total}} have values.",
    )
    name: ValueName = Field("", description="answer: the name of the answer.")
    value: _text(200) = Field("", description="What it is compared with.")  # type: ignore[valid-type]
    then: Target = Field("", description="The step if it is true; empty: the next one.")
    otherwise: Target = Field("", description="The step if it is not; empty: the next one.")


class TagStep(Step):
    kind: Literal["tag"] = Field(description="What the step does.")
    tag: _text(50) = Field("", description="The tag.")  # type: ignore[valid-type]
    remove: bool = Field(False, description="Remove it instead of adding it.")


class HandOver(Step):
    kind: Literal["hand_over"] = Field(description="What the step does.")
    note: _text(500) = Field("", description="A note for the team.")  # type: ignore[valid-type]
    member: _text(40) = Field(  # type: ignore[valid-type]
        "", description="The member who gets the conversation; empty: nobody in particular."
    )


class CallUrl(Step):
    kind: Literal["call_url"] = Field(description="What the step does.")
    url: _text(2000) = Field("", description="An https address.")  # type: ignore[valid-type]
    save_as: ValueName = Field(
        "", description="The field `text` of the JSON response becomes {{answer.name}}."
    )
    failed: Target = Field("", description="The step after an error; empty: the next one.")


class StoreUpdate(Step):
    kind: Literal["store_update"] = Field(description="What the step does.")
    action: Literal["confirm", "cancel"] = Field("confirm", description="What the order becomes.")
    tag: _text(40) = Field(  # type: ignore[valid-type]
        "", description="Shopify: the tag that the order gets."
    )
    failed: Target = Field("", description="The step after an error; empty: the next one.")


class End(Step):
    kind: Literal["end"] = Field(description="What the step does.")


AnyStep = Annotated[
    Say
    | MenuLink
    | Ask
    | TemplateStep
    | Wait
    | If
    | TagStep
    | HandOver
    | CallUrl
    | StoreUpdate
    | End,
    Field(discriminator="kind"),
]
STEP_CLASSES: dict[str, type[Step]] = {
    "say": Say,
    "ask": Ask,
    "menu_link": MenuLink,
    "template": TemplateStep,
    "wait": Wait,
    "if": If,
    "tag": TagStep,
    "hand_over": HandOver,
    "call_url": CallUrl,
    "store_update": StoreUpdate,
    "end": End,
}


class Definition(Part):
    when: When = Field(default_factory=lambda: When.model_validate({}))
    line_id: int | None = Field(
        None,
        description="The line. null: the line that the customer wrote to, else the default line.",
    )
    hours: Hours = Field(default_factory=lambda: Hours.model_validate({}))
    steps: list[AnyStep] = Field(
        default_factory=list,
        max_length=MOST_STEPS,
        description="What happens, in this order. A step continues with the next one by default.",
    )

    def position(self, step_id: str) -> int | None:
        """The place of a step, counted from 0."""
        for at, step in enumerate(self.steps):
            if step.id == step_id:
                return at
        return None

    def get(self, step_id: str) -> Any:
        at = self.position(step_id)
        return None if at is None else self.steps[at]

    def after(self, step: Any, target: str) -> str:
        """The id of the step that a target names; "" if nothing follows."""
        if target:
            return target
        at = self.position(step.id)
        following = self.steps[at + 1 :] if at is not None else []
        return following[0].id if following else ""


def waits_for_answer(step: Any) -> bool:
    return isinstance(step, Ask) or (isinstance(step, TemplateStep) and bool(step.choices))


def is_message(step: Any) -> bool:
    """Whether it may only be sent within 24 hours after the customer wrote."""
    return isinstance(step, Say | MenuLink | Ask)


def is_last(step: Any) -> bool:
    return isinstance(step, HandOver | End)


def read_definition(given: Mapping[str, Any]) -> Definition:
    """Raises Invalid for anything that cannot be stored, even as a draft."""
    try:
        return Definition.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise Invalid(
            "invalid_definition",
            "The journey cannot be read. Check {place}: {fault}.",
            place=place[:120] or "steps",
            fault=first["msg"][:200],
        ) from error


def stored(definition: Definition) -> dict[str, Any]:
    return definition.model_dump(mode="json")


def texts_of(step: Any) -> list[str]:
    """All texts of a step that may contain placeholders."""
    texts = [getattr(step, name, "") for name in ("text", "link_url", "note", "url")]
    return texts + list(getattr(step, "parameters", []))


def needs_orders(definition: Definition) -> bool:
    """Whether a step looks at the orders of the contact. Most journeys do not."""
    return any(
        (isinstance(step, If) and step.what in ("ordered", "latest_order"))
        or any(LATEST_ORDER in text for text in texts_of(step))
        for step in definition.steps
    )


def needs_menu(definition: Definition) -> bool:
    """Whether a step links to the menu of the line."""
    return any(
        isinstance(step, MenuLink) or any("menu.link" in text for text in texts_of(step))
        for step in definition.steps
    )


def step_title(step: Any) -> str:
    """The beginning of what the step says, in the user's own words; "" if it has none."""
    for name in ("text", "name", "tag", "note", "url"):
        if written := str(getattr(step, name, "") or ""):
            line = written.strip().splitlines()[0]
            return line if len(line) <= 40 else f"{line[:39]}…"
    return ""
