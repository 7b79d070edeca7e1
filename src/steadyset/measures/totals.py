"""The mean of a score over pairs of runs, with the policy for pairs that have none."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from steadyset.errors import UndefinedError
from steadyset.measures.options import Estimate, Options
from steadyset.measures.record import Measure
from steadyset.selections import Selections

IntArray = npt.NDArray[np.int64]
NAMED_RUNS = 5


class PairTotal:
    """The running mean of a pairwise score, and which kinds of pairs had none."""

    def __init__(self) -> None:
        self.sum, self.n, self.n_undefined = 0.0, 0, 0
        self.undefined_sizes: set[tuple[int, int]] = set()
        self.guilty: npt.NDArray[np.bool_] | None = None

    def add(self, scores: Any, n_pairs: IntArray, ki: IntArray, kj: IntArray) -> None:
        undefined = np.isnan(scores)
        self.n += int(n_pairs.sum())
        if undefined.any():
            self.n_undefined += int(n_pairs[undefined].sum())
            self.undefined_sizes.update(zip(ki[undefined].tolist(), kj[undefined].tolist(), strict=True))
            scores = np.where(undefined, 0.0, scores)
        self.sum += float(scores @ n_pairs)

    def add_table(self, scores: npt.NDArray[np.float64]) -> None:
        """All pairs i<j of a symmetric runs x runs table; a run without any score is why its pairs have none."""
        above = scores[np.triu_indices(len(scores), 1)]
        undefined = np.isnan(above)
        self.n, self.n_undefined, self.sum = len(above), int(undefined.sum()), float(above[~undefined].sum())
        self.guilty = np.asarray((np.isnan(scores) | np.eye(len(scores), dtype=bool)).all(axis=1))

    def add_runs(self, total: float, defined: npt.NDArray[np.bool_]) -> None:
        """All pairs at once: their sum over the runs that are defined."""
        M, n_defined = len(defined), int(defined.sum())
        self.n, self.sum = M * (M - 1) // 2, total
        self.n_undefined, self.guilty = self.n - n_defined * (n_defined - 1) // 2, ~defined

    def estimate(self, measure: Measure, selections: Selections, options: Options) -> Estimate:
        if self.n_undefined == 0:
            return Estimate(self.sum / self.n)
        note = self._note(measure, selections)
        if options.undefined == "raise":
            raise UndefinedError(f"{measure.name} is {note}.")
        if options.undefined == "nan":
            return Estimate(float("nan"), note=note)
        return Estimate((self.sum + float(options.undefined) * self.n_undefined) / self.n, note=note)

    def _note(self, measure: Measure, selections: Selections) -> str:
        pairs = "pairs" if measure.symmetric else "ordered pairs"
        why = f" ({measure.undefined})" if measure.undefined else ""
        return f"undefined for {self.n_undefined} of {self.n} {pairs}{why}{self._culprits(selections)}"

    def _culprits(self, selections: Selections) -> str:
        """The runs that have no score with any other; without such, sizes are the reason, not runs."""
        sizes = selections.sizes
        guilty = self.guilty if self.guilty is not None else self._guilty_by_size(sizes)
        runs = np.flatnonzero(guilty)
        if len(runs) == len(sizes) and (self.guilty is not None or sizes.min() == sizes.max()):
            return ""
        if len(runs) in (0, len(sizes)):
            return f": sizes range from {sizes.min()} to {sizes.max()}"
        names = [selections.labels[i] if selections.labels else str(i + 1) for i in runs[:NAMED_RUNS]]
        more = f" and {len(runs) - NAMED_RUNS} more" if len(runs) > NAMED_RUNS else ""
        return f": run{'s' if len(runs) > 1 else ''} {', '.join(names)}{more}"

    def _guilty_by_size(self, sizes: IntArray) -> npt.NDArray[np.bool_]:
        """The runs whose size is undefined with every other size."""
        present = set(sizes.tolist())
        either = self.undefined_sizes | {(b, a) for a, b in self.undefined_sizes}
        return np.isin(sizes, [a for a in present if all((a, b) in either for b in present if a != b)])
