"""A linked line's day: what a new number may, who counts as a stranger, what waits."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from core.clock import frozen, now
from core.errors import Invalid
from messaging.costs.usage import UsageTally
from messaging.lines.drivers.linked import pacing as linked_pacing
from messaging.lines.drivers.linked import pairing
from messaging.lines.drivers.linked import sessions as linked_sessions
from messaging.messages.receive import receive_message
from tests.messaging.message_factory import sent_message, wrote

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


@pytest.fixture
def line_id(restaurant):
    with frozen(NOON), restaurant.scope():
        line = pairing.add_linked_line("Front desk", network="simulator")
        linked_sessions.record_paired(line.id, "905321110000")
        return line.id


def stranger(number):
    return f"90532222{number:04d}"


def test_the_gap_is_one_to_three_seconds_and_never_shorter():
    gaps = [linked_pacing.seconds_to_next(linked_pacing.PER_SECOND) for _ in range(500)]
    assert min(gaps) >= 1
    assert max(gaps) <= 3
    assert max(gaps) - min(gaps) > 1
    assert min(linked_pacing.seconds_to_next(Decimal(80)) for _ in range(100)) >= 1
    assert min(linked_pacing.seconds_to_next(Decimal("0.1")) for _ in range(100)) >= 5


def test_a_number_is_warmed_up_over_a_week(restaurant, line_id):
    with restaurant.scope():
        linked = pairing.find_linked_line(line_id)
        days = [linked_pacing.allowance_on(linked, NOON + timedelta(days=n)) for n in range(9)]
    assert [day.number for day in days] == [1, 2, 3, 4, 5, 6, 7, 0, 0]
    assert [day.most for day in days] == sorted(day.most for day in days)
    assert days[0].most_strangers < days[6].most_strangers < days[7].most_strangers


def test_another_number_starts_from_zero_and_the_same_one_continues(restaurant, line_id):
    with frozen(NOON + timedelta(days=30)), restaurant.scope():
        linked_sessions.record_paired(line_id, "905321110000")
        assert linked_pacing.allowance_today(pairing.find_linked_line(line_id)).number == 0
        linked_sessions.record_paired(line_id, "905321119999")
        assert linked_pacing.allowance_today(pairing.find_linked_line(line_id)).number == 1


def test_strangers_are_few_and_who_wrote_first_is_none(restaurant, line_id, monkeypatch):
    monkeypatch.setattr(linked_pacing, "WARM_UP_LIMITS", ((10, 2),))
    with frozen(NOON), restaurant.scope():
        line, linked = pairing.get_linked_line(line_id)
        assert [linked_pacing.take_daily_message(linked, stranger(n)) for n in range(2)] == [0, 0]
        wait = linked_pacing.take_daily_message(linked, stranger(2))
        assert timedelta(hours=12).total_seconds() <= wait
        assert wait <= timedelta(hours=12, minutes=10).total_seconds()
        receive_message(
            line, wrote(sender_phone=stranger(2), at=int(NOON.timestamp())), UsageTally()
        )
        assert linked_pacing.take_daily_message(linked, stranger(2)) == 0
        today = linked_pacing.allowance_today(linked)
        assert (today.sent, today.strangers) == (3, 2)
    with frozen(NOON + timedelta(days=1)), restaurant.scope():
        assert linked_pacing.take_daily_message(pairing.find_linked_line(line_id), stranger(3)) == 0


def test_a_stranger_counts_once_a_day(restaurant, line_id, monkeypatch):
    monkeypatch.setattr(linked_pacing, "WARM_UP_LIMITS", ((10, 1),))
    with frozen(NOON), restaurant.scope():
        line, linked = pairing.get_linked_line(line_id)
        assert linked_pacing.take_daily_message(linked, "905321112233") == 0
        sent_message(line, "sent", created_at=now(), changed_at=now())
        assert linked_pacing.take_daily_message(linked, "905321112233") == 0
        assert linked_pacing.take_daily_message(linked, stranger(1)) > 0


def test_a_day_is_full_for_everybody(restaurant, line_id, monkeypatch):
    monkeypatch.setattr(linked_pacing, "WARM_UP_LIMITS", ((2, 5),))
    with frozen(NOON), restaurant.scope():
        linked = pairing.find_linked_line(line_id)
        assert [linked_pacing.take_daily_message(linked, stranger(n)) > 0 for n in range(3)] == [
            False,
            False,
            True,
        ]


def test_a_linked_line_is_made_slower_and_not_faster(restaurant, line_id):
    with restaurant.scope():
        linked_pacing.set_pace(line_id, Decimal("0.2"))
        with pytest.raises(Invalid, match="two seconds"):
            linked_pacing.set_pace(line_id, Decimal(1))
        assert pairing.get_linked_line(line_id)[0].per_second == Decimal("0.2")
