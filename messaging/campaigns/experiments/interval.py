"""95 % intervals for the difference between two groups of people, of orders or of money.

Orders and money of a person are counts and sums with many zeros, so the usual interval with a
normal distribution is too narrow for small groups. Here each group's mean gets a score interval for
counts, with the variance per unit estimated from both groups, and the two are combined by the
method of variance estimates recovery (MOVER, Zou and Donner 2008). A group without a single order
still has an upper limit.
"""

import math
from dataclasses import dataclass

Z = 1.959964  # 97.5 % of the standard normal distribution
FEWEST_PEOPLE = 2


@dataclass(frozen=True)
class Sample:
    """The orders or the money of one group: people, their sum, and the sum of squares."""

    people: int
    total: float
    squares: float

    @property
    def mean(self) -> float:
        return self.total / self.people if self.people else 0.0


@dataclass(frozen=True)
class Difference:
    """Of the means of two groups, per person, with its 95 % interval."""

    value: float
    low: float
    high: float

    def times(self, people: int) -> "Difference":
        return Difference(self.value * people, self.low * people, self.high * people)


def difference(treated: Sample, holdout: Sample) -> Difference | None:
    """Treated minus holdout; None if a group has too few people to compare."""
    if min(treated.people, holdout.people) < FEWEST_PEOPLE:
        return None
    unit = _variance_per_unit(treated, holdout)
    value = treated.mean - holdout.mean
    treated_low, treated_high = _mean_interval(treated, unit)
    low, high = _mean_interval(holdout, unit)
    return Difference(
        value,
        value - math.hypot(treated.mean - treated_low, high - holdout.mean),
        value + math.hypot(treated_high - treated.mean, holdout.mean - low),
    )


def _variance_per_unit(*samples: Sample) -> float:
    """Variance divided by mean, of both groups together: 1 for rare single orders."""
    total = sum(one.total for one in samples)
    if total <= 0:
        return 1.0
    within = sum(one.squares - one.people * one.mean**2 for one in samples)
    people = sum(one.people for one in samples)
    freedom = people / max(people - len(samples), 1)
    return max(within * freedom / total, 0.0)


def _mean_interval(sample: Sample, unit: float) -> tuple[float, float]:
    """The score interval of a rate, in units of the variance."""
    spread = unit * Z * Z
    middle = sample.total + spread / 2
    half = math.sqrt(spread * (sample.total + spread / 4))
    return (middle - half) / sample.people, (middle + half) / sample.people
