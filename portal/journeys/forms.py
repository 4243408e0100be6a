"""What the forms of the journey editor contain, as the parts of a definition."""

import json
from collections.abc import Iterable
from typing import Any

from flask import request

from messaging.journeys.definition import (
    DATES,
    ORDER_STATES,
    STEP_CLASSES,
    STORE_STATES,
    WHEN_KINDS,
    Definition,
    read_definition,
    stored,
)
from messaging.journeys.player import LONGEST_INPUT, MOST_INPUTS
from portal.web.forms import line_id_or_none, submitted_text

MOST_CHOICES = 10
UNITS = {"minutes": 1, "hours": 60, "days": 24 * 60}
LONGEST_NUMBER = 6


def changed_when(definition: Definition) -> Definition:
    """The draft with the trigger, the line and the hours of the form."""
    given = stored(definition)
    kind = submitted_text("kind", 20)
    if kind not in WHEN_KINDS:
        kind = definition.when.kind
    states = [one for one in request.form.getlist("states") if one in _states(kind)]
    date = submitted_text("date", 20)
    when = {
        "kind": kind,
        "words": _lines(submitted_text("words", 2000), 30, 60),
        "ad": submitted_text("ad", 64),
        "states": states,
        "tag": submitted_text("tag", 50),
        "date": date if date in DATES else "",
        "days": _number("days", 0, -365, 3650),
        "hour": _number("hour", 10, 0, 23),
        "connection_id": submitted_text("connection_id", 40),
    }
    line_id = line_id_or_none(submitted_text("line_id", 20))
    days = sorted(
        {int(one) for one in request.form.getlist("open_days") if one in "0123456" and one}
    )
    hours = {
        "days": days,
        "opens": submitted_text("opens", 5) or definition.hours.opens,
        "closes": submitted_text("closes", 5) or definition.hours.closes,
    }
    if kind != "out_of_hours" and "opens" not in request.form:
        hours = given["hours"]
    return read_definition({**given, "when": when, "line_id": line_id, "hours": hours})


def with_new_step(definition: Definition, kind: str) -> tuple[Definition, str]:
    """The draft with an empty step before a closing “End”. Returns its id, too."""
    step_id, steps = _free_id(definition), list(stored(definition)["steps"])
    at = len(steps)
    if steps and steps[-1]["kind"] == "end" and kind != "end":
        at -= 1
    steps.insert(at, {"id": step_id, "kind": kind if kind in STEP_CLASSES else "say"})
    return _with_steps(definition, steps), step_id


def with_saved_step(definition: Definition, step_id: str) -> Definition:
    steps = [
        _submitted_step(step) if step["id"] == step_id else step
        for step in stored(definition)["steps"]
    ]
    return _with_steps(definition, steps)


def with_moved_step(definition: Definition, step_id: str, down: bool) -> Definition:
    steps = list(stored(definition)["steps"])
    at = definition.position(step_id)
    to = None if at is None else at + (1 if down else -1)
    if at is not None and to is not None and 0 <= to < len(steps):
        steps[at], steps[to] = steps[to], steps[at]
    return _with_steps(definition, steps)


def without_step(definition: Definition, step_id: str) -> Definition:
    """Other steps that continued with it continue with the one after them."""
    steps = [
        _without_target(step, step_id)
        for step in stored(definition)["steps"]
        if step["id"] != step_id
    ]
    return _with_steps(definition, steps)


def said_so_far() -> list[dict[str, Any]]:
    """What was said on the phone, with what is said now."""
    try:
        found = json.loads(request.form.get("said", "[]")[:40_000])
        json.dumps(found, ensure_ascii=False).encode()  # half of a surrogate pair is no text
    except (ValueError, RecursionError):
        found = []
    said = [_flat(one) for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    for name in ("choice", "text"):
        if written := submitted_text(name, LONGEST_INPUT).strip():
            said.append({name: written})
            return said[:MOST_INPUTS]
    act = submitted_text("act", 20)
    more = {"skip": {"skip": True}, "location": {"location": True}, "photo": {"photo": True}}
    more |= {"works": {"ok": True}, "fails": {"ok": False}}
    return [*said, *([more[act]] if act in more else [])][:MOST_INPUTS]


def _flat(said: dict[str, Any]) -> dict[str, Any]:
    return {name: part for name, part in said.items() if isinstance(part, str | bool)}


def _submitted_step(step: dict[str, Any]) -> dict[str, Any]:
    """The fields of the form over those that the step has."""
    fields = STEP_CLASSES[step["kind"]].model_fields
    made = dict(step)
    for name in fields:
        if name in ("id", "kind", "choices", "parameters", "minutes", "remove"):
            continue
        if name in request.form:
            made[name] = submitted_text(name, 5000)
    if "minutes" in fields and "minutes" in request.form:
        unit = UNITS.get(submitted_text("unit", 10), 1)
        made["minutes"] = _number("minutes", 60, 1, 10**5) * unit
    if "remove" in fields:
        made["remove"] = submitted_text("remove", 5) == "yes"
    if "parameters" in fields:
        made["parameters"] = _lines(submitted_text("parameters", 8000), 20, 1024)
    if "choices" in fields:
        made["choices"] = list(_choices())
        if made.get("answer", "buttons") not in ("buttons", "list"):
            made["choices"] = []
    return made


def _choices() -> Iterable[dict[str, str]]:
    for number in range(MOST_CHOICES):
        if title := submitted_text(f"title_{number}", 200).strip():
            yield {
                "title": title,
                "description": submitted_text(f"description_{number}", 200).strip(),
                "next": submitted_text(f"next_{number}", 40),
            }


def _without_target(step: dict[str, Any], step_id: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        name: "" if _is_target(name) and part == step_id else part for name, part in step.items()
    }
    if "choices" in made:
        made["choices"] = [_without_target(one, step_id) for one in made["choices"]]
    return made


def _is_target(name: str) -> bool:
    return name in ("next", "then", "otherwise", "no_answer", "failed")


def _with_steps(definition: Definition, steps: list[dict[str, Any]]) -> Definition:
    return read_definition({**stored(definition), "steps": steps})


def _free_id(definition: Definition) -> str:
    used, number = {step.id for step in definition.steps}, len(definition.steps) + 1
    while f"step_{number}" in used:
        number += 1
    return f"step_{number}"


def _states(kind: str) -> tuple[str, ...]:
    return STORE_STATES if kind == "store_order" else ORDER_STATES


def _lines(text: str, most: int, longest: int) -> list[str]:
    found = [one.strip()[:longest] for one in text.replace("\r", "").split("\n")]
    return list(dict.fromkeys(one for one in found if one))[:most]


def _number(name: str, default: int, least: int, most: int) -> int:
    written = submitted_text(name, LONGEST_NUMBER + 1).strip()
    digits = written.removeprefix("-")
    if not digits.isascii() or not digits.isdecimal():
        return default
    return min(max(int(written), least), most)
