"""Assessment: what selectors chose on resamples of one data set, how well it predicts, and how steady it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import isnan, nan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from steadyset.assessment.folder import RunFolder
from steadyset.assessment.request import IMPORTANCE, is_halved
from steadyset.assessment.run_models import RunModels
from steadyset.foundation.arguments import CORE, LEVEL, check_choice, check_flag
from steadyset.foundation.display import Display, Drawable, Figure, ShownFindings, Table
from steadyset.foundation.errors import Argument, InputError
from steadyset.foundation.text import amount, counted, listed
from steadyset.inference.comparison import HiddenSpread, test_mean_difference
from steadyset.inference.hypotheses import TestResult
from steadyset.inference.interval import confidence_interval
from steadyset.io.disk import file_path
from steadyset.measures.evaluate import MIN_TESTED_RUNS, TOO_FEW_RUNS, UNDEFINED, is_of_scale, judged
from steadyset.measures.record import get_measure
from steadyset.runner.plan import PREDICTOR, SELECTOR
from steadyset.runner.run import Cell
from steadyset.runner.scoring import ACCURACY, lower_is_better, score_ends
from steadyset.selections import Selections

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.inference.comparison import Comparison
    from steadyset.inference.features import Directions, Extract, FeatureBlock
    from steadyset.inference.runs import Halves
    from steadyset.kernels.arrays import Ints
    from steadyset.similarity import FeatureSimilarity
    from steadyset.similarity.alike import Alike

DEFAULT_MEASURE = "nogueira"
ALL_FAILED = "all runs failed"
MAX_MEASURED = 2_000_000  # selected features, of all runs together, whose stability a notebook shows unasked: a second


class Assessment(RunModels, ShownFindings, Drawable):
    """The result of `assess`; `Assessment.open(folder)` gives back a recorded one.

    Attributes
    ----------
    selectors : tuple of str
        The names of the selectors.
    features : tuple of str
        The names of the features.
    selections : dict
        The Selections of each selector: the runs that came to a selection.
    scores : pandas.DataFrame
        One row per selector and run: number of features, scores on the left-out rows, seconds.
    failures : pandas.DataFrame
        The runs without a selection or a score, and why.
    importance : str
        Whose importances the weights of the selections are: "predictor" or "selector".

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> result = st.assess("anova:k=2", X, y, resampling=st.KFold(5))
    >>> result.core()
    {'anova:k=2': ['petal length (cm)', 'petal width (cm)']}
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        cells: Sequence[Cell],
        path: Path | None = None,
        *,
        alike: Alike | None = None,
        extract: Extract | None = None,
        importance: str | None = None,
    ) -> None:
        super().__init__(settings, cells)
        self.path = path
        self.importance: str = self.settings.get(IMPORTANCE, SELECTOR) if importance is None else importance
        self.alike = alike
        self.extract = extract
        self._beaten: dict[float, dict[str, Beaten]] = {}

    @classmethod
    def open(cls, path: str | Path) -> Assessment:
        """Read a run folder, finished or not; damage is told.

        Parameters
        ----------
        path : str or Path
            The folder that `assess` was given as `out`.

        Returns
        -------
        Assessment
            What is recorded there.

        Raises
        ------
        InputError
            Where the folder holds no assessment.
        """
        place = file_path(path)
        folder = RunFolder(place)
        settings, cells = folder.settings(), list(folder.cells(whole=True).values())
        return cls(settings, cells, place, alike=folder.alike(), extract=folder.extract())

    @cached_property
    def selections(self) -> dict[str, Selections]:
        """What each selector selected: the runs that came to a selection, labelled by their resample."""
        found = {}
        for name in self.selectors:
            cells = [cell for cell in self.cells_of(name) if cell.selected is not None]
            if cells:
                sets = [np.array(cell.selected, dtype=np.int64) for cell in cells]
                sel = Selections.from_sets(sets, self.features, labels=[cell.label for cell in cells])
                sel = sel.with_ties([cell.tied for cell in cells])
                weights, source = self._weights(cells)
                found[name] = sel.with_weights(weights, source=source)
        return found

    def _weights(self, cells: Sequence[Cell]) -> tuple[list[Sequence[float]] | None, str]:
        """The weights of some runs of a selector and what they are; without weights, why there are none."""
        if self.importance == SELECTOR:
            own: list[Sequence[float]] = [cell.weights for cell in cells if cell.weights is not None]
            return (own, "weights of the selector") if len(own) == len(cells) else (None, "")
        known = [cell.importances for cell in cells if cell.importances is not None]
        if len(known) < len(cells):
            missing = len(cells) - len(known)
            return None, f"the predictor has no importances in {counted(missing, 'run')} of {len(cells)}"
        ways = listed(sorted({one.by for one in known if one.by}))
        return [one.values for one in known], f"importances in the predictor{f', by {ways}' if ways else ''}"

    def with_importance(self, importance: Literal["predictor", "selector"]) -> Assessment:
        """The same runs, with the importances of the predictor or the selector's own weights in measures of weights.

        Parameters
        ----------
        importance : {"predictor", "selector"}
            "predictor" takes the importances of the selected features in the model that predicts from them, "selector"
            the weights that the selector gives them.

        Returns
        -------
        Assessment
            The same result, whose `selections` hold these weights.

        Raises
        ------
        InputError
            Where the importances of the predictor were not computed.

        Examples
        --------
        >>> import steadyset as st
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
        >>> result = st.assess("t_test:k=5", X, y, resampling=st.Bootstrap(20))
        >>> both = [result, result.with_importance("selector")]
        >>> [round(st.stability(one, "pearson"), 2) for one in both]
        [0.91, 0.94]
        """
        check_choice("importance", importance, (PREDICTOR, SELECTOR))
        if importance == PREDICTOR and self.settings.get(IMPORTANCE) != PREDICTOR:
            raise InputError(
                "The assessment has no importances of the predictor; assess again with ",
                Argument("importance", PREDICTOR),
                ".",
            )
        every = (*self.cells, *self.on_all_rows.values())
        return Assessment(
            self.settings, every, self.path, alike=self.alike, extract=self.extract, importance=importance
        )

    @cached_property
    def scores(self) -> pd.DataFrame:
        """One row per selector and run: number of features, scores on the left-out rows, seconds."""
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
        runs = {name: self.cells_of(name) for name in self.selectors if name not in self.selections}
        return {name: (len(cells), cells[0].failure) for name, cells in runs.items() if cells}

    @property
    def rules(self) -> dict[str, str]:
        """Which coefficients or importances counted as selected, for the selectors that are models."""
        found = {self.selectors[cell.selector]: cell.rule for cell in self.cells if cell.rule}
        return {name: found[name] for name in self.selectors if name in found}

    def summary(
        self,
        *,
        measure: str = DEFAULT_MEASURE,
        level: float = LEVEL,
        similarity: FeatureSimilarity | None = None,
        details: bool = False,
    ) -> pd.DataFrame:
        """One row per selector: stability with its interval, mean scores, mean size and number of runs.

        Parameters
        ----------
        measure : str, default="nogueira"
            The measure of stability.
        level : float, default=0.95
            The confidence of the interval, between 0 and 1.
        similarity : FeatureSimilarity or None, default=None
            Which features can stand in for each other, for the measures that need it.
        details : bool, default=False
            Whether the verdict, the errors and baselines of the scores, failures, warnings, ties and notes follow.

        Returns
        -------
        pandas.DataFrame
            The columns stability, low, high, one per score, size and n_runs. Where covariates stay in every model, each
            score is followed by that of the `_covariates` alone and the `_gain` of the selected features beside them,
            with its interval over the runs. Where predictions were kept, `prediction_error` and `changed` are the first
            and the third column of `prediction_stability`. With details also `verdict`, which puts
            the interval of the default measure into words by the convention of Fleiss: "excellent" means that the whole
            of it is. There is no such word where the interval holds what chance gives ("interval holds chance"), or
            where the first score is not significantly better than its baselines ("not above baseline"). Also with
            details: for each score its standard error (see `compare_scores`) and its baselines: `_blind`, predicting
            without features, and `_random`, predicting from as many features drawn at random; the numbers of runs with
            failures and warnings; and `tied`, the share of the selected features that only the order of the columns
            preferred to others with the same score; from 10% on the verdict says so.
        """
        import pandas as pd

        check_flag("details", details)
        rows = self.summary_rows(measure=measure, level=level, similarity=similarity)
        table = pd.DataFrame(rows).set_index("selector")
        ends = ("", *GAIN) if self.settings.get("force") else ("",)
        scores = [f"{score}{end}" for score in self.settings["scoring"] for end in ends]
        kept = HELD if self.prediction_spreads else ()
        first = ["stability", "low", "high", *scores, *kept, "size", "n_runs"]
        return table[[*first, *(name for name in table if details and name not in first)]]

    def summary_rows(
        self, *, measure: str = DEFAULT_MEASURE, level: float = LEVEL, similarity: FeatureSimilarity | None = None
    ) -> list[dict[str, Any]]:
        """The rows of `summary`, as they are before they become a frame.

        Parameters
        ----------
        measure : str, default="nogueira"
            As in `summary`.
        level : float, default=0.95
            As in `summary`.
        similarity : FeatureSimilarity or None, default=None
            As in `summary`.

        Returns
        -------
        list of dict
            One per selector, in their order.
        """
        return [self._row(name, measure, level, similarity) for name in self.selectors]

    def _row(self, name: str, measure: str, level: float, similarity: FeatureSimilarity | None) -> dict[str, Any]:
        mine = self.cells_of(name)
        row: dict[str, Any] = {"selector": name, "n_runs": sum(cell.selected is not None for cell in mine)}
        row |= asdict(steadiness(self.selections.get(name), measure=measure, level=level, similarity=similarity))
        if name in self.failed_selectors:
            row |= {"verdict": ALL_FAILED, "note": ""}
        if is_of_scale(row["verdict"]) and self.baselines_beaten(level=level)[name].at_chance:
            row["verdict"] = NOT_ABOVE
        if get_measure(measure).name != DEFAULT_MEASURE:  # which alone has words
            del row["verdict"]
        for score in self.settings["scoring"]:
            values = [cell.scores.get(score, np.nan) for cell in mine]
            row |= {
                score: _mean(values),
                f"{score}_se": self.hidden_spread(score).error(values, self.test_ratio),
                f"{score}_blind": _mean([cell.blind.get(score, np.nan) for cell in mine]),
                f"{score}_random": _mean([cell.random.get(score, np.nan) for cell in mine]),
            }
            if self.settings.get("force"):
                gain = self.gain(name, score, level=level)
                found = row[f"{score}_blind"], gain.estimate, gain.low, gain.high
                row |= {f"{score}{end}": value for end, value in zip(GAIN, found, strict=True)}
        if name in self.prediction_spreads:
            held = self.prediction_spreads[name].summary(level)
            row |= {"prediction_error": held["error"], "changed": held["changed"]}
        return row | {
            "size": _mean([len(cell.selected) for cell in mine if cell.selected is not None]),
            "failures": sum(bool(cell.failure) for cell in mine),
            "warnings": sum(bool(cell.warnings) for cell in mine),
            "tied": (self.selections[name].tied_share or 0.0) if name in self.selections else 0.0,
        }

    def stability_table(self, **options: Any) -> pd.DataFrame:
        """The function `stability_table` for every selector, one below the other.

        Parameters
        ----------
        **options : Any
            Options of `stability_table`.

        Returns
        -------
        pandas.DataFrame
            One row per selector and measure.
        """
        from steadyset.inference.table import stability_table

        return stability_table(self, **options)

    def compare(self, **options: Any) -> Comparison:
        """Which selectors differ in stability: paired tests on the resamples that they share.

        Parameters
        ----------
        **options : Any
            Options of `compare`.

        Returns
        -------
        Comparison
            The estimates, the tests, and which selectors show no significant difference.
        """
        from steadyset.inference.comparison import compare

        return compare(self, **options)

    def compare_scores(self, score: str | None = None, **options: Any) -> Comparison:
        """Which selectors predict differently: the corrected resampled t-test on the resamples that they share.

        Parameters
        ----------
        score : str or None, default=None
            One of the scores that were computed; None is the first.
        **options : Any
            `level` and `adjust`, those of `compare`.

        Returns
        -------
        Comparison
            The mean scores, the tests, and which selectors show no significant difference.

        References
        ----------
        Nadeau and Bengio (2003), Inference for the generalization error, Machine Learning 52.
        """
        from steadyset.inference.comparison import compare_scores

        known = self.settings["scoring"]
        if not known:
            raise InputError("The assessment has no scores to compare (scoring is empty).")
        name = known[0] if score is None else score
        if name not in known:
            raise InputError(f"The assessment has no score {name!r}; it has {', '.join(known)}.")
        several = {selector: values for selector, values in self.score_runs(name).items() if len(values) > 1}
        if len(several) < 2:
            raise InputError("Comparing needs two selectors with scores in two runs or more; fewer have them.")
        return compare_scores(
            several,
            self.test_ratio,
            name=name,
            lower_is_better=lower_is_better(name),
            hidden=self.hidden_spread(name),
            **options,
        )

    def score_runs(self, score: str) -> dict[str, dict[str, float]]:
        """The values of a score, resample by resample.

        Parameters
        ----------
        score : str
            One of the scores that were computed.

        Returns
        -------
        dict
            By selector, the values by the labels of the resamples that have one.
        """
        return {
            selector: {cell.label: cell.scores[score] for cell in self.cells_of(selector) if score in cell.scores}
            for selector in self.selectors
        }

    def baselines_beaten(self, *, level: float = LEVEL) -> dict[str, Beaten]:
        """Whether each selector predicts significantly better, by the first score, than without a selection.

        Parameters
        ----------
        level : float, default=0.95
            The confidence of the tests, the corrected resampled t-test of each selector.

        Returns
        -------
        dict
            By selector, `random`: better than as many random features, and `blind`: better than without features. Each
            is None where there is no test.
        """
        if level not in self._beaten:
            self._beaten[level] = {name: self._beaten_by(name, level) for name in self.selectors}
        return self._beaten[level]

    def _beaten_by(self, selector: str, level: float) -> Beaten:
        """By the corrected resampled t-test against each baseline.

        Who selects nearly all features has no random features to be held against: they are nearly the same features.
        """
        if not self.settings["scoring"]:
            return Beaten()
        # One test per selector, without an adjustment: each run draws random features of its own, and the correction
        # takes the variance that these add for one that all runs share. In 1,200 data sets of noise one of 5 tests
        # erred once.
        score, mine = self.settings["scoring"][0], self.cells_of(selector)
        hidden = self.hidden_spread(score)
        nearly_all = is_nearly_all(self.selections.get(selector))
        random = None if nearly_all else _beaten(mine, "random", score, self.test_ratio, level, hidden)
        blind = _beaten(mine, "blind", score, self.test_ratio, level, hidden)
        return Beaten(random, blind, nearly_all)

    def hidden_spread(self, score: str) -> HiddenSpread:
        """What a score can vary by although no run shows it.

        Parameters
        ----------
        score : str
            One of the scores that were computed.

        Returns
        -------
        HiddenSpread
            Its ends, and how many rows a run tests: of rare classes or events only so many as these.
        """
        details, n = self.settings.get("details", {}), self.settings["n_rows"]
        return hidden_spread(
            score,
            n,
            self.test_ratio,
            classes=details.get("classes", {}),
            counted=details.get("counted", {}),
            n_groups=details.get("n_groups") or n,
        )

    def gain(self, selector: str, score: str, *, level: float = LEVEL) -> TestResult:
        """How much better what a selector selects predicts than without features: than the covariates alone, if any.

        Parameters
        ----------
        selector : str
            The name of a selector.
        score : str
            One of the scores that were computed.
        level : float, default=0.95
            The confidence of the interval.

        Returns
        -------
        TestResult
            The mean over the runs, positive where the features help, with the corrected resampled t-test of it.
        """
        pairs = _with_baseline(self.cells_of(selector), "blind", score)
        better = [(other, one) if lower_is_better(score) else (one, other) for one, other in pairs]
        return test_mean_difference(
            [one for one, _ in better],
            [other for _, other in better],
            self.test_ratio,
            level=level,
            hidden=self.hidden_spread(score),
        )

    def core(self, threshold: float = CORE) -> dict[str, list[str]]:
        """The steady core of each selector.

        Parameters
        ----------
        threshold : float, default=0.9
            The share of its runs from which a feature belongs to the core.

        Returns
        -------
        dict
            The names of the features by selector, the most frequent first.
        """
        from steadyset.inference.runs import steady_core

        return {name: steady_core(sel, threshold) for name, sel in self.selections.items()}

    @property
    def halves(self) -> list[Halves]:
        """What the two halves of complementary pairs select alike, by selector; none of other resamplings."""
        from steadyset.inference.runs import halves_of

        if not is_halved(self.settings):
            return []
        every = {
            name: {cell.run: cell.selected for cell in self.cells_of(name) if cell.selected is not None}
            for name in self.selectors
        }
        found = (halves_of(name, sets, len(self.features)) for name, sets in every.items())
        return [one for one in found if one is not None]

    @property
    def counts(self) -> Ints:
        """How many of all runs selected each feature."""
        from steadyset.inference.runs import total_counts

        return total_counts(self.selections) if self.selections else np.zeros(len(self.features), dtype=np.int64)

    def with_data(self, alike: Alike, extract: Extract) -> Assessment:
        """The same result, which knows the alike features of its data and some of its values.

        Parameters
        ----------
        alike : Alike
            Which features of the data are alike.
        extract : Extract
            The values of the features that are selected most often.

        Returns
        -------
        Assessment
            The result.
        """
        every = (*self.cells, *self.on_all_rows.values())
        return Assessment(self.settings, every, self.path, alike=alike, extract=extract, importance=self.importance)

    def features_table(
        self,
        *,
        similarity: FeatureSimilarity | None = None,
        core: float = CORE,
        level: float = LEVEL,
        all: bool = False,
    ) -> pd.DataFrame:
        """One row per selector and feature, the most often selected first; rows over all selectors come before.

        Parameters
        ----------
        similarity : FeatureSimilarity or None, default=None
            What is alike, instead of the correlations of the data.
        core : float, default=0.9
            The share of the runs from which a feature belongs to the steady core.
        level : float, default=0.95
            The confidence of the intervals.
        all : bool, default=False
            Whether the features that were never selected are kept.

        Returns
        -------
        pandas.DataFrame
            The columns of `features_table`; docs/features-table.md explains them.
        """
        from steadyset.inference.features import table_frame

        return table_frame(self.feature_blocks(similarity=similarity, core=core, level=level, all=all))

    def feature_blocks(self, *, similarity: FeatureSimilarity | None = None, **options: Any) -> list[FeatureBlock]:
        """The table of features in blocks: one over all selectors where there are several, then one each.

        Parameters
        ----------
        similarity : FeatureSimilarity or None, default=None
            What is alike, instead of the correlations of the data.
        **options : Any
            Further options of `features_table`.

        Returns
        -------
        list of FeatureBlock
            The blocks.
        """
        from steadyset.inference.features import alike_features, feature_blocks

        known = {name: cell.selected for name, cell in self.on_all_rows.items()}
        return feature_blocks(
            self.selections,
            alike=self.alike if similarity is None else alike_features(similarity, self.selections),
            on_all_rows={
                name: None if chosen is None else np.array(chosen, dtype=np.int64) for name, chosen in known.items()
            },
            signs={name: self._signs(name) for name in self.selections},
            directions=self._directions,
            **options,
        )

    @property
    def directions(self) -> dict[str, str]:
        """In which direction each feature goes with the target, by the data; those without a direction are missing."""
        if self._directions is None:
            return {}
        words = self._directions.words(np.arange(len(self.features)))
        return {name: word for name, word in zip(self.features, words, strict=True) if word}

    @cached_property
    def _directions(self) -> Directions | None:
        """Those that the folder tells; an older one does not."""
        from steadyset.inference.features import Directions

        return Directions.recorded(self.settings.get("details", {}), self.settings["task"])

    def _signs(self, selector: str) -> Ints | None:
        """Those of the coefficients, run after run; None where a run has none."""
        signs = [cell.signs for cell in self.cells_of(selector) if cell.selected is not None]
        if any(row is None for row in signs):
            return None
        return np.array([sign for row in signs if row is not None for sign in row], dtype=np.int64)

    @property
    def test_ratio(self) -> float:
        """Test rows for each training row; undefined where a folder does not say."""
        return float(self.settings.get("test_ratio", np.nan))

    def __repr__(self) -> str:
        return f"Assessment({', '.join(self.selectors)}; {len(self.cells)} runs on {len(self.features)} features)"

    def _display(self) -> Display:
        """What is shown: the findings, where they are quick to compute, or else scores and sizes."""
        if sum(len(cell.selected or ()) for cell in self.cells) <= MAX_MEASURED:
            display = super()._display()
            return replace(display, notes=[*display.notes, *self._folder()])
        scores, rows = self.settings["scoring"], []
        for name in self.selectors:
            mine = self.cells_of(name)
            sizes = [len(cell.selected) for cell in mine if cell.selected is not None]
            means = (_mean([cell.scores.get(score, np.nan) for cell in mine]) for score in scores)
            rows.append((name, *means, Figure(amount(_mean(sizes))), len(sizes)))
        return Display(
            "Assessment",
            f"{counted(len(self.cells), 'run')} on {counted(len(self.features), 'feature')}",
            tables=[Table(("selector", *scores, "size", "runs"), rows)],
            notes=["summary() measures the stability.", *self._folder()],
        )

    def _folder(self) -> list[str]:
        return [] if self.path is None else [f"Run folder: {self.path}"]


def _mean(values: Sequence[float]) -> float:
    known = np.array([value for value in values if not np.isnan(value)], dtype=np.float64)
    return float(known.mean()) if len(known) else float("nan")


@dataclass(frozen=True)
class Steadiness:
    """A stability with its interval; `note` says why it is undefined, or what to know about it."""

    stability: float
    low: float
    high: float
    verdict: str
    note: str = ""


def steadiness(
    selections: Selections | None,
    *,
    measure: str = DEFAULT_MEASURE,
    level: float = LEVEL,
    similarity: FeatureSimilarity | None = None,
) -> Steadiness:
    """Of what one selector selected; the default measure has words, the others none."""
    n_runs = 0 if selections is None else selections.n_runs
    if selections is None or n_runs < 2:
        return Steadiness(nan, nan, nan, UNDEFINED, f"has {n_runs or 'no'} run{'' if n_runs == 1 else 's'} to compare")
    found = confidence_interval(selections, measure, level=level, similarity=similarity)
    if isnan(found.estimate):
        return Steadiness(nan, nan, nan, UNDEFINED, nothing_to_compare(selections) or found.note)
    if n_runs < MIN_TESTED_RUNS:
        words = TOO_FEW_RUNS if get_measure(measure).name == DEFAULT_MEASURE else ""
        return Steadiness(found.estimate, nan, nan, words, found.note)
    words = judged(found.estimate, found.low, found.high, selections.tied_share)
    if get_measure(measure).name != DEFAULT_MEASURE:
        words = ""
    return Steadiness(found.estimate, found.low, found.high, words, found.note)


def nothing_to_compare(selections: Selections) -> str:
    """Why runs have no stability: they leave nothing out, or take nothing; nothing where they chose."""
    d, sizes = selections.n_features, selections.sizes
    if sizes.min() == d:
        return f"selects {everything(d)} in every run: nothing to compare"
    if sizes.max() == 0:
        return "selects no feature in any run: nothing to compare"
    return ""


def everything(n_features: int) -> str:
    """All features in words."""
    return "the only feature" if n_features == 1 else f"all {n_features} features"


GAIN = ("_covariates", "_gain", "_gain_low", "_gain_high")  # behind the name of a score


def baseline_words(settings: Mapping[str, Any]) -> tuple[str, str]:
    """What predicts without selected features, as in "without features" and "than no features"."""
    force = settings.get("force")
    return (f"with {listed(force)} alone", f"{listed(force)} alone") if force else ("without features", "no features")


HELD = ("prediction_error", "changed")  # columns where predictions were kept
NEARLY_ALL = 0.8  # the share of the features from which as many random ones are nearly the same


def is_nearly_all(selections: Selections | None) -> bool:
    """Return whether runs select so many features that as many random ones would mostly be the same."""
    return selections is not None and bool(selections.sizes.mean() >= NEARLY_ALL * selections.n_features)


NOT_ABOVE = "not above baseline"  # instead of a word for the stability: steadiness is no merit there


@dataclass(frozen=True)
class Beaten:
    """Whether the tests show a better score than as many random features, and than none (blind); None: no test.

    Of a selector of `nearly_all` features there is no test against random ones.
    """

    random: bool | None = None
    blind: bool | None = None
    nearly_all: bool = False

    @property
    def both(self) -> bool:
        """Whether the score is shown to be better than both."""
        return self.random is True and self.blind is not False

    @property
    def at_chance(self) -> bool:
        """Whether a test could have shown that, and did not."""
        return self.random is False or self.blind is False


def _with_baseline(cells: Sequence[Cell], baseline: str, score: str) -> list[tuple[float, float]]:
    """The scores of a baseline and of the selected features, in the runs that have both."""
    return [
        (getattr(cell, baseline)[score], cell.scores[score])
        for cell in cells
        if score in cell.scores and score in getattr(cell, baseline)
    ]


def _beaten(
    cells: Sequence[Cell], baseline: str, score: str, test_ratio: float, level: float, hidden: HiddenSpread
) -> bool | None:
    """Return whether scores are significantly better than a baseline; None if there is no test.

    Two runs are too few for a test. Scores that are never better are not better, also where all differences are equal.
    """
    known = _with_baseline(cells, baseline, score)
    if len(known) < MIN_TESTED_RUNS:
        return None
    pairs = [one for one, _ in known], [other for _, other in known]
    test = test_mean_difference(*pairs, test_ratio, hidden=hidden)
    better = (-1 if lower_is_better(score) else 1) * test.estimate > 0
    if isnan(test.estimate) or (better and isnan(test.p_value)):
        return None
    return better and test.p_value <= 1 - level


def hidden_spread(
    score: str,
    n_rows: int,
    test_ratio: float,
    *,
    classes: Mapping[str, int],
    counted: Mapping[str, int],
    n_groups: int,
) -> HiddenSpread:
    """Return the spread of a score that equal runs can hide, from the numbers of rows, classes, events and groups."""
    n = n_rare = n_rows
    if score not in (ACCURACY, "error"):
        # Each class counts as much as the others, however few rows it has, and times are told apart by events.
        n = min([n, *(len(classes) * count for count in classes.values()), *counted.values()])
        n_rare = min([n_rare, *classes.values(), *counted.values()])
    n = min(n, n_groups)  # rows of one group say the same
    tested = n * test_ratio / (1 + test_ratio)
    return HiddenSpread(score_ends(score), tested, n, n_rare, min(n_rare, n_groups))
