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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np

from steadyset.kernels.arrays import Bools, Codes, Floats, Ints, Places

GATE, LAST = 0.1, 0.9  # of the allowance
MOST_ALLOWED = 0.25  # of all units: where more may be false, too many pass the gate one after the other
USUAL_SIZE = 20
NOBODY = 2**31 - 1  # a bar that nothing passes
ROUNDING = 1e-9
KEPT = 1 << 19  # counts
SHORT = 0.5  # of its places: a way with fewer left is left out
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
    null_counts: Ints  # (P,): how many units each permuted target lists at the last bar
    null_listed: Callable[[int], Bools]  # which these are, by the number of the target


@dataclass(frozen=True)
class _Counted:
    """How units stand while some are set aside: of permuted targets only how many reach what, whatever their number.

    A statistic is the place of -log e(h) among all that occur, -1 for a unit set aside.
    """

    aside: Bools
    lasting: Bools  # (ways,): of which the observed target has places left
    counts: Codes  # (ways, units) of the observed target: in how many halves a unit is
    statistics: Codes  # (units,) of it
    reached: Ints  # (ways, M + 2): how many units of all targets are in at least so many halves
    scales: Codes  # (ways, M + 2): the statistic of each number of halves
    null: Codes  # (P, places): how many units of each permuted target have at least that statistic

    @property
    def null_total(self) -> Ints:
        return np.asarray(self.null.sum(axis=0, dtype=np.int64))


class Standing:
    """The orders of all targets, the observed one first, as counts of halves.

    Orders are read one target at a time, so that they may lie in a file.
    """

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
        self.n_halves = len(orders[0][self.ways[0][0]])

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
        now, steps = course.now, course.steps
        rest = np.flatnonzero(~now.aside & (listed | (now.counts > 0).any(axis=0)))
        steps.append(self._standing(rest, now))
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
            now.null[:, min(last_bar + 1, now.null.shape[1] - 1)].astype(np.int64),
            partial(self._null_listed, now, last_bar),
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
                while course.goes_on(self._bar(course.now, passing)):
                    pass
                if passing < n_gates:  # the largest allowance with this gate
                    most = int(np.ceil(last / gate * (passing + 1) - ROUNDING)) - 1
                    listed |= course.listed(self._bar(course.now, most))
        bar = self._bar(course.now, self._so_many(last * false))
        return listed | course.listed(bar), bar

    def _by_rate(self, course: _Course, rate: float) -> tuple[Bools, int]:
        """Who is listed with such a share of false ones allowed, and the last bar."""
        at_first = self._rate_at_first(rate)
        # Where nothing may be listed at this rate, nothing is, whatever passes the gate.
        while (bar := self._rate_bar(course.now, at_first, rate)) < NOBODY:
            if not course.goes_on(self._any_bar(course.now, rate)):
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
        return self._bar(self._at_first, self._so_many(LAST * false))

    def statistic_of(self, base: str, order: Places) -> Codes:
        """What units with another order of a base would have, by what all targets here do; nothing is set aside."""
        statistic = np.full(self.n_units, -1, np.int32)
        for (name, size), scale in zip(self.ways, self._at_first.scales, strict=True):
            if name == base:
                found = np.bincount(order[:, :size][order[:, :size] >= 0], minlength=self.n_units)
                np.maximum(statistic, scale[found], out=statistic)
        return statistic

    @cached_property
    def _at_first(self) -> _Counted:
        """With nothing set aside, where every list begins."""
        return self._count(np.zeros(self.n_units, np.bool_))

    def _count(self, aside: Bools) -> _Counted:
        """How units stand without those set aside: the targets are counted twice, or kept where that takes no room."""
        lasting = self._lasting(aside)
        counts_of: Callable[[int], Codes] = partial(self._counts, aside=aside, lasting=lasting)
        if len(self.ways) * len(self.orders) * self.n_units <= KEPT:
            counts_of = cache(counts_of)
        reached = np.zeros((len(self.ways), self.n_halves + 2), np.int64)
        for target in range(len(self.orders)):
            reached += [_at_least(counted, self.n_halves) for counted in counts_of(target)]
        scales = np.unique(-reached, return_inverse=True)[1].reshape(reached.shape).astype(np.int32)
        null = np.empty((self.n_permuted, int(scales.max()) + 2), np.int32)
        for target in range(1, len(self.orders)):
            null[target - 1] = _at_least(_statistics(counts_of(target), scales, aside), scales.max())
        counts = counts_of(0)
        return _Counted(aside, lasting, counts, _statistics(counts, scales, aside), reached, scales, null)

    def _lasting(self, aside: Bools) -> Bools:
        """Of which ways the observed target has half of its places left, or more.

        The orders are those of the best units only. What is set aside leaves gaps mostly in those of the observed
        target, and when they run short, it has fewer places than the permuted ones have, and the list gets shorter. A
        way that shows next to nothing of the observed target any more would only raise what permuted ones reach.
        """
        return np.asarray(self._places(aside) >= SHORT * self._places(np.zeros_like(aside)))

    def _places(self, aside: Bools) -> Ints:
        """(ways,): how many places the halves of the observed target have without what is set aside."""
        gone = np.append(aside, [False, True])  # the last two are for places of other columns, -2, and for none, -1
        left = {base: (~gone[order]).sum(axis=1) for base, order in self.orders[0].items()}
        return np.array([np.minimum(left[base], size).sum() for base, size in self.ways])

    def _counts(self, target: int, aside: Bools, lasting: Bools) -> Codes:
        """(ways, units): in how many halves of a target each unit is among the first, without those set aside.

        Ways that do not last count nothing, for all targets alike.
        """
        counts = np.zeros((len(self.ways), self.n_units), np.min_scalar_type(self.n_halves))
        n_aside = int(aside.sum())
        gone = np.append(aside, [False, False])  # the last two are for places without a unit, -1 and -2
        orders = self.orders[target]
        for base in dict.fromkeys(name for name, _ in self.ways):
            ways = [(way, size) for way, (name, size) in enumerate(self.ways) if name == base]
            reach = max(size for _, size in ways) + n_aside  # further places cannot count
            order = orders[base][:, :reach]
            here, unit = order != -1, order >= 0
            if n_aside:
                here &= ~gone[order]
            place = np.cumsum(here, axis=1)
            unit &= here
            for way, size in (one for one in ways if lasting[one[0]]):
                counts[way] = np.bincount(order[unit & (place <= size)], minlength=self.n_units)
        return counts

    def _null_listed(self, now: _Counted, bar: int, target: int) -> Bools:
        counts = self._counts(target, now.aside, now.lasting)
        return np.asarray(_statistics(counts, now.scales, now.aside) > bar)

    def _standing(self, units: Ints, now: _Counted) -> tuple[Ints, Floats, Floats, Ints]:
        """Units by falling statistic: their numbers, expected false ones, frequencies, and ways."""
        units = units[np.lexsort((units, -now.statistics[units]))]
        expected = now.null_total[now.statistics[units]] / self.n_permuted
        ways = np.argmin([reached[counted[units]] for reached, counted in zip(now.reached, now.counts, strict=True)], 0)
        return units, expected, now.counts[ways, units] / self.n_halves, ways

    def _so_many(self, level: float) -> int:
        """A mean number per permuted target as a number of all of them together."""
        return int(level * self.n_permuted + ROUNDING)

    def _bar(self, now: _Counted, most: int) -> int:
        """What at most so many units of all permuted targets pass; one fewer: the bar is itself the value of one."""
        return int(np.argmax(now.null_total <= max(0, most - 1))) - 1

    def _any_bar(self, now: _Counted, rate: float) -> int:
        """What a target without any effect passes at all with a chance of half the rate, or one in twenty."""
        most = int(min(ANY_FALSE, rate / 2) * len(self.orders) + ROUNDING)
        return int(np.sort((now.null > 0).sum(axis=1) - 1)[-most]) if most else NOBODY

    def _rate_bar(self, now: _Counted, at_first: float, rate: float) -> int:
        """What those listed by their estimated share of false ones pass.

        All units are taken as null in the estimate, and those set aside count as discoveries.
        """
        n_aside = int(now.aside.sum())
        found = _at_least(now.statistics, now.scales.max()) + n_aside
        expected = now.null_total / self.n_permuted
        fitting = np.flatnonzero((expected <= (rate if n_aside else at_first) * found) & (found > n_aside))
        return int(now.statistics[now.statistics >= fitting[0]].min()) - 1 if len(fitting) else NOBODY

    def _rate_at_first(self, rate: float) -> float:
        """How small the estimated share of false ones must be while nothing has been set aside.

        Where no unit has an effect, everything listed is false, and the rate is the chance that anything is listed. The
        smallest of many estimates is too small more often than that, above all where false ones come in bunches. So it
        must also be smaller than that of all but such a part of the permuted targets, each estimated by the others.
        """
        own = self._at_first.null
        shares = np.where(own > 0, (own.sum(axis=0) - own) / (self.n_permuted - 1) / np.maximum(own, 1), np.inf)
        most = int(rate * len(self.orders) + ROUNDING)
        return min(rate, float(np.nextafter(np.sort(shares.min(axis=1))[most - 1], 0.0))) if most else 0.0


class _Course:
    """What was set aside so far, step by step, and how the rest stands."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        self.steps: list[tuple[Ints, Floats, Floats, Ints]] = []
        self.now = standing._at_first

    def goes_on(self, bar: int) -> bool:
        """Set aside what passes, and rank the rest again; False where nothing does."""
        passing = self.now.statistics > bar
        if passing.any():
            self.steps.append(self.standing._standing(np.flatnonzero(passing), self.now))
            self.now = self.standing._count(self.now.aside | passing)
        return bool(passing.any())

    def listed(self, bar: int) -> Bools:
        """What was set aside, and what of the rest passes."""
        return np.asarray(self.now.aside | (self.now.statistics > bar))


def _statistics(counts: Codes, scales: Codes, aside: Bools) -> Codes:
    """The largest of all ways, for each unit."""
    found = np.max([scale[counted] for scale, counted in zip(scales, counts, strict=True)], axis=0)
    return np.where(aside, np.int32(-1), found)


def _at_least(values: Codes, most: int) -> Ints:
    """How many of the values are at least 0, 1, ..., most, and 0 beyond that."""
    counts = np.bincount(values[values >= 0], minlength=int(most) + 2)
    return np.asarray(np.cumsum(counts[::-1])[::-1])
