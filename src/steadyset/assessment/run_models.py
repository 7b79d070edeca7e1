"""What the models of the runs of an assessment say: their predictions for the same rows, and their coefficients."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyset.assessment.request import is_bootstrapped
from steadyset.foundation.arguments import LEVEL, check_choice, check_level
from steadyset.foundation.errors import Argument, InputError
from steadyset.runner.run import EVERY_ROW, Cell
from steadyset.tasks import TASKS
from steadyset.tasks.record import N_TENTHS

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.inference.models import Coefficient, PredictionSpread
    from steadyset.kernels.arrays import Floats


class RunModels:
    """The runs of an assessment with the fits on all rows (`on_all_rows`), and whether what they fit holds."""

    def __init__(self, settings: Mapping[str, Any], cells: Sequence[Cell]) -> None:
        self.settings = dict(settings)
        every = sorted(cells, key=lambda cell: (cell.selector, cell.run))
        self.cells = tuple(cell for cell in every if cell.run != EVERY_ROW)
        self.on_all_rows = {self.selectors[cell.selector]: cell for cell in every if cell.run == EVERY_ROW}

    @property
    def selectors(self) -> tuple[str, ...]:
        """The names of the selectors."""
        return tuple(self.settings["selectors"])

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(self.settings["features"])

    def cells_of(self, selector: str) -> list[Cell]:
        """The runs of one selector.

        Parameters
        ----------
        selector : str
            Its name.

        Returns
        -------
        list of Cell
            What each run selected, its scores, seconds, warnings and why it failed.
        """
        index = self.selectors.index(selector)
        return [cell for cell in self.cells if cell.selector == index]

    def prediction_stability(self, *, by: str = "selector", level: float = LEVEL) -> pd.DataFrame:
        """How far the predictions of the runs' models for the same rows lie from those of the model on all rows.

        It needs an assessment with ``execution={"predictions": True}``.

        Parameters
        ----------
        by : str, default="selector"
            "selector" has one row per selector, "row" one per selector and row of the data, and "tenth" the calibration
            of each run's model on all rows.
        level : float, default=0.95
            The share of the runs that the range of a row holds.

        Returns
        -------
        pandas.DataFrame
            By selector: `error`, the mean absolute difference from the model on all rows; `width` of the ranges;
            `changed`, the mean share of the rows that a run puts into another class (of predicted numbers and risks:
            another third of the rows); `often_changed`, the share of the rows that 10% of the runs or more do;
            `between_rows`, the mean absolute difference between two rows; `agreement`, the mean over pairs of runs of
            Cohen's kappa of their predicted classes (of numbers the correlation, of risks Kendall's tau) on all rows,
            with `agreement_low` and `agreement_high`, the ends of its interval; `n_runs`. By row: `row` (from
            0), the `prediction` of the model on all rows (of three classes or more for the class that it predicts),
            `low`, `high`, `error` and `changed`. By tenth: `run` (-1 is the model on all rows), `output` (the number of
            the class), `tenth`, the mean `predicted` and what was `observed`.

        Raises
        ------
        InputError
            Where no predictions were kept.

        References
        ----------
        Riley and Collins (2023), Stability of clinical prediction models developed using statistical or machine
        learning methods, Biometrical Journal 65.

        Examples
        --------
        >>> import steadyset as st
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> result = st.assess("t_test:k=5", X, y, resampling=st.Bootstrap(20), execution={"predictions": True})
        >>> result.prediction_stability()[["error", "changed"]].round(3).to_dict("records")
        [{'error': 0.012, 'changed': 0.014}]
        """
        import pandas as pd

        check_choice("by", by, ("selector", "row", "tenth"))
        check_level(level)
        spreads = self.prediction_spreads
        if not spreads:
            raise InputError(
                "The assessment keeps no predictions; assess again with ",
                Argument("predictions", True, of="Execution"),
                ", and with the fits on all rows.",
            )
        if by == "selector":
            rows = [{"selector": name, **one.summary(level), "n_runs": len(one.runs)} for name, one in spreads.items()]
            return pd.DataFrame(rows).set_index("selector")
        if by == "row":
            return pd.concat([pd.DataFrame({"selector": name, **one.rows(level)}) for name, one in spreads.items()])
        columns = ("selector", "run", "output", "tenth", "predicted", "observed")
        return pd.DataFrame([(name, *point) for name in spreads for point in self.calibration(name)], columns=columns)

    @cached_property
    def prediction_spreads(self) -> dict[str, PredictionSpread]:
        """What was kept of predictions, by selector; those without a model on all rows are missing."""
        from steadyset.inference.models import PredictionSpread

        found, task = {}, TASKS[self.settings["task"]]
        for name, whole in self.on_all_rows.items():
            runs = [one for cell in self.cells_of(name) if (one := self._predictions(cell)) is not None]
            original = self._predictions(whole)
            if original is not None and runs:
                found[name] = PredictionSpread(original, np.stack(runs), task)
        return found

    def _predictions(self, cell: Cell) -> Floats | None:
        if cell.kept is None or not cell.kept.predictions:
            return None
        return np.frombuffer(cell.kept.predictions, "<f4").astype(np.float64).reshape(self.settings["n_rows"], -1)

    def calibration(self, selector: str) -> list[tuple[int, int, int, float, float]]:
        """What the models of a selector predict for all rows, and what was observed there, in tenths of the rows.

        Parameters
        ----------
        selector : str
            Its name.

        Returns
        -------
        list of tuple
            The run (-1 is the model on all rows), the output, the tenth, the mean prediction and what was observed.
        """
        found: list[tuple[int, int, int, float, float]] = []
        for cell in (self.on_all_rows[selector], *self.cells_of(selector)):
            told = np.array([] if cell.kept is None else cell.kept.calibration, dtype=np.float64)
            for output, tenths in enumerate(told.reshape(-1, N_TENTHS, 2)):
                known = np.flatnonzero(np.isfinite(tenths).all(axis=1)).tolist()
                found += [(cell.run, output, t, float(tenths[t, 0]), float(tenths[t, 1])) for t in known]
        return found

    def coefficient_stability(self, *, by: str = "feature") -> pd.DataFrame:
        """Whether the coefficients hold: inclusion, signs, spread and bias over the runs, and the most frequent models.

        With ``execution={"predictions": True}`` the coefficients are those of the model that predicts from the selected
        features, in the units of these; otherwise what the selector itself gives to them: coefficients, or importances,
        which have no sign.

        Parameters
        ----------
        by : str, default="feature"
            "feature" has one row per selector and feature that is ever selected, "model" one per selector and set of
            features, the most frequent first.

        Returns
        -------
        pandas.DataFrame
            By feature: `inclusion`, the share of the runs that select it; `coefficient` of the model on all rows (0
            where it is not selected); `mean` and `sd` over the runs that select it; `low` and `high`, the ends of 95%
            of all runs, with 0 where it is not selected; `same_sign`, the share of the selecting runs with the commoner
            sign. Against the unpenalised model with all features, of bootstraps alone and where there are 5 rows for
            each feature: `rmsd_ratio`, the root mean squared difference divided by the standard error there, and
            `conditional_bias`, the mean of the selecting runs divided by the coefficient there, minus 1. By model:
            `features`, `runs` and `share`.

        Raises
        ------
        InputError
            Where no selector gives weights to what it selects.

        References
        ----------
        Heinze, Wallisch and Dunkler (2018), Variable selection: a review and recommendations for the practicing
        statistician, Biometrical Journal 60.

        Examples
        --------
        >>> import steadyset as st
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> result = st.assess("t_test:k=5", X, y, resampling=st.Bootstrap(20), execution={"predictions": True})
        >>> result.coefficient_stability()[["inclusion", "same_sign"]].head(2).to_dict("records")
        [{'inclusion': 1.0, 'same_sign': 1.0}, {'inclusion': 1.0, 'same_sign': 1.0}]
        """
        import pandas as pd

        check_choice("by", by, ("feature", "model"))
        if by == "model":
            sets = {name: self.selected_sets(name) for name in self.selectors}
            told = [
                (name, one, runs, runs / own.total()) for name, own in sets.items() for one, runs in own.most_common()
            ]
            return pd.DataFrame(told, columns=["selector", "features", "runs", "share"])
        found = [asdict(one) for name in self.selectors for one in self.coefficients(name)]
        if not found:
            raise InputError("No selector gives coefficients or importances to all that it selects.")
        return pd.DataFrame(found).rename(columns={"name": "selector"})

    def coefficients(self, selector: str) -> list[Coefficient]:
        """The features that a selector ever selects, the most frequent first; none where it has no weights.

        Parameters
        ----------
        selector : str
            Its name.

        Returns
        -------
        list of Coefficient
            What `coefficient_stability` tells of each.
        """
        from steadyset.inference.models import Coefficient, coefficients_of_runs

        cells = [cell for cell in self.cells_of(selector) if cell.selected is not None]
        every = [*cells, self.on_all_rows[selector]] if selector in self.on_all_rows else cells
        kept = all(cell.kept is not None and cell.kept.coefficients is not None for cell in cells)
        given = [_coefficients(cell, kept=kept) for cell in every]
        places = np.unique([f for cell in every for f in cell.selected or ()]).astype(np.int64)
        if any(row is None for row in given[: len(cells)]) or not len(places):
            return []
        values = np.full((len(cells) + 1, len(places)), np.nan)  # the last row is that of the model on all rows
        for row, (cell, own) in enumerate(zip(every, given, strict=True)):
            if own is not None:
                values[row], values[row, np.searchsorted(places, cell.selected or ())] = 0.0, own
        selected = np.array([np.isin(places, cell.selected or ()) for cell in cells])
        told = self.settings.get("details", {}).get("global_model", {})
        full: list[Any] = [None, None]
        if kept and is_bootstrapped(self.settings) and "coefficients" in told:
            full = [np.array(told[key], dtype=np.float64)[places] for key in ("coefficients", "errors")]
        columns = coefficients_of_runs(values[:-1], selected, values[-1], *full)
        if not kept and any(cell.signs is None or 0 in cell.signs for cell in cells):
            columns["same_sign"] = np.full(len(places), np.nan)
        rows = [
            Coefficient(selector, self.features[f], *(float(value[i]) for value in columns.values()))
            for i, f in enumerate(places)
        ]
        return sorted(rows, key=lambda one: -one.inclusion)

    def selected_sets(self, selector: str) -> Counter[tuple[str, ...]]:
        """How many runs of a selector selected each set of features.

        Parameters
        ----------
        selector : str
            Its name.

        Returns
        -------
        Counter
            The sets that were selected.
        """
        chosen = (cell.selected for cell in self.cells_of(selector) if cell.selected is not None)
        return Counter(tuple(self.features[f] for f in one) for one in chosen)


def _coefficients(cell: Cell, *, kept: bool) -> Sequence[float] | None:
    """Those of the model that predicts, or what the selector gives to the features that it selects."""
    if kept:
        return None if cell.kept is None else cell.kept.coefficients
    if cell.weights is None or cell.signs is None:
        return cell.weights
    return [weight * sign for weight, sign in zip(cell.weights, cell.signs, strict=True)]
