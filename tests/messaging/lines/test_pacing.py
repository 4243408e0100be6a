"""How fast a line may speak, and which lines have little left."""

import time

from messaging.lines.pacing import LinePacing

TENANT, LINE = 7, 70


def speak(pacing, times, per_second=10.0):
    for number in range(times):
        assert pacing.wait(TENANT, LINE, f"90532111{number:04}", per_second) == 0


def test_a_line_is_tight_when_it_has_little_left():
    pacing = LinePacing()
    speak(pacing, 3)
    assert pacing.nearly_exhausted(4) == {}
    speak(pacing, 5)
    assert pacing.nearly_exhausted(4) == {LINE: 2}


def test_a_line_that_has_to_pause_gives_nothing():
    pacing = LinePacing()
    speak(pacing, 1)
    pacing.pause(TENANT, LINE, 60)
    assert pacing.nearly_exhausted(4) == {LINE: 0}


def test_a_rested_line_is_forgotten(monkeypatch):
    pacing = LinePacing()
    speak(pacing, 9)
    later = time.monotonic() + 5
    monkeypatch.setattr("messaging.lines.pacing.time.monotonic", lambda: later)
    assert pacing.nearly_exhausted(4) == {}
    assert not pacing._tight


def test_a_slow_line_is_tight_as_long_as_its_one_token_is_gone():
    pacing = LinePacing()
    speak(pacing, 1, per_second=0.5)
    assert pacing.nearly_exhausted(4) == {LINE: 0}
