"""Play a draft without sending anything: the engine runs on what was said so far.

A played conversation is its list of inputs. Every step of it is played again from the beginning, so
nothing is stored and a changed draft is played as it is now.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from core.clock import now, zone
from core.i18n.catalogs import N_, PORTAL_TEXTS
from messaging.journeys import engine, ports
from messaging.journeys.definition import Definition
from messaging.journeys.engine import (
    CallDone,
    ChangeTag,
    Facts,
    GiveToPerson,
    Reply,
    Send,
    TimeOver,
)
from messaging.lines import repository as line_repository
from tenants import accounts
from tenants.plans.catalog import current_tenant_facts

MOST_INPUTS = 60
LONGEST_INPUT = 300
SAMPLE_NAME = "Ayşe Kaya"
SAMPLE_STATE = N_("has been shipped")


@dataclass(frozen=True)
class Bubble:
    """One line on the phone. `kind` is in, out or note; a note is a code with a value."""

    kind: str
    text: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    link_text: str = ""
    value: str = ""


@dataclass
class Played:
    bubbles: list[Bubble] = field(default_factory=list)
    inputs: list[dict[str, Any]] = field(default_factory=list)
    waits: str = ""
    answer: str = ""
    """What is asked for: buttons, list, text, number, location or photo."""
    step_id: str = ""
    minutes: int = 0
    state: str = ""
    because: str = ""


def play(definition: Definition, inputs: Sequence[Mapping[str, Any]]) -> Played:
    played = Played(inputs=[dict(one) for one in inputs[:MOST_INPUTS]])
    if not definition.steps:
        return played
    moment = now().astimezone(zone(accounts.account().time_zone))
    state, tags = engine.begin(definition, {}), set[str]()
    if definition.when.kind == "keyword" and definition.when.words:
        played.bubbles.append(Bubble("in", definition.when.words[0]))
    given: list[Any] = [None, *(_input(one) for one in played.inputs)]
    for place, one in enumerate(given):
        if isinstance(one, Reply):
            played.bubbles.append(_said(one, played.inputs[place - 1]))
        elif isinstance(one, TimeOver) and state.until is not None:
            moment = max(moment, state.until)
        facts = Facts(moment, frozenset(tags), False, _values(definition))
        for visit in engine.advance(definition, state, one, facts):
            played.bubbles += _bubbles(visit, tags)
        moment += timedelta(seconds=1)
    step = definition.get(state.step)
    played.waits, played.state, played.because = state.waits, state.state, state.because
    played.step_id = state.step
    played.answer = getattr(step, "answer", "buttons") if state.waits == engine.REPLY else ""
    played.minutes = _minutes(state.until, moment) if state.waits else 0
    return played


def _minutes(until: datetime | None, moment: datetime) -> int:
    return max(round((until - moment).total_seconds() / 60), 1) if until is not None else 0


def _values(definition: Definition) -> dict[str, str]:
    line_id = definition.line_id
    if line_id is None:
        default = line_repository.default_line(test=False)
        line_id = default.id if default is not None else None
    known = {one.id for one in line_repository.list_routes()}
    return {
        "customer.name": SAMPLE_NAME,
        "customer.first_name": SAMPLE_NAME.split(" ")[0],
        "customer.last_name": SAMPLE_NAME.split(" ")[1],
        "shop.name": current_tenant_facts().name,
        "menu.link": ports.menu_link(line_id) if line_id in known else "",
        "order.number": "1042",
        "order.total": "480",
        "latest_order.number": "1042",
        "latest_order.state": PORTAL_TEXTS.gettext(accounts.account().locale, SAMPLE_STATE),
        "latest_order.total": "480",
    }


def _input(given: Mapping[str, Any]) -> engine.Input:
    if given.get("skip"):
        return TimeOver()
    if "ok" in given:
        return CallDone(bool(given["ok"]), because="call_refused")
    if given.get("location"):
        return Reply("location", latitude=41.0082, longitude=28.9784)
    if given.get("photo"):
        return Reply("image", message_id="photo")
    text = str(given.get("text") or given.get("choice") or "")[:LONGEST_INPUT]
    return Reply("button" if given.get("choice") else "text", text, str(given.get("choice") or ""))


def _said(reply: Reply, given: Mapping[str, Any]) -> Bubble:
    if given.get("location") or given.get("photo"):
        return Bubble("in", value="location" if given.get("location") else "photo")
    return Bubble("in", reply.text)


def _bubbles(visit: engine.Visit, tags: set[str]) -> list[Bubble]:
    effect = visit.effect
    if isinstance(effect, Send):
        if effect.template is not None:
            name, _language, values = effect.template
            return [Bubble("out", "\n".join(values), effect.choices, value=name)]
        return [Bubble("out", effect.text, effect.choices, effect.link_text)]
    if isinstance(effect, ChangeTag):
        tags.discard(effect.tag) if effect.remove else tags.add(effect.tag)
        return [Bubble("note", "untagged" if effect.remove else "tagged", value=effect.tag)]
    if isinstance(effect, GiveToPerson):
        return [Bubble("note", "handed_over", value=effect.note)]
    if visit.kind == "if":
        return [Bubble("note", visit.note)]
    return [Bubble("note", visit.kind)] if visit.kind in ("call_url", "store_update") else []
