"""The health page: the state of the service, and what to do about each problem."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from flask import current_app, render_template
from flask_babel import format_decimal, gettext, ngettext

from core.monitoring import service_state
from core.monitoring.service_state import DatabaseState, RedisState, ServiceState
from core.sql.database_clock import TOLERATED_OFFSET
from portal.operator.views import operator
from portal.web.auth import operator_only
from portal.web.i18n import format_duration

# The same limits are in docs/operations/alerts.md.
QUEUE_SLOW_SECONDS, QUEUE_STUCK_SECONDS = 30, 300
LANE_SLOW_SECONDS, LANE_STUCK_SECONDS = 30, 300
LATE_TICKET_SECONDS = 120
UNKNOWN_OLD_SECONDS = 3600
CONNECTIONS_SHARE = 0.8
MEMORY_SHARE = 0.8
MONTHS_ENOUGH, MONTHS_LEAST = 2, 1
MEASURED_WITHIN_SECONDS = 300
NOT_SENDING = ("disconnected", "logged_out", "token_expired", "restricted", "unreachable")


@dataclass(frozen=True)
class Check:
    name: str
    value: str
    tone: str
    """good, wait (look at it today) or bad (act now)."""
    advice: str = ""


@operator.get("/health")
@operator_only
def health() -> Any:
    state = service_state.read_state()
    found = checks(state)
    order = {"bad": 0, "wait": 1, "good": 2}
    return render_template(
        "operator/health.html",
        checks=sorted(found, key=lambda one: order[one.tone]),
        problems=sum(one.tone != "good" for one in found),
        queues=state.redis.queues if state.redis else [],
        lanes=state.database.lanes if state.database else [],
        lines=_lines(state.database),
        at=state.at,
    )


def checks(state: ServiceState) -> list[Check]:
    found = []
    if state.database is None:
        found.append(
            Check(
                gettext("Database"),
                gettext("Not responding"),
                "bad",
                gettext("No requests can be accepted. Start PostgreSQL, then check its log."),
            )
        )
    else:
        found += _database(state, state.database)
    if state.redis is None:
        found.append(
            Check(
                gettext("Redis"),
                gettext("Not responding"),
                "bad",
                gettext("Messages are accepted but sent late. Start Valkey or Redis."),
            )
        )
    else:
        found += _redis(state.redis)
    return found


def _database(state: ServiceState, database: DatabaseState) -> Iterator[Check]:
    yield Check(gettext("Database"), _millis(database.answer_seconds), "good")
    share = database.connections / max(database.connections_allowed, 1)
    yield Check(
        gettext("Database connections"),
        gettext(
            "%(used)s of %(allowed)s",
            used=format_decimal(database.connections),
            allowed=format_decimal(database.connections_allowed),
        ),
        "wait" if share >= CONNECTIONS_SHARE else "good",
        gettext(
            "Raise max_connections, lower DATABASE_POOL, or put PgBouncer in front of the database."
        ),
    )
    yield Check(
        gettext("Partitions created in advance (months)"),
        format_decimal(database.months_ahead),
        _tone(-database.months_ahead, -MONTHS_ENOUGH, -MONTHS_LEAST),
        gettext(
            "The nightly job that creates partitions failed. Run it now; the runbook explains how."
        ),
    )
    offset = database.clock_offset_seconds
    yield Check(
        gettext("Host clock"),
        gettext(
            "%(seconds)s s off the database clock", seconds=format_decimal(abs(round(offset, 1)))
        ),
        "bad" if abs(offset) > TOLERATED_OFFSET.total_seconds() else "good",
        gettext("Turn on time synchronization (NTP) on this host."),
    )
    oldest = max((one.oldest_seconds for one in database.lanes), default=0.0)
    yield Check(
        gettext("Oldest work without a worker"),
        format_duration(int(oldest)) if oldest else gettext("none"),
        _tone(oldest, LANE_SLOW_SECONDS, LANE_STUCK_SECONDS),
        gettext("Start more workers and check their logs for errors."),
    )
    yield from _measured(state, database)


def _measured(state: ServiceState, database: DatabaseState) -> Iterator[Check]:
    """Totals over all tenants, from their last measurement."""
    age = (
        (state.at - database.measured_at).total_seconds() if database.measured_at else float("inf")
    )
    if age > MEASURED_WITHIN_SECONDS:
        yield Check(
            gettext("Metrics for all tenants"),
            gettext("not updated recently"),
            "wait",
            gettext("Make sure the scheduler and a worker for the “default” queue are running."),
        )
    values = database.measurements
    waiting = values.get(("tickets_waiting", ""), 0.0)
    oldest = values.get(("tickets_oldest_seconds", ""), 0.0)
    yield Check(
        gettext("Oldest unprinted ticket"),
        format_duration(int(oldest)) if waiting else gettext("none"),
        "wait" if oldest > LATE_TICKET_SECONDS else "good",
        gettext(
            "A printer or its print agent is offline. The restaurant sees this under Printers."
        ),
    )
    unknown = values.get(("messages_unknown", ""), 0.0)
    oldest = values.get(("messages_unknown_oldest_seconds", ""), 0.0)
    yield Check(
        gettext("Messages with no answer from WhatsApp"),
        format_decimal(int(unknown)),
        "wait" if oldest > UNKNOWN_OLD_SECONDS else "good",
        gettext("They are never resent automatically. The runbook explains how to resolve them."),
    )
    failing = values.get(("endpoints_failing", ""), 0.0)
    yield Check(gettext("Failing webhook endpoints"), format_decimal(int(failing)), "good")
    simulated = values.get(("lines_simulated", ""), 0.0)
    if simulated and current_app.extensions["comanda"].production:
        yield Check(
            gettext("Live lines on the simulated network"),
            format_decimal(int(simulated)),
            "bad",
            gettext("Their messages are rejected. Connect these lines to the real network."),
        )
    missing = database.sessions_wanted - database.sessions_held
    yield Check(
        gettext("Linked phones"),
        ngettext(
            "%(held)s of %(wanted)s connected on %(hosts)s host",
            "%(held)s of %(wanted)s connected on %(hosts)s hosts",
            database.linked_hosts,
            held=format_decimal(database.sessions_held),
            wanted=format_decimal(database.sessions_wanted),
            hosts=format_decimal(database.linked_hosts),
        ),
        "bad" if missing and not database.linked_hosts else "wait" if missing else "good",
        gettext("Start a host for linked phones: python -m jobs.linked.host"),
    )


def _redis(redis: RedisState) -> Iterator[Check]:
    yield Check(gettext("Redis"), _millis(redis.answer_seconds), "good")
    if redis.memory_allowed:
        share = redis.memory / redis.memory_allowed
        yield Check(
            gettext("Redis memory"),
            gettext("%(percent)s%% used", percent=format_decimal(round(share * 100))),
            "wait" if share >= MEMORY_SHARE else "good",
            gettext("Raise maxmemory. The usual cause is full queues or failed jobs."),
        )
    yield Check(
        gettext("Scheduler"),
        gettext("running") if redis.scheduler_leads else gettext("not running"),
        "good" if redis.scheduler_leads else "bad",
        gettext("Start the scheduler: python -m jobs.scheduler"),
    )
    yield Check(
        gettext("Live updates"),
        gettext("running") if redis.live_processes else gettext("not running"),
        "good" if redis.live_processes else "wait",
        gettext("Pages show changes late. Start live updates: python -m api.live"),
    )
    oldest = max((one.oldest_seconds for one in redis.queues), default=0.0)
    yield Check(
        gettext("Oldest waiting job"),
        format_duration(int(oldest)) if oldest else gettext("none"),
        _tone(oldest, QUEUE_SLOW_SECONDS, QUEUE_STUCK_SECONDS),
        gettext("Start more workers for that queue."),
    )
    idle = [one.name for one in redis.queues if not one.workers]
    yield Check(
        gettext("Queues without a worker"),
        ", ".join(idle) or gettext("none"),
        "bad" if idle else "good",
        gettext("Start a worker for these queues: python -m jobs.worker"),
    )
    failed = sum(one.failed for one in redis.queues)
    yield Check(
        gettext("Failed jobs"),
        format_decimal(failed),
        "wait" if failed else "good",
        gettext("Review them on the Queues page."),
    )


def _lines(database: DatabaseState | None) -> list[tuple[str, str, int, str]]:
    """Rows of kind, state, count and tone."""
    found = []
    for (name, label), value in sorted(database.measurements.items() if database else ()):
        if name == "lines":
            kind, _, state = label.partition(":")
            tone = "good" if state == "connected" else "bad" if state in NOT_SENDING else "wait"
            found.append((kind, state, int(value), tone))
    return found


def _tone(value: float, wait: float, bad: float) -> str:
    return "bad" if value > bad else "wait" if value > wait else "good"


def _millis(seconds: float) -> str:
    return str(
        gettext("responds in %(millis)s ms", millis=format_decimal(round(seconds * 1000, 1)))
    )
