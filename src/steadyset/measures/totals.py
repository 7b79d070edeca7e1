"""The mean of a score over pairs of runs, with the policy for pairs that have none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from steadyset.foundation.errors import UndefinedError
from steadyset.kernels.arrays import Floats, Ints
from steadyset.measures.options import Estimate, Options, sizes_in_words
from steadyset.measures.record import Measure
from steadyset.selections import Selections

Score = Callable[[Ints, Ints, Ints], Floats]
NAMED_RUNS = 5
MOST_SIZES = 500  # with more distinct sizes a note does not look for single runs at fault


class PairTotal:
    """The running mean of a pairwise score, and how many pairs had none."""

    def __init__(self) -> None:
        self.sum, self.n, self.n_undefined = 0.0, 0, 0

    def add(self, scores: Floats, n_pairs: Ints) -> None:
        """Scores of kinds of pairs, each as often as there are pairs of the kind."""
        add_rows([self], scores[None], n_pairs)

    def estimate(self, measure: Measure, score: Score, selections: Selections, options: Options) -> Estimate:
        """The mean of a score that is undefined because of the sizes of runs; a note names those at fault."""
        return self.settled(measure, partial(_culprits, score, selections), options)

    def settled(self, measure: Measure, culprits: Callable[[], str], options: Options) -> Estimate:
        """The mean, by the policy for undefined pairs; their note ends with the `culprits`."""
        if self.n_undefined == 0:
            return Estimate(self.sum / self.n)
        pairs = "pairs" if measure.symmetric else "ordered pairs"
        why = f" ({measure.undefined})" if measure.undefined else ""
        note = f"undefined for {self.n_undefined} of {self.n} {pairs}{why}{culprits()}"
        if options.undefined == "raise":
            raise UndefinedError(f"{measure.name} is {note}.")
        if options.undefined == "nan":
            return Estimate(float("nan"), note=note)
        return Estimate((self.sum + float(options.undefined) * self.n_undefined) / self.n, note=note)


def add_rows(totals: Sequence[PairTotal], scores: Floats, n_pairs: Ints) -> None:
    """Many scores of the same kinds of pairs at once: row w of the table is added to totals[w]."""
    n, weighed = int(n_pairs.sum()), scores * n_pairs  # a BLAS product would start threads
    sums = weighed.sum(axis=1)
    for w in np.flatnonzero(np.isnan(sums)).tolist():
        undefined = np.isnan(scores[w])
        totals[w].n_undefined += int(n_pairs[undefined].sum())
        sums[w] = np.where(undefined, 0.0, weighed[w]).sum()
    for total, more in zip(totals, sums.tolist(), strict=True):
        total.sum += more
        total.n += n


def _culprits(score: Score, selections: Selections) -> str:
    """The runs that the undefined pairs have in common; without such, the sizes are the reason, not runs."""
    sizes, n_runs = np.unique(selections.sizes, return_counts=True)
    if len(sizes) == 1:
        return ""
    guilty = _guilty_sizes(score, sizes, n_runs, selections.n_features) if len(sizes) <= MOST_SIZES else sizes[:0]
    if len(guilty) == 0:
        return f": {sizes_in_words(sizes)}"
    return named_runs(np.flatnonzero(np.isin(selections.sizes, guilty)), selections)


def named_runs(runs: Ints, selections: Selections) -> str:
    """The end of a note that names runs."""
    names = [selections.labels[i] if selections.labels else str(i + 1) for i in runs[:NAMED_RUNS]]
    more = f" and {len(runs) - NAMED_RUNS} more" if len(runs) > NAMED_RUNS else ""
    return f": run{'s' if len(runs) > 1 else ''} {', '.join(names)}{more}"


def _guilty_sizes(score: Score, sizes: Ints, n_runs: Ints, d: int) -> Ints:
    """The sizes without a score even with themselves, when every undefined pair has one of them; else none."""
    if not np.isnan(score(np.maximum(0, 2 * sizes - d), sizes, sizes)).any():
        return sizes[:0]
    a, b = (x.ravel() for x in np.meshgrid(sizes, sizes, indexing="ij"))
    undefined = np.isnan(score(np.maximum(0, a + b - d), a, b)).reshape(len(sizes), -1)
    undefined |= undefined.T
    guilty = undefined.diagonal().copy()
    np.fill_diagonal(undefined, guilty & (n_runs > 1))
    guilty &= undefined.any(axis=1)
    explained = not undefined[np.ix_(~guilty, ~guilty)].any()
    return sizes[guilty] if explained else sizes[:0]
