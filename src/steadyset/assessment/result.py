"""Assessment: what selectors chose on resamples of one data set, how well it predicts, and how steady it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.assessment.folder import RunFolder
from steadyset.errors import InputError
from steadyset.runner.cell import Cell
from steadyset.selections import Selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.inference import Comparison

CORE = 0.9
ALL_FAILED = "all runs failed"


class Assessment:
    """The result of `assess`; `Assessment.open(folder)` gives back a recorded one."""

    def __init__(self, settings: Mapping[str, Any], cells: Sequence[Cell], path: Path | None = None) -> None:
        self.settings = dict(settings)
        self.cells = tuple(sorted(cells, key=lambda cell: (cell.selector, cell.run)))
        self.path = path

    @classmethod
    def open(cls, path: str | Path) -> Assessment:
        """Read a run folder, finished or not; damage is told."""
        folder = RunFolder(Path(path))
        return cls(folder.settings(), list(folder.cells().values()), Path(path))

    @property
    def selectors(self) -> tuple[str, ...]:
        """The names of the selectors."""
        return tuple(self.settings["selectors"])

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(self.settings["features"])

    @cached_property
    def selections(self) -> dict[str, Selections]:
        """What each selector selected: the runs that came to a selection, labelled by their resample."""
        found = {}
        for index, name in enumerate(self.selectors):
            cells = [cell for cell in self.cells if cell.selector == index and cell.selected is not None]
            if cells:
                found[name] = _selections(cells, self.features)
        return found

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row a selector and run: number of features, scores on the left-out rows, seconds."""
        import pandas as pd

        scoring = self.settings["scoring"]
        return pd.DataFrame(
            [
                {
                    "selector": self.selectors[cell.selector],
                    "run": cell.run,
                    "label": cell.label,
                    "size": float("nan") if cell.selected is None else float(len(cell.selected)),
                    **{name: cell.scores.get(name, float("nan")) for name in scoring},
                    "fit_seconds": cell.fit_seconds,
                    "score_seconds": cell.score_seconds,
                }
                for cell in self.cells
            ],
            columns=["selector", "run", "label", "size", *scoring, "fit_seconds", "score_seconds"],
        )

    @property
    def failures(self) -> pd.DataFrame:
        """The runs without a selection or a score, and why."""
        import pandas as pd

        rows = [(self.selectors[c.selector], c.run, c.label, c.failure) for c in self.cells if c.failure]
        return pd.DataFrame(rows, columns=["selector", "run", "label", "reason"])

    @property
    def failed_selectors(self) -> dict[str, tuple[int, str]]:
        """The selectors of which no run came to a selection: how many runs, and why the first of them failed."""
        runs = {name: [cell for cell in self.cells if cell.selector == i] for i, name in enumerate(self.selectors)}
        return {
            name: (len(cells), cells[0].failure)
            for name, cells in runs.items()
            if cells and all(cell.selected is None for cell in cells)
        }

    def summary(self, *, measure: str = "nogueira", level: float = 0.95, similarity: Any = None) -> pd.DataFrame:
        """One row a selector: stability with its interval, mean scores and size, runs and failures.

        `verdict` puts the interval of the default measure into words: "excellent" means that the whole of it is.
        """
        import pandas as pd

        from steadyset.inference import confidence_interval
        from steadyset.measures.record import get_measure
        from steadyset.measures.scale import verdict

        has_words = get_measure(measure).name == "nogueira"

        rows = []
        for name in self.selectors:
            mine = self.scores[self.scores["selector"] == name]
            row: dict[str, Any] = {"selector": name, "runs": int(mine["size"].notna().sum())}
            sel = self.selections.get(name)
            if sel is not None and sel.n_runs > 1:
                interval = confidence_interval(sel, measure, level=level, similarity=similarity)
                row |= {"stability": interval.estimate, "low": interval.low, "high": interval.high}
            else:
                row |= {"stability": np.nan, "low": np.nan, "high": np.nan}
            if has_words:
                words = verdict(row["stability"], row["low"], row["high"])
                row["verdict"] = ALL_FAILED if name in self.failed_selectors else words
            row |= {score: float(mine[score].mean()) for score in self.settings["scoring"]}
            row |= {"size": float(mine["size"].mean()), "failures": int((self.failures["selector"] == name).sum())}
            rows.append(row)
        return pd.DataFrame(rows).set_index("selector")

    def stability_table(self, **options: Any) -> pd.DataFrame:
        """`stability_table` of every selector, one below the other."""
        import pandas as pd

        from steadyset.inference import stability_table

        tables = {name: stability_table(sel, **options) for name, sel in self.selections.items() if sel.n_runs > 1}
        if not tables:
            raise InputError("No selector has two runs or more with a selection; there is nothing to measure.")
        whole: pd.DataFrame = pd.concat(tables, names=["selector"])
        return whole

    def compare(self, **options: Any) -> Comparison:
        """Which selectors differ in stability: paired tests on the resamples that they share."""
        from steadyset.inference import compare

        several = {name: sel for name, sel in self.selections.items() if sel.n_runs > 1}
        if len(several) < 2:
            raise InputError("Comparing needs two selectors with two runs or more; fewer came to a selection.")
        return compare(several, **options)

    def core(self, threshold: float = CORE) -> dict[str, list[str]]:
        """The steady core of each selector: the features in at least this share of its runs, most frequent first."""
        return {
            name: [
                self.features[f] for f in np.argsort(-sel.frequencies, kind="stable") if sel.frequencies[f] >= threshold
            ]
            for name, sel in self.selections.items()
        }

    def __repr__(self) -> str:
        return f"Assessment({', '.join(self.selectors)}; {len(self.cells)} runs on {len(self.features)} features)"


def _selections(cells: Sequence[Cell], features: Sequence[str]) -> Selections:
    sets = [np.array(cell.selected, dtype=np.int64) for cell in cells]
    sel = Selections.from_sets(sets, features, labels=[cell.label for cell in cells])
    weights = [cell.weights for cell in cells]
    if any(row is None for row in weights):
        return sel
    return sel.with_weights([row for row in weights if row is not None])
