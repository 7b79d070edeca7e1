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

    def add(self, scores: Any, n_pairs: IntArray, ki: IntArray, kj: IntArray) -> None:
        undefined = np.isnan(scores)
        self.n += int(n_pairs.sum())
        if undefined.any():
            self.n_undefined += int(n_pairs[undefined].sum())
            self.undefined_sizes.update(zip(ki[undefined].tolist(), kj[undefined].tolist(), strict=True))
            scores = np.where(undefined, 0.0, scores)
        self.sum += float(scores @ n_pairs)

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
        """The runs whose size is undefined with every other size; without such, sizes are the reason, not runs."""
        present = set(selections.sizes.tolist())
        if len(present) == 1:
            return ""
        either = self.undefined_sizes | {(b, a) for a, b in self.undefined_sizes}
        guilty = [a for a in present if all((a, b) in either for b in present if a != b)]
        if not guilty or len(guilty) == len(present):
            return f": sizes range from {min(present)} to {max(present)}"
        runs = np.flatnonzero(np.isin(selections.sizes, guilty))
        names = [selections.labels[i] if selections.labels else str(i + 1) for i in runs[:NAMED_RUNS]]
        more = f" and {len(runs) - NAMED_RUNS} more" if len(runs) > NAMED_RUNS else ""
        return f": run{'s' if len(runs) > 1 else ''} {', '.join(names)}{more}"
