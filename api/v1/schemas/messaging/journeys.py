"""Request and response models of journeys and their runs."""

from typing import Any

from pydantic import BaseModel, Field

from api.paging import PageQuery
from api.v1.schemas.messaging.contacts import CONTACT_ID
from core.clock import rfc3339
from messaging.journeys import validation
from messaging.journeys.definition import Definition
from messaging.journeys.effects import TEST_TAG
from messaging.journeys.queries import RunDetail, RunSummary, StepSummary
from messaging.journeys.reasons import JOURNEY_REASONS
from messaging.journeys.validation import Problem
from messaging.models import Journey, JourneyRun

JOURNEY_ID = "jny_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"
RUN_ID = "jrn_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"
MESSAGE_ID = "msg_01JF9Z6M3V7Q2N8K4T5W6X7Y8Z"
STATES = "^(running|completed|stopped|failed)$"
EXAMPLE = {
    "when": {"kind": "keyword", "words": ["hours"]},
    "steps": [
        {"id": "answer", "kind": "say", "text": "We are open from 9 to 22."},
        {"id": "end", "kind": "end"},
    ],
}


class JourneyPath(BaseModel):
    journey_id: str = Field(max_length=40, description="The journey.")


class JourneyRunPath(BaseModel):
    run_id: str = Field(max_length=40, description="The run.")


class JourneyRunQuery(PageQuery):
    state: str | None = Field(None, pattern=STATES, description="Only runs in this state.")


class JourneyFacts(BaseModel):
    name: str = Field(max_length=120, description="The name.", examples=["Opening hours"])
    definition: Definition = Field(
        description="The draft: when it begins, and its steps.", examples=[EXAMPLE]
    )


class JourneyRunRequest(BaseModel):
    contact_id: str = Field(
        max_length=40, description="The contact who begins the journey.", examples=[CONTACT_ID]
    )
    instance_id: int | None = Field(None, description="The line. Left out: that of the journey.")
    values: dict[str, str] = Field(
        default_factory=dict,
        max_length=20,
        description="Texts for placeholders: `code` is filled in as `{{api.code}}`.",
        examples=[{"code": "A-17"}],
    )


class JourneyProblem(BaseModel):
    step_id: str | None = Field(
        description="The step; null: the beginning of the journey.", examples=["step_1"]
    )
    code: str = Field(description="What is wrong.", examples=["dead_end"])
    message: str = Field(description="What is wrong, and what to do.")


class JourneyShape(BaseModel):
    id: str = Field(description="The journey.", examples=[JOURNEY_ID])
    name: str = Field(description="Its name.")
    state: str = Field(description="draft, live or paused", examples=["live"])
    trigger: str | None = Field(description="What starts the published version.")
    version: int = Field(description="The published version; 0: it was never published.")
    has_changes: bool = Field(description="Whether the draft differs from the published version.")
    definition: Definition = Field(description="The draft.", examples=[EXAMPLE])
    created_at: str = Field(description="When it was made.")
    changed_at: str = Field(description="When it was last changed.")


class JourneyDetail(JourneyShape):
    problems: list[JourneyProblem] = Field(description="What keeps the draft from being published.")


class JourneyPage(BaseModel):
    data: list[JourneyShape]
    next: str | None = Field(description="The cursor of the next page.")


class JourneyRunShape(BaseModel):
    id: str = Field(description="The run.", examples=[RUN_ID])
    journey_id: str = Field(description="The journey.", examples=[JOURNEY_ID])
    version: int = Field(description="The version that it began with.")
    contact_id: str = Field(description="The contact.", examples=[CONTACT_ID])
    instance_id: int = Field(description="The line.")
    test: bool = Field(description="Whether it is on the test line.")
    state: str = Field(description="running, completed, stopped or failed")
    because: str = Field(description="Why it ended; empty while it runs.")
    step: str = Field(description="The step that the run is at.")
    waits_for: str | None = Field(description="reply, time or call; null if it waits for nothing.")
    due_at: str | None = Field(description="When it continues without an answer.")
    started_at: str = Field(description="When it began.")
    ended_at: str | None = Field(description="When it ended.")


class JourneyRunStepShape(BaseModel):
    visit: int = Field(description="Counts the steps of the run.")
    step: str = Field(description="The id of the step.")
    kind: str = Field(description="The kind of the step.", examples=["say"])
    note: str = Field(description="The result of a condition, or why a call failed.")
    answer: str = Field(description="What the customer answered, or a service returned.")
    message_id: str | None = Field(description="The message that was sent.", examples=[MESSAGE_ID])
    at: str = Field(description="When.")


class JourneyRunDetail(JourneyRunShape):
    values: dict[str, str] = Field(description="Answers and other values by placeholder.")
    steps: list[JourneyRunStepShape] = Field(description="What was carried out, in order.")


class JourneyRunPage(BaseModel):
    data: list[JourneyRunShape]
    next: str | None = Field(description="The cursor of the next page.")


def state_of(journey: Journey) -> str:
    if not journey.version:
        return "draft"
    return "live" if journey.live else "paused"


def journey_json(one: Journey) -> dict[str, Any]:
    return {
        "id": one.id,
        "name": one.name,
        "state": state_of(one),
        "trigger": one.trigger or None,
        "version": one.version,
        "has_changes": one.revision != one.published_revision,
        "definition": one.draft,
        "created_at": rfc3339(one.created_at),
        "changed_at": rfc3339(one.changed_at),
    }


def detail_json(one: Journey, problems: list[Problem]) -> dict[str, Any]:
    return journey_json(one) | {
        "problems": [
            {
                "step_id": problem.step_id or None,
                "code": problem.code,
                "message": validation.english(problem),
            }
            for problem in problems
        ]
    }


def run_json(run: JourneyRun) -> dict[str, Any]:
    return {
        "id": run.id,
        "journey_id": run.journey_id,
        "version": run.version,
        "contact_id": run.contact_id,
        "instance_id": run.line_id,
        "test": run.test,
        "state": run.state,
        "because": JOURNEY_REASONS.english(run.because),
        "step": run.step,
        "waits_for": "call" if run.waits == "calling" else run.waits or None,
        "due_at": run.due_at and rfc3339(run.due_at),
        "started_at": rfc3339(run.started_at),
        "ended_at": run.ended_at and rfc3339(run.ended_at),
    }


def summary_json(one: RunSummary) -> dict[str, Any]:
    return run_json(one.run)


def run_detail_json(one: RunDetail) -> dict[str, Any]:
    shown = {name for name in one.run.values if not name.startswith(("store.event", TEST_TAG))}
    values = {name: str(value) for name, value in one.run.values.items() if name in shown}
    steps = [_step_json(step) for step in one.steps]
    return run_json(one.run) | {"values": values, "steps": steps}


def _step_json(one: StepSummary) -> dict[str, Any]:
    row = one.row
    return {
        "visit": row.visit,
        "step": row.step,
        "kind": row.kind,
        "note": JOURNEY_REASONS.english(row.note),
        "answer": row.answer,
        "message_id": row.message_id,
        "at": rfc3339(row.at),
    }
