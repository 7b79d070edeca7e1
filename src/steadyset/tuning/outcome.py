"""Tuning: the configurations that were tried, on the data that they were tried on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from steadyset.foundation.conventions import CORE, LEVEL
from steadyset.foundation.display import ShownFindings
from steadyset.foundation.errors import InputError
from steadyset.foundation.plot_hook import Drawable
from steadyset.inference.directions import Directions, class_names, data_directions
from steadyset.inference.feature_table import FeatureBlock, alike_features, feature_blocks, table_frame
from steadyset.io.labels import text_index
from steadyset.runner.plan import ready
from steadyset.runner.run import ALL_ROWS, Cell, failed_on_all_rows, fit_on_all_rows
from steadyset.runner.table import medians
from steadyset.selections import Selections
from steadyset.similarity.alike import alike_in_data
from steadyset.tuning.evaluation import Evaluator
from steadyset.tuning.filtered import FilteredModel
from steadyset.tuning.space import Space
from steadyset.tuning.trials import Trial, Trials

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity


class Tuning(ShownFindings, Trials, Drawable):
    """The result of `tune`; rows of `frame` are numbered by configuration.

    Attributes
    ----------
    frame : pandas.DataFrame
        One row per configuration: its parameters, its objectives with errors or intervals, whether on the front.
    front : pandas.DataFrame
        The configurations that no other one beats in every objective.
    objectives : tuple of str
        What was optimised.
    directions : tuple of str
        "max" or "min" for each objective.
    measure : str
        The measure of stability.

    Examples
    --------
    >>> import steadyset as st
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> space = {"filter": ["anova"], "fraction": [0.25, 0.5, 1.0], "model": {"knn": {}}}
    >>> found = st.tune(space, X, y, sampler="grid", resampling=st.KFold(3), progress=False)
    >>> found.objectives, found.directions
    (('accuracy', 'stability', 'n_features'), ('max', 'max', 'min'))
    """

    def __init__(
        self,
        space: Space,
        objectives: Sequence[str],
        trials: Sequence[Trial],
        *,
        evaluator: Evaluator,
        random_state: int,
        sampler: str = "random",
        target: str = "",
    ) -> None:
        super().__init__(objectives, trials, measure=evaluator.measure, random_state=random_state)
        self.space = space
        self.evaluator = evaluator
        self.sampler = sampler  # how the configurations were drawn
        self.target = target  # what is predicted, where it has a name
        self._selections: dict[int, Selections] = {}
        self._final: dict[int, Cell] = {}

    def estimator(self, configuration: int) -> FilteredModel:
        """A configuration as an estimator, to be fitted; what it draws at random has its seed.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.

        Returns
        -------
        FilteredModel
            A scikit-learn estimator with `get_support` and `predict`.
        """
        plan = self.evaluator.plan
        model: FilteredModel = ready(self._unseeded(configuration).set_params(impute=plan.impute), plan, ALL_ROWS)
        return model

    def selections(self, configuration: int) -> Selections:
        """What a configuration selects on each resample: fitted again, with the seeds of the tuning.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.

        Returns
        -------
        Selections
            One run per resample.
        """
        if configuration not in self._selections:
            self._selections[configuration] = self.evaluator.selections(self._unseeded(configuration))
        return self._selections[configuration]

    def features(self, configuration: int) -> pd.DataFrame:
        """The features of a configuration, the most often selected first.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.

        Returns
        -------
        pandas.DataFrame
            The columns feature, selected (by a fit on all rows) and frequency (the share of the resamples that select
            it). Features that neither that fit nor any resample selects are left out.
        """
        import pandas as pd

        sel, final = self.selections(configuration), self._on_all_rows(configuration)
        if final.selected is None:
            raise InputError(failed_on_all_rows(final))
        chosen = np.isin(np.arange(sel.n_features), final.selected)
        table = pd.DataFrame({"feature": text_index(sel.features), "selected": chosen, "frequency": sel.frequencies})
        used = table[table["selected"] | (table["frequency"] > 0)]
        return used.sort_values(["frequency", "selected"], ascending=False, kind="stable", ignore_index=True)

    def features_table(
        self,
        configuration: int,
        *,
        similarity: FeatureSimilarity | None = None,
        core: float = CORE,
        level: float = LEVEL,
        all: bool = False,
    ) -> pd.DataFrame:
        """One row per feature of a configuration, the most often selected first: see `features_table`.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.
        similarity : FeatureSimilarity or None, default=None
            What is alike; None takes the similarity of the tuning, or the correlations of the data where it has none.
        core : float, default=0.9
            The share of the runs from which a feature belongs to the steady core.
        level : float, default=0.95
            The confidence of the intervals.
        all : bool, default=False
            Whether the features that were never selected are kept.

        Returns
        -------
        pandas.DataFrame
            The columns of `features_table`.
        """
        blocks = self.feature_blocks(configuration, similarity=similarity, core=core, level=level, all=all)
        return table_frame(blocks)

    def feature_blocks(
        self,
        configuration: int,
        *,
        similarity: FeatureSimilarity | None = None,
        core: float = CORE,
        level: float = LEVEL,
        all: bool = False,
    ) -> list[FeatureBlock]:
        """The table of features of a configuration as its only block.

        Parameters
        ----------
        configuration : int
            The number of a configuration, from the index of `frame`.
        similarity : FeatureSimilarity or None, default=None
            What is alike; None takes the similarity of the tuning, or the correlations of the data where it has none.
        core : float, default=0.9
            The share of the runs from which a feature belongs to the steady core.
        level : float, default=0.95
            The confidence of the intervals.
        all : bool, default=False
            Whether the features that were never selected are kept.

        Returns
        -------
        list of FeatureBlock
            One block.
        """
        name, plan = f"configuration {configuration}", self.evaluator.plan
        runs, final = {name: self.selections(configuration)}, self._on_all_rows(configuration)
        told = self.evaluator.similarity if similarity is None else similarity
        fill = medians(plan.X, plan.gaps) if plan.impute is not None and len(plan.gaps) else None
        return feature_blocks(
            runs,
            alike=alike_in_data(plan.X, runs[name].counts, fill) if told is None else alike_features(told, runs),
            on_all_rows={name: None if final.selected is None else np.array(final.selected, dtype=np.int64)},
            directions=Directions(data_directions(plan.X, plan.y, plan.task), class_names(plan.y, plan.task)),
            core=core,
            level=level,
            all=all,
        )

    def _on_all_rows(self, configuration: int) -> Cell:
        """The fit of a configuration on all rows, once."""
        if configuration not in self._final:
            self._final[configuration] = fit_on_all_rows(self.evaluator.plan, self._unseeded(configuration))
        return self._final[configuration]

    def _unseeded(self, configuration: int) -> FilteredModel:
        plan = self.evaluator.plan
        for number, params, _ in self.trials:
            if number == configuration:
                return self.space.estimator(dict(params), len(plan.y), plan.task)
        raise InputError(f"There is no configuration {configuration}; frame shows those that were tried.")

    def __repr__(self) -> str:
        return f"Tuning({len(self.trials)} configurations; {', '.join(self.objectives)})"
