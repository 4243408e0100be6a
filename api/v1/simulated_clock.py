"""The clock of test mode: read it, move it forward, reset it."""

from datetime import timedelta
from typing import Any

from flask import current_app, g

from api.auth import key_may
from api.idempotency import JsonAnswer, idempotent
from api.v1 import v1
from api.v1.schemas.simulated_clock import ClockAdvance, ClockShape
from api.v1.triggers import TAG, needs_test_key
from core.clock import now, rfc3339
from core.db import tenant_scope
from messaging import simulated_clock
from messaging.lines import repository as line_repository
from messaging.lines import simulated_time
from messaging.models import TestClock
from messaging.simulator import remote_control
from restaurant import simulated_clock as restaurant_clock


@v1.get("/test/clock", tags=[TAG], summary="Get the test clock", responses={200: ClockShape})
@key_may("messages:send", test_keys=True)
def read_clock() -> dict[str, Any]:
    needs_test_key()
    with tenant_scope(g.tenant_id):
        return _clock_json(simulated_time.clock())


@v1.post("/test/clock", tags=[TAG], summary="Advance the test clock", responses={200: ClockShape})
@key_may("messages:send", test_keys=True)
@idempotent(check=needs_test_key)
def advance_clock(body: ClockAdvance) -> JsonAnswer:
    """Everything that waits in test mode gets older by this time: 24-hour windows close, carts,
    payment links and held messages expire, scheduled messages and campaigns start. Live data is
    not affected.
    """
    by = timedelta(seconds=body.advance_seconds)
    restaurant_clock.advance(by)
    moved = simulated_clock.advance(by)
    line = line_repository.default_line(test=True)
    settings = current_app.extensions["comanda"]
    if line is not None and line.network == "simulator" and settings.simulator_url:
        remote_control.age_chats(settings, line, body.advance_seconds)
    return _clock_json(moved)


@v1.delete("/test/clock", tags=[TAG], summary="Reset the test clock", responses={200: ClockShape})
@key_may("messages:send", test_keys=True)
def reset_clock() -> dict[str, Any]:
    """The clock shows the real time again. What has expired or was sent stays so."""
    needs_test_key()
    with tenant_scope(g.tenant_id):
        return _clock_json(simulated_clock.reset())


def _clock_json(clock: TestClock) -> dict[str, Any]:
    return {
        "now": rfc3339(now() + timedelta(seconds=clock.seconds_ahead)),
        "advanced_seconds": clock.seconds_ahead,
        "test": True,
    }
