"""How features stand against permuted targets: who is listed, and how many of those would be false.

Each target, the observed one and P permuted ones, has for every base an order of features on each of M halves. For a
base and a size q let h be the number of halves in which a feature is among the first q. Frequencies of different bases
and sizes are made comparable by what permuted targets do: e(h) is how many features reach h on average over all
targets, and a feature's statistic is the largest -log e(h) over bases and sizes. Looking at several of them costs what
it should, because the permuted targets are looked at in the same way.

A bar of level f is the least value that permuted targets pass at most f times on average. Once true features fill the
first places, noise is pushed out of them, and a list of one pass holds far fewer false features than allowed. So there
are two steps (the gate): what passes the bar of a tenth of the allowance is listed and set aside, the rest is ranked
again, until nothing more passes; then one pass over the rest at 0.9 of the allowance. Stepping down at the full
allowance does not hold: a mean number of false features, unlike the chance of any, is not kept when their neighbours
follow them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from steadyset.kernels.arrays import Bools, Codes, Floats, Ints, Places

GATE, LAST = 0.1, 0.9  # of the allowance
MOST_ALLOWED = 0.25  # of all units: where more may be false, too many pass the gate one after the other
USUAL_SIZE = 20
NOBODY = 2**31 - 1  # a bar that nothing passes
ROUNDING = 1e-9
ANY_FALSE = 0.05  # the chance that a permuted target passes the gate of a list by false discovery rate


@dataclass(frozen=True)
class Listing:
    """Who is listed, in which order, and what permuted targets say of it.

    ``order`` are all units with any standing, best first: those set aside by their step, then the rest. ``expected`` is
    for each of them how many permuted features stand as high on average, ``q_values`` the estimated share of false ones
    among it and those before. ``frequencies``, ``bases`` and ``sizes`` say by which base and size it stands where it
    does.
    """

    listed: Bools
    order: Ints
    expected: Floats
    q_values: Floats
    frequencies: Floats
    bases: Sequence[str]
    sizes: Ints
    null_listed: Bools  # (P, units): what each permuted target lists at the last bar


class Standing:
    """The orders of all targets, the observed one first, as counts of halves."""

    def __init__(
        self,
        orders: Sequence[Mapping[str, Places]],
        sizes: Mapping[str, Sequence[int]],
        n_units: int,
        n_others: int = 0,
    ) -> None:
        self.orders = orders
        self.n_units = n_units
        self.n_others = n_others  # columns that are no units, but take places
        self.n_permuted = len(orders) - 1
        most = max(1, (n_units + n_others) // 3)  # more than a third of all is no choice
        self.ways = [(base, q) for base, several in sizes.items() for q in several if q <= most]
        for base, several in sizes.items():
            if not any(one == base for one, _ in self.ways):
                self.ways.append((base, min(most, min(several))))
        self.n_halves = len(next(iter(orders[0].values())))

    def listing(
        self, false: float | None, fdr: float | None, *, gate: float | None = GATE, last: float = LAST
    ) -> Listing:
        """The list with at most so many false features on average, or such a share of them.

        ``gate`` and ``last`` are the parts of the allowance of the two steps; without a gate there is one pass.
        """
        course = _Course(self)
        if false is not None:
            listed, last_bar = self._by_number(course, false, gate, last)
        else:
            listed, last_bar = self._by_rate(course, fdr or 0.0)
        aside, statistics, counts, steps = course.aside, course.statistics, course.counts, course.steps
        rest = np.flatnonzero(~aside & (counts[:, 0] > 0).any(axis=0))
        steps.append(self._standing(rest, statistics, counts))
        order, expected, frequencies, ways = (np.concatenate(parts) for parts in zip(*steps, strict=True))
        places = np.arange(1, len(order) + 1)
        q_values = np.minimum(1.0, np.minimum.accumulate((expected / places)[::-1])[::-1])
        return Listing(
            listed,
            order,
            expected,
            q_values,
            frequencies,
            [self.ways[way][0] for way in ways],
            np.array([self.ways[way][1] for way in ways], np.int64),
            statistics[1:] > last_bar,
        )

    def _by_number(self, course: _Course, false: float, gate: float | None, last: float) -> tuple[Bools, int]:
        """Who is listed with so many false ones allowed, and the last bar.

        The gate opens step by step, and what a smaller allowance lists on the way stays: a larger one lists no fewer.
        """
        listed = np.zeros(self.n_units, np.bool_)
        n_gates = 0
        if gate is not None:
            n_gates = max(1, self._so_many(gate * min(false, MOST_ALLOWED * self.n_units)))
            for passing in range(1, n_gates + 1):
                while course.goes_on(self._bar(course.statistics, passing)):
                    pass
                if passing < n_gates:  # the largest allowance with this gate
                    most = int(np.ceil(last / gate * (passing + 1) - ROUNDING)) - 1
                    listed |= course.listed(self._bar(course.statistics, most))
        bar = self._bar(course.statistics, self._so_many(last * false))
        return listed | course.listed(bar), bar

    def _by_rate(self, course: _Course, rate: float) -> tuple[Bools, int]:
        """Who is listed with such a share of false ones allowed, and the last bar."""
        at_first = self._rate_at_first(rate)
        # Where nothing may be listed at this rate, nothing is, whatever passes the gate.
        while (bar := self._rate_bar(course.statistics, course.aside, at_first, rate)) < NOBODY:
            if not course.goes_on(self._any_bar(course.statistics, rate)):
                break
        return course.listed(bar), bar

    def counts_for(self, n_listed: int) -> tuple[int, Ints, list[str]]:
        """How often each unit is among the best of the halves, for people: one number of best ones for all units.

        It is 20, or more where more are listed; with several bases a unit has the larger count, and that base.
        """
        sizes = sorted({size for _, size in self.ways})
        size = next((one for one in sizes if one >= max(USUAL_SIZE, n_listed)), sizes[-1])
        bases = list(dict.fromkeys(base for base, one in self.ways if one == size))
        counts = np.array([self.chosen(base, size).sum(axis=0) for base in bases])
        return size, counts.max(axis=0), [bases[best] for best in counts.argmax(axis=0)]

    def chosen(self, base: str, size: int, target: int = 0) -> Bools:
        """M x units: who is among the first of each half, for one target."""
        found = self.orders[target][base][:, :size]
        chosen = np.zeros((self.n_halves, self.n_units), np.bool_)
        rows, places = np.nonzero(found >= 0)
        chosen[rows, found[rows, places]] = True
        return chosen

    def bar_at_first(self, false: float) -> int:
        """The last bar while nothing is set aside."""
        return self._bar(self._at_first[0], self._so_many(LAST * false))

    def statistic_of(self, base: str, order: Places) -> Codes:
        """What units with another order of a base would have, by what all targets here do; nothing is set aside."""
        _, counts = self._at_first
        statistic = np.full(self.n_units, -1, np.int32)
        for (name, size), scale in zip(self.ways, self._scales(counts), strict=True):
            if name == base:
                found = np.bincount(order[:, :size][order[:, :size] >= 0], minlength=self.n_units)
                np.maximum(statistic, scale[found], out=statistic)
        return statistic

    @cached_property
    def _at_first(self) -> tuple[Codes, Codes]:
        """With nothing set aside, where every list begins."""
        return self._count(np.zeros(self.n_units, np.bool_))

    def _count(self, aside: Bools) -> tuple[Codes, Codes]:
        """Of all targets without the units set aside: (1 + P, units), and the counts behind it (ways, 1 + P, units).

        A statistic is the place of -log e(h) among all that occur, -1 for a unit set aside. The orders are those of the
        best units only. What is set aside leaves gaps mostly in those of the observed target, and when they run short,
        it has fewer places than the permuted ones have: the list gets shorter, never longer.
        """
        counts = np.zeros((len(self.ways), len(self.orders), self.n_units), np.min_scalar_type(self.n_halves))
        n_aside = int(aside.sum())
        gone = np.append(aside, [False, False])  # the last two are for places without a unit, -1 and -2
        for base in self.orders[0]:
            ways = [(way, size) for way, (name, size) in enumerate(self.ways) if name == base]
            reach = max(size for _, size in ways) + n_aside  # further places cannot count
            for target, orders in enumerate(self.orders):
                order = orders[base][:, :reach]
                here, unit = order != -1, order >= 0
                if n_aside:
                    here &= ~gone[order]
                place = np.cumsum(here, axis=1)
                unit &= here
                for way, size in ways:
                    counts[way, target] = np.bincount(order[unit & (place <= size)], minlength=self.n_units)
        statistics = np.full(counts.shape[1:], -1, np.int32)
        for counted, scale in zip(counts, self._scales(counts), strict=True):
            np.maximum(statistics, scale[counted], out=statistics)
        statistics[:, aside] = -1
        return statistics, counts

    def _scales(self, counts: Codes) -> Codes:
        """For each way and number of halves h the place of -log e(h) among all of them, (ways, M + 1)."""
        reached = np.array([_at_least(counted, self.n_halves) for counted in counts])
        return np.unique(-reached, return_inverse=True)[1].reshape(reached.shape).astype(np.int32)

    def _standing(self, units: Ints, statistics: Codes, counts: Codes) -> tuple[Ints, Floats, Floats, Ints]:
        """Units by falling statistic: their numbers, expected false ones, frequencies, and ways."""
        units = units[np.lexsort((units, -statistics[0, units]))]
        expected = _at_least(statistics[1:], statistics.max())[statistics[0, units]] / self.n_permuted
        reached = [_at_least(counted, self.n_halves)[counted[0, units]] for counted in counts]
        ways = np.argmin(reached, axis=0)
        return units, expected, counts[ways, 0, units] / self.n_halves, ways

    def _so_many(self, level: float) -> int:
        """A mean number per permuted target as a number of all of them together."""
        return int(level * self.n_permuted + ROUNDING)

    def _bar(self, statistics: Codes, most: int) -> int:
        """What at most so many units of all permuted targets pass; one fewer: the bar is itself the value of one."""
        return int(np.argmax(_at_least(statistics[1:]) <= max(0, most - 1))) - 1

    def _any_bar(self, statistics: Codes, rate: float) -> int:
        """What a target without any effect passes at all with a chance of half the rate, or one in twenty."""
        most = int(min(ANY_FALSE, rate / 2) * len(self.orders) + ROUNDING)
        return int(np.sort(statistics[1:].max(axis=1))[-most]) if most else NOBODY

    def _rate_bar(self, statistics: Codes, aside: Bools, at_first: float, rate: float) -> int:
        """What those listed by their estimated share of false ones pass.

        All units are taken as null in the estimate, and those set aside count as discoveries.
        """
        n_aside = int(aside.sum())
        found = _at_least(statistics[0], statistics.max()) + n_aside
        expected = _at_least(statistics[1:], statistics.max()) / self.n_permuted
        fitting = np.flatnonzero((expected <= (rate if n_aside else at_first) * found) & (found > n_aside))
        return int(statistics[0][statistics[0] >= fitting[0]].min()) - 1 if len(fitting) else NOBODY

    def _rate_at_first(self, rate: float) -> float:
        """How small the estimated share of false ones must be while nothing has been set aside.

        Where no unit has an effect, everything listed is false, and the rate is the chance that anything is listed. The
        smallest of many estimates is too small more often than that, above all where false ones come in bunches. So it
        must also be smaller than that of all but such a part of the permuted targets, each estimated by the others.
        """
        statistics, _ = self._at_first
        own = np.array([_at_least(target, statistics.max()) for target in statistics[1:]])
        shares = np.where(own > 0, (own.sum(axis=0) - own) / (self.n_permuted - 1) / np.maximum(own, 1), np.inf)
        most = int(rate * len(self.orders) + ROUNDING)
        return min(rate, float(np.nextafter(np.sort(shares.min(axis=1))[most - 1], 0.0))) if most else 0.0


class _Course:
    """What was set aside so far, step by step, and how the rest stands."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        self.aside = np.zeros(standing.n_units, np.bool_)
        self.steps: list[tuple[Ints, Floats, Floats, Ints]] = []
        self.statistics, self.counts = standing._at_first

    def goes_on(self, bar: int) -> bool:
        """Set aside what passes, and rank the rest again; False where nothing does."""
        passing = np.flatnonzero(self.statistics[0] > bar)
        if len(passing):
            self.steps.append(self.standing._standing(passing, self.statistics, self.counts))
            self.aside[passing] = True
            self.statistics, self.counts = self.standing._count(self.aside)
        return len(passing) > 0

    def listed(self, bar: int) -> Bools:
        """What was set aside, and what of the rest passes."""
        return np.asarray(self.aside | (self.statistics[0] > bar))


def _at_least(values: Codes, most: int | None = None) -> Ints:
    """How many of the values are at least 0, 1, ..., most, and 0 beyond that."""
    most = int(values.max(initial=0)) if most is None else int(most)
    counts = np.bincount(values[values >= 0].ravel(), minlength=most + 2)
    return np.asarray(np.cumsum(counts[::-1])[::-1])
