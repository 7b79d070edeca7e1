"""Measures of how often each feature, or each whole set, is selected, over all runs at once.

levels[..., h] is the number of features that exactly h of the M runs selected (h = 0..M); leading axes are collections.
sizes[..., i] has the same leading axes, or none where all collections have the same sizes.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from steadyset.foundation.arguments import wrong_argument
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.chance import expected_of_frequencies, scaled, simulated_expectation, simulated_values
from steadyset.measures.evaluate import Estimate, Family, NullExpectation, Options, settle
from steadyset.measures.record import INFINITY, Measure, measure_of, ratio
from steadyset.selections import MOST_COUNTED, Selections, used_features

LARGEST_WHOLE = 1 << 53  # up to this a float holds every whole number


@measure_of(
    "frequency", "SMN", bounds=(-1, 1), corrected=True, equal_sizes_only=True, linear=True, batched=True, floor=0.0
)
def nogueira_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """One minus the mean variance of the selection, relative to that of random selection: Fleiss' kappa.

    Formula: 1 - [mean_f M/(M-1) p_f (1 - p_f)] / [(k̄/d)(1 - k̄/d)]
    Undefined: all sets are empty or all are full
    Reference: Nogueira, Sechidis and Brown 2018
    """
    M = sizes.shape[-1]
    h = np.arange(M + 1, dtype=np.int64)
    (q,) = _exact(sizes, M * M * d, sizes.sum(axis=-1))
    expected = np.asarray((M - 1) * q * (M * d - q) / (M * d), dtype=np.float64)
    return 1 - ratio(levels @ (h * (M - h)), expected)


@measure_of("frequency", "SMS", "CWrel", bounds=(0, 1), linear=True, batched=True)
def somol_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """Relative weighted consistency, scaled between the least and the greatest consistency that q selections allow.

    Formula: [d (q - D + sum_f h_f (h_f - 1)) - q² + D²] / [d (H² + M (q - H) - D) - q² + D²], D = q mod d, H = q mod M
    Undefined: at most one selection is made or missing (q <= 1 or q >= dM - 1)
    Reference: Somol and Novovicova 2010
    """
    M = sizes.shape[-1]
    h = np.arange(M + 1, dtype=np.int64)
    q, consistency = _exact(sizes, 3 * M * d, sizes.sum(axis=-1), levels @ (h * (h - 1)))
    D, H = q % d, q % M
    least, most = q - D, H * H + M * (q - H) - D
    return ratio(d * (least + consistency) - q * q + D * D, d * most - q * q + D * D)


@measure_of("frequency", "SME", bounds=(0, 1), linear=True, batched=True)
def novovicova_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """Consistency by entropy: how concentrated the selections are on few features.

    Formula: sum_f h_f log2 h_f / (q log2 M)
    Undefined: nothing is selected
    Reference: Novovicova, Somol and Pudil 2009
    """
    M = sizes.shape[-1]
    h = np.arange(1, M + 1, dtype=np.float64)
    chosen, terms = levels[..., 1:], h * np.log2(h)
    # How a product of matrices rounds a row depends on the other rows: of other sizes, they must not matter.
    summed = chosen @ terms if sizes.ndim == 1 else (chosen * terms).sum(axis=-1)
    return ratio(summed, sizes.sum(axis=-1) * np.log2(M))


def davis_maximum(n_runs: int, n_features: int, *, alpha: float = 0.0) -> float:
    """One feature in every run, or in fewer than half of them (then the median size, and the penalty, is 0)."""
    return max(1 - alpha / n_features, (n_runs - 1) // 2 / n_runs)


@measure_of(
    "frequency", "SMD-alpha", "SMD-0", bounds=(0, 1), batched=True, params={"alpha": 0.0}, maximum=davis_maximum
)
def davis_score(levels: Ints, sizes: Ints, d: int, *, alpha: float = 0.0) -> Floats:
    """Mean frequency of the features ever selected, less a penalty on the typical size.

    Parameters
    ----------
    levels : array of int
        The number of features that exactly h runs selected, for each h.
    sizes : array of int
        The sizes of the sets.
    d : int
        The number of features.
    alpha : float, default=0.0
        The weight of the penalty on the median size, at least 0.

    Formula: max(0, sum_f p_f / |union| - alpha median(k_i) / d)
    Undefined: nothing is selected
    Reference: Davis et al. 2006
    """
    if not alpha >= 0:
        raise wrong_argument("alpha", "a number of at least 0", alpha)
    union = levels[..., 1:].sum(axis=-1)
    penalty = alpha * np.median(sizes, axis=-1) / d if alpha else 0.0
    return np.asarray(np.maximum(0.0, ratio(sizes.sum(axis=-1), sizes.shape[-1] * union) - penalty))


@measure_of("frequency", bounds=(0, 1), linear=True, batched=True)
def goh_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """Mean frequency over all features: the mean share of the features that a run selects.

    Formula: mean_f p_f
    Undefined: never
    Reference: Goh and Wong 2016
    """
    return np.full(levels.shape[:-1], sizes.sum(axis=-1) / (sizes.shape[-1] * d))


@measure_of("frequency", bounds=(0, 1), constant_size=True, linear=True, batched=True)
def guzman_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """Entropy of the frequencies relative to that of random selection, for sets of one size k.

    Formula: 1 - [mean_f p_f ln p_f] / [(k/d) ln(k/d)]
    Undefined: the sizes differ, or k is 0 or d
    Reference: Guzman-Martinez and Alaiz-Rodriguez 2011
    """
    k, M = _one_size(sizes), sizes.shape[-1]
    p = np.arange(1, M + 1) / M
    at_random = np.where(k > 0, k * np.log(np.maximum(k, 1) / d), 0.0)
    return 1 - ratio(-(levels[..., 1:] @ (p * np.log(p))), -at_random)


@measure_of("frequency", bounds=(0, 1), constant_size=True, linear=True, batched=True)
def lausser_score(levels: Ints, sizes: Ints, d: int) -> Floats:
    """Mean of the squared frequencies, for sets of one size k.

    Formula: (1/k) sum_f p_f²
    Undefined: the sizes differ, or k is 0
    Reference: Lausser et al. 2013
    """
    M = sizes.shape[-1]
    h = np.arange(M + 1, dtype=np.int64)
    return ratio(levels @ (h * h), _one_size(sizes) * M**2)


@measure_of("patterns", bounds=(0, INFINITY), constant_size=True, higher_is_steadier=False)
def krizek_score(multiplicities: Ints, sizes: Ints, d: int) -> Floats:
    """Entropy in bits of the distribution of the distinct sets, for sets of one size. Lower is steadier.

    Formula: - sum over the distinct sets of P log2 P
    Undefined: the sizes differ
    Reference: Krizek, Kittler and Hlavac 2007
    """
    if _one_size(sizes) < 0:
        return np.asarray(np.nan)
    share = multiplicities / multiplicities.sum()
    return np.asarray(np.sum(share * np.log2(1 / share)))


def _exact(sizes: Ints, most: int, *numbers: Any) -> tuple[Any, ...]:
    """Whole numbers whose products stay below `most` times the selections made; of any length where floats do not."""
    if most * int(sizes.sum(axis=-1).max()) < LARGEST_WHOLE:
        return numbers
    return tuple(np.asarray(number).astype(object) for number in numbers)


def _one_size(sizes: Ints) -> Ints:
    """The size that all runs of a collection have; -1 where they have none in common."""
    first = sizes[..., 0]
    return np.where((sizes == first[..., None]).all(axis=-1), first, -1)


@dataclass(frozen=True, eq=False)
class Collections:
    """Collections of M sets out of d features: masks has one row per collection and one column per run."""

    masks: Ints
    n_features: int

    @property
    def n_runs(self) -> int:
        return int(self.masks.shape[1])

    @cached_property
    def sizes(self) -> Ints:
        return n_members(self.masks)

    @cached_property
    def shared(self) -> Ints:
        """r_ij of the pairs i<j, one row per collection."""
        return pairwise_shared(self.masks)

    @cached_property
    def levels(self) -> Ints:
        """levels[c, h]: how many features exactly h runs of collection c select."""
        n, M = self.masks.shape
        counts = bits(self.masks, self.n_features).sum(axis=1)
        return np.bincount((counts + np.arange(n)[:, None] * (M + 1)).ravel(), minlength=n * (M + 1)).reshape(n, -1)


def n_members(masks: Ints) -> Ints:
    """The sizes of sets."""
    return np.asarray(np.bitwise_count(masks), dtype=np.int64)


def pairwise_shared(masks: Ints) -> Ints:
    """r_ij of the pairs i<j of each collection."""
    i, j = np.triu_indices(masks.shape[1], 1)
    return n_members(masks[:, i] & masks[:, j])


def bits(masks: Ints, d: int) -> Ints:
    """The 0/1 array with one more axis, the features."""
    return masks[..., None] >> np.arange(d) & 1


CELLS_A_BLOCK = 1 << 22
CELLS_A_CALL = 1 << 13  # of a table of sizes that a score reads in the time of one more call


class Frequency(Family):
    """Functions of the levels, how many features exactly h runs selected, and of the sizes."""

    name = "frequency"
    correctable = True

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        M, d, sizes = selections.n_runs, selections.n_features, selections.sizes
        levels, results = levels_of(selections), []
        for measure in measures:
            value = float(measure.score(levels, sizes, d, **measure.params))
            error, note = 0.0, ""
            if options.corrects and self.can_correct(measure) and not np.isnan(value):
                largest = measure.largest(M, d)
                exact = expected_of_frequencies(measure, sizes, d)
                if exact is not None:
                    expected = exact
                elif options.expectation == "monte_carlo":
                    expected, se = simulated_expectation(measure, sizes, d, options.n_draws, options.seed())
                    error = abs(value - largest) / (largest - expected) ** 2 * se if largest > expected else 0.0
                else:
                    expected, largest = 0.0, 1.0
                    note = 'not corrected: more than two runs need expectation="monte_carlo"'
                value = float(scaled(value, expected, largest))
            results.append(settle(measure, value, error, note, options, sizes))
        return results

    def without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """A run takes one selection of each of its features with it; corrected measures are evaluated M times."""
        few = (len(np.unique(selections.sizes)) - 1) * CELLS_A_CALL <= selections.n_runs**2
        evaluated = [options.corrects and self.can_correct(measure) for measure in measures]
        together = [measure.batched and not few for measure in measures]
        without = np.empty((len(measures), selections.n_runs))
        for way in dict.fromkeys(zip(evaluated, together, strict=True)):
            some = [m for m in range(len(measures)) if (evaluated[m], together[m]) == way]
            records = [measures[m] for m in some]
            if way[0]:
                without[some] = self.evaluated_without(selections, records, options)
            else:
                without[some] = options.filled(_without(selections, records, together=way[1]))
        return without

    def expectation(
        self, selections: Selections, measure: Measure, options: Options, value: float
    ) -> NullExpectation | None:
        """Exact for a linear score and for two runs."""
        exact = expected_of_frequencies(measure, selections.sizes, selections.n_features)
        return None if exact is None else NullExpectation(exact)

    def drawn_by_chance(self, selections: Selections, measure: Measure, options: Options) -> Floats | None:
        """By drawing levels; a value that is corrected for chance takes more than these."""
        if options.corrects and self.can_correct(measure):
            return None
        return simulated_values(measure, selections.sizes, selections.n_features, options.n_draws, options.seed())

    def values(self, measure: Measure, collections: Collections) -> Floats:
        """Collections with the same sizes in one call."""
        sizes, group = np.unique(collections.sizes, axis=0, return_inverse=True)
        values = np.empty(len(collections.masks))
        for g, row in enumerate(sizes):
            chosen = group.ravel() == g
            values[chosen] = measure.score(collections.levels[chosen], row, collections.n_features, **measure.params)
        return values


def _without(selections: Selections, measures: Sequence[Measure], *, together: bool) -> Floats:
    """Leave-one-out values with as many runs as fit in one call of each score: any runs together, or those of one size.

    Whichever run of one size is left out, the other sizes are the same, so that a score needs no sizes by run.
    """
    M, sizes, levels = selections.n_runs, selections.sizes, levels_of(selections)
    without, others, step = np.empty((len(measures), M)), np.arange(M - 1), max(1, CELLS_A_BLOCK // M)
    for alike in [np.arange(M)] if together else [np.flatnonzero(sizes == size) for size in np.unique(sizes)]:
        for start in range(0, len(alike), step):
            runs = alike[start : start + step]
            left = levels_without(selections, levels, runs)
            sizes_left = sizes[others + (others >= runs[:, None])] if together else np.delete(sizes, alike[0])
            for m, measure in enumerate(measures):
                without[m, runs] = measure.score(left, sizes_left, selections.n_features, **measure.params)
    return without


def levels_of(selections: Selections) -> Ints:
    """levels[h]: how many features exactly h runs selected, h = 0..M."""
    _, counts = used_features(selections)
    levels = np.bincount(counts, minlength=selections.n_runs + 1)
    levels[0] = selections.n_features - len(counts)
    return levels


def levels_without(selections: Selections, levels: Ints, runs: Ints) -> Ints:
    """The levels without each of some runs: left[a, h] features were selected by exactly h runs other than runs[a]."""
    M, starts = selections.n_runs, selections.indptr.tolist()
    chosen = np.concatenate([selections.indices[starts[i] : starts[i + 1]] for i in runs.tolist()])
    if selections.n_features <= MOST_COUNTED:
        times = selections.counts[chosen]
    else:
        used, counts = used_features(selections)
        times = counts[np.searchsorted(used, chosen)]
    cells = np.repeat(np.arange(len(runs)) * (M + 1), selections.sizes[runs]) + times
    own = np.bincount(cells, minlength=len(runs) * (M + 1)).reshape(-1, M + 1)
    left = levels[:-1] - own[:, :-1]
    left += own[:, 1:]
    return left


class Patterns(Family):
    """Functions of how often each distinct set occurs."""

    name = "patterns"

    def evaluate(self, selections: Selections, measures: Sequence[Measure], options: Options) -> list[Estimate]:
        times, sizes, d = np.bincount(distinct_sets(selections)), selections.sizes, selections.n_features
        return [settle(m, pattern_score(m, times, sizes, d), 0.0, "", options, sizes) for m in measures]

    def without(self, selections: Selections, measures: Sequence[Measure], options: Options) -> Floats:
        """A set loses one occurrence. Runs of one size whose sets occur equally often have the same value."""
        sizes, kinds = selections.sizes, distinct_sets(selections)
        times = np.bincount(kinds)
        _, first, place = np.unique(sizes * (len(sizes) + 1) + times[kinds], return_index=True, return_inverse=True)
        values = np.empty((len(measures), len(first)))
        for a, run in enumerate(first):
            left, others = times.copy(), np.delete(sizes, run)
            left[kinds[run]] -= 1
            values[:, a] = [pattern_score(measure, left, others, selections.n_features) for measure in measures]
        return options.filled(values)[:, place]

    def values(self, measure: Measure, collections: Collections) -> Floats:
        """Collections whose sets occur equally often and have the same sizes share one call."""
        seen: dict[tuple[bytes, bytes], float] = {}
        keys = []
        for row, sizes in zip(collections.masks, collections.sizes, strict=True):
            multiplicities = np.sort(np.unique(row, return_counts=True)[1])
            keys.append((multiplicities.tobytes(), sizes.tobytes()))
            if keys[-1] not in seen:
                score = measure.score(multiplicities, sizes, collections.n_features, **measure.params)
                seen[keys[-1]] = float(score)
        return np.array([seen[key] for key in keys])


def distinct_sets(selections: Selections) -> Ints:
    """The number of the set that each run selected, counted by first appearance."""
    seen: dict[bytes, int] = {}
    members = selections.indices.tobytes()
    bounds = (selections.indptr * selections.indices.itemsize).tolist()
    rows = (members[start:end] for start, end in itertools.pairwise(bounds))
    return np.array([seen.setdefault(row, len(seen)) for row in rows], dtype=np.int64)


def pattern_score(measure: Measure, times: Ints, sizes: Ints, d: int) -> float:
    """The score of sets that occur this often; sorted, so that the order of runs changes nothing."""
    return float(measure.score(np.sort(times[times > 0]), sizes, d, **measure.params))
