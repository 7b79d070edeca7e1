"""Stability selection: features that a base selector chooses again and again on random halves of the data."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, get_tags
from sklearn.utils.sparsefuncs import mean_variance_axis
from sklearn.utils.validation import check_is_fitted, validate_data

from steadyset.foundation.arguments import LEVEL, Column, Estimator, Seed, TableLike, wrong_argument
from steadyset.foundation.display import drawn
from steadyset.foundation.errors import InputError, UninformativeWarning, warn_caller
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.io.data.sources import (
    giving_away,
    giving_away_words,
    rare_class_words,
    repeated_rows,
    repeated_words,
)
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.resampling import ComplementaryPairs, Rows
from steadyset.selections import Selections
from steadyset.selectors import validation
from steadyset.selectors.ensembles import levels, rules
from steadyset.selectors.ensembles.pipelines import is_pipeline, refuse_predictor, refuse_unable
from steadyset.selectors.ensembles.stable import Prior, StableSet
from steadyset.selectors.filters.selector import run_seeds
from steadyset.selectors.known import PathsByPenalty, register_selector
from steadyset.selectors.linear import ElasticNetSelector
from steadyset.selectors.model_input import copies_of, too_few
from steadyset.selectors.paths import MAX_LAMBDAS
from steadyset.tasks import CLASSES, TASKS, task_of

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.similarity import FeatureSimilarity
    from steadyset.similarity.features import GroupsLike

MAX_BY_DEFAULT = 50  # features that a path is followed to where nobody asks for more


@dataclass(eq=False, repr=False)
class StabilitySelection(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keep the features that a base selector chooses in at least a share `threshold` of complementary random halves.

    At most two of `threshold`, `pfer` and `q` are given. The third follows by the rule's bound; of what is missing
    beyond that, threshold is 0.75 and pfer is 1. For the rule "calibrated" all three are optional limits: a given
    threshold is kept, pfer and q bound what is considered.

    Parameters
    ----------
    base : selector, str or None, default=None
        A name with parameters, such as "lasso" or "jmi"; a selector with a path, that is with one of the methods of
        `steadyset.selectors.known`, as all of steadyset's have; one with a size (a parameter k or
        n_features_to_select), which is run for the sizes that the rules ask for; or one with neither, which then
        selects as it likes. A scikit-learn Pipeline is fitted whole to each half; its last selector has the size.
        None is the lasso path with the loss of the task, multinomial for several classes. A base for two classes that
        has a path of penalties is followed for each of several classes against the others.
    threshold : float or None, default=None
        The frequency from which a feature is kept.
    pfer : float or None, default=None
        The bound on the expected number of false selections.
    q : int or None, default=None
        How many features a run selects: the first q that enter its path.
    rule : str, default="meinshausen_buhlmann"
        "meinshausen_buhlmann", "shah_samworth_unimodal" or "shah_samworth_r_concave", see `error_control` for the
        bounds; "calibrated" chooses the level of the path and the threshold by the stability score of Bodinier et al.
        (2023). `register_rule` adds others.
    n_runs : int, default=100
        How many halves of the data, two for each random split. Where y holds classes, each class is halved.
    clusters : FeatureSimilarity, groups or None, default=None
        Features that count as one: a run selects a cluster when it selects one of its features, and stable clusters are
        kept. Groups are given as `FeatureSimilarity.from_groups` takes them.
    representative : {"weighted", "simple", "sparse"}, default="weighted"
        How a stable cluster is represented: by all features weighted by their frequencies, by all alike, or by those
        selected most often (Faletto and Bien 2022).
    max_features : int or None, default=None
        How many features the paths are followed to. None is as many as any rule needs for what is given of threshold,
        pfer and q, and at least min(n/4, 50) where that is cheap, which is not so for L0 and greedy filters.
    n_lambdas : int, default=100
        How many levels a path of penalties has.
    lambda_min_ratio : float, default=0.01
        The last level of a path of penalties, as a part of the first.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the halves.
    n_jobs : int or None, default=None
        How many threads compute the runs; their number changes nothing.
    task : str or None, default=None
        What y holds, "classes" or "number", where the rule would decide otherwise.

    Attributes
    ----------
    result_ : StableSet
        What was kept, and by which limits.
    support_ : array of bool of shape (n_features,)
        The features that were kept.
    threshold_ : float
        The frequency from which a feature was kept.
    pfer_ : float
        The bound on the expected number of false selections.
    q_ : float
        How many features a run selected at most.
    n_tied_ : int
        Kept features that only the order of the columns made frequent enough.
    paths_ : Paths
        The selections of all runs at all levels.
    levels_ : array of float
        The penalties or sizes along the paths.
    frequencies_ : array of float of shape (n_levels, n_features)
        The share of the runs that selected each feature at each level.
    selections_ : Selections
        The sets that were read for the result, one per run.
    clusters_ : array of int of shape (n_features,)
        The number of the cluster of each feature.
    n_features_in_ : int
        How many features X had.

    References
    ----------
    * Meinshausen and Bühlmann (2010), Stability selection, JRSS B 72.
    * Shah and Samworth (2013), Variable selection with error control: another look at stability selection, JRSS B 75.
    * Bodinier, Filippi, Haugdahl Nost, Chiquet and Chadeau-Hyam (2023), Automated calibration for stability selection.
    * Faletto and Bien (2022), Cluster stability selection.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(0).normal(size=(100, 50))
    >>> y = X[:, 0] - X[:, 1] + np.random.default_rng(1).normal(size=100)
    >>> selector = st.StabilitySelection(pfer=1, threshold=0.8, n_runs=50, random_state=0).fit(X, y)
    >>> selector.get_support(indices=True), selector.q_
    (array([0, 1]), 5)
    """

    base: str | Estimator | None = None
    _: KW_ONLY
    threshold: float | None = None
    pfer: float | None = None
    q: int | None = None
    rule: str = "meinshausen_buhlmann"
    n_runs: int = 100
    clusters: FeatureSimilarity | GroupsLike | None = None
    representative: levels.Representative = "weighted"
    max_features: int | None = None
    n_lambdas: int = 100
    lambda_min_ratio: float = 0.01
    random_state: Seed = None
    n_jobs: int | None = None
    task: str | None = None

    @with_one_arithmetic_thread
    def fit(self, X: TableLike, y: Column = None, sample_weight: Column = None) -> Self:
        """Follow the path of the base on every half, and read the stable features by the rule.

        Parameters
        ----------
        X : array-like, frame or sparse of shape (n_samples, n_features)
            The data; sparse where the base takes it.
        y : array-like of shape (n_samples,) or None, default=None
            The target.
        sample_weight : array-like of shape (n_samples,) or None, default=None
            How often each row counts, on whichever half it falls: 0 leaves it out, 2 counts it twice there. None counts
            every row once. Halves hold equally many rows, not equal weights.

        Returns
        -------
        Self
            The fitted selector.
        """
        self._check_options()
        features = self._features(X)
        target = validation.check_target(y, features.shape[0], "stability selection")
        weights = None if sample_weight is None else validation.check_sample_weight(sample_weight, features.shape[0])[0]
        if weights is not None:
            present = weights > 0
            features, target, weights = features[present], target[present], weights[present]
            weights = None if (weights == 1).all() else weights
        if features.shape[0] < 4:
            rows = "rows of positive weight" if sample_weight is not None else "rows"
            raise InputError(f"halves need at least four {rows} in X, found n_samples={features.shape[0]}")
        names = None if not hasattr(self, "feature_names_in_") else tuple(map(str, self.feature_names_in_))
        self.clusters_: Ints = levels.read_clusters(self.clusters, features.shape[1], names)
        self._varies = validation.varying_columns(features)
        if not self._varies.any():
            raise InputError("X is constant in every column; at least one must vary.")
        task = task_of(target, self.task)
        base = self._base(target, task)
        self._has_size = levels.size_parameter(base) is not None
        wanted = self._sizes_wanted()
        seeds = run_seeds(self.random_state, 2)
        self.paths_: levels.Paths = levels.follow(
            base,
            features,
            target,
            self._halves(target, task, seeds[0]),
            sizes=list(wanted.values()),
            reach=self._reach(wanted, base, features),
            n_lambdas=self.n_lambdas,
            lambda_min_ratio=self.lambda_min_ratio,
            seed=seeds[1],
            n_jobs=self.n_jobs,
            sample_weight=weights,
        )
        self._remember_units(features, weights)
        self._remember_copies(features)
        self._remember_doubts(features, target, task)
        found = self.result_ = self._read(rules.get_rule(self.rule), self._limits())
        self.support_, self.threshold_, self.pfer_ = found.support, found.threshold, found.pfer
        self.q_, self.n_tied_, self.levels_ = found.q, found.n_tied, self.paths_.levels
        if found.n_short:
            asked = self.q_ if self.q is None else self.q
            warn_caller(too_few(int(asked), "in some of the halves"), UninformativeWarning)
        return self

    def select(
        self,
        *,
        rule: str | None = None,
        threshold: float | None = None,
        pfer: float | None = None,
        q: int | None = None,
    ) -> StableSet:
        """Read the same paths by another rule or by other limits; nothing is fitted again, and the selector stays.

        Where none of threshold, pfer and q is given, those of the selector are taken.

        Parameters
        ----------
        rule : str or None, default=None
            The rule; None is that of the selector.
        threshold : float or None, default=None
            The frequency from which a feature is kept, above 0.5 for most rules.
        pfer : float or None, default=None
            The bound on the expected number of false selections.
        q : int or None, default=None
            How many features a run selects: the first q that enter its path.

        Returns
        -------
        StableSet
            What these limits keep.
        """
        check_is_fitted(self)
        given = rules.Limits(threshold, pfer, q)
        limits = self._limits() if given == rules.Limits() else given
        return self._read(rules.get_rule(self.rule if rule is None else rule), limits)

    def selection_intervals(self, level: float = LEVEL, *, prior: Prior = "jeffreys") -> pd.DataFrame:
        """Equal-tailed posterior intervals of the selection probabilities.

        With the prior Beta(a, a), a = 1/2 ("jeffreys") or 1 ("uniform"), a feature that h of M runs select has the
        posterior Beta(a + h, a + M - h). Runs are taken as independent draws of halves of these data: the intervals say
        how far the number of runs has settled the frequencies, not how other data would change them.

        Parameters
        ----------
        level : float, default=0.95
            The probability that an interval holds.
        prior : {"jeffreys", "uniform"}, default="jeffreys"
            The prior.

        Returns
        -------
        pandas.DataFrame
            One row per feature: frequency h/M, low, high, above_threshold (the posterior probability that the selection
            probability is above the threshold), selected.
        """
        check_is_fitted(self)
        return self.result_.intervals(self._names(), level, prior)

    def plot_path(self, **options: Any) -> Any:
        """The stability paths as a picture.

        Parameters
        ----------
        **options : Any
            Options of `st.plot.stability_path`.

        Returns
        -------
        Picture
            The picture.
        """
        check_is_fitted(self)
        return drawn(self, "stability_path", **options)

    def plot_calibration(self, **options: Any) -> Any:
        """The stability score of every level and threshold as a picture.

        Parameters
        ----------
        **options : Any
            Options of `st.plot.stability_calibration`.

        Returns
        -------
        Picture
            The picture.
        """
        check_is_fitted(self)
        return drawn(self, "stability_calibration", **options)

    def representatives(self, X: TableLike) -> Floats:
        """The weighted mean of the standardised features of each selected cluster.

        Mean and standard deviation are those of the training data; a feature that is negatively correlated with the
        first one of its cluster counts with the opposite sign, so that it does not cancel it.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            Rows with all features.

        Returns
        -------
        array of float of shape (n_samples, n_selected_clusters)
            One column per selected cluster.
        """
        check_is_fitted(self)
        values = validate_data(self, X, dtype=np.float64, reset=False, accept_sparse=validation.SPARSE)
        weights = self.result_.weights * self._signs / self._scale
        place = np.cumsum(self.result_.selected_clusters) - 1
        used = np.flatnonzero(weights)
        combined = np.zeros((values.shape[0], int(self.result_.selected_clusters.sum())))
        for f, column in zip(used, validation.dense_columns(values, used).T, strict=True):
            combined[:, place[self.clusters_[f]]] += weights[f] * (column - self._centre[f])
        return combined

    @property
    def frequencies_(self) -> Floats:
        """The share of the runs that selected each feature at each level."""
        return self.paths_.frequencies

    @property
    def selections_(self) -> Selections:
        """The sets that were read for the result, one per run."""
        read = self.result_
        rows = self._runs().rows(read.level, read.q)
        return Selections.from_matrix(rows, features=self._names())

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "result_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags(multi_class=self._takes_several_classes())
        tags.input_tags.sparse = self._takes_sparse()
        return tags

    # ---- in a notebook: the diagram of scikit-learn, and below it what was found -------------------------------

    def _repr_html_inner(self) -> str:
        diagram = str(super()._repr_html_inner())
        return diagram + self.result_.display(self._names()).html() if hasattr(self, "result_") else diagram

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        shown: dict[str, str] = super()._repr_mimebundle_(**options)
        return shown | ({"text/html": self._repr_html_inner()} if "text/html" in shown else {})

    # ---- before the runs ---------------------------------------------------------------------------------------

    def _check_options(self) -> None:
        rules.get_rule(self.rule).path_limits(self._limits())
        rules.check_runs(self.n_runs)
        validation.check_choice("representative", self.representative, ("weighted", "simple", "sparse"))
        validation.check_integer("n_lambdas", self.n_lambdas, least=2, most=MAX_LAMBDAS)
        validation.check_number("lambda_min_ratio", self.lambda_min_ratio, most=1.0)

    def _limits(self) -> rules.Limits:
        return rules.Limits(self.threshold, self.pfer, self.q)

    def _sizes_wanted(self) -> dict[str, int]:
        """How many features a run selects by each rule, before any run is known."""
        if not self._has_size:
            if self.q is not None:
                raise InputError(rules.NO_SIZE)
            return dict.fromkeys(rules.RULES, 1)
        n_clusters = int(self._possible().sum())
        mine = rules.get_rule(self.rule)
        limits = mine.path_limits(self._within(self._limits()))
        wanted = {self.rule: mine.size(n_clusters, self.n_runs, limits)}
        for name in rules.RULES.keys() - wanted.keys():
            try:
                wanted[name] = rules.RULES[name].size(n_clusters, self.n_runs, limits)
            except InputError:  # the limits suit the rule that was asked for, and perhaps no other
                wanted[name] = 1
        return wanted

    def _reach(self, wanted: dict[str, int], base: Any, X: Any) -> int:
        """How far to follow the paths: so that every rule can read them and, where long paths are cheap, further."""
        n, d = int(X.shape[0]), int(X.shape[1])
        if self.max_features is None:
            further = 0 if getattr(base, "path_is_costly", False) else min(d, n // 4, MAX_BY_DEFAULT)
            return max(*wanted.values(), further)
        validation.check_integer("max_features", self.max_features, least=1)
        q = wanted[self.rule]
        if self.max_features < q:
            raise wrong_argument("max_features", f"at least q, which is {q}", self.max_features)
        return min(d, int(self.max_features))

    def _base(self, y: NDArray[Any], task: str) -> Any:
        base = self._unwrapped(task)
        tags = get_tags(base).classifier_tags
        for_two = isinstance(base, PathsByPenalty) and tags is not None and not tags.multi_class
        return levels.OneAgainstRest(base) if for_two and TASKS[task].n_classes(y) > 2 else base

    def _unwrapped(self, task: str) -> Any:
        """The base as a selector that takes y for what the task says."""
        if self.base is None:
            if task not in ElasticNetSelector.outcomes:
                raise InputError(f"There is no default base for {TASKS[task].words}; give one.")
            return ElasticNetSelector(task=task)
        from steadyset.selectors.catalogue import selector_by_name, with_task

        if isinstance(self.base, str):
            return with_task(selector_by_name(self.base, task), task)
        if isinstance(self.base, type) or not all(hasattr(self.base, name) for name in ("fit", "get_params")):
            raise wrong_argument("base", "a selector, its name or None", self.base)
        if is_pipeline(self.base):
            refuse_unable(self.base)
        else:
            refuse_predictor(self.base)
        return with_task(self.base, task)

    def _base_tags(self) -> Any:
        """The tags of the base for classes; None where it has none, or is no base at all."""
        try:
            return get_tags(self._unwrapped(CLASSES))
        except (InputError, AttributeError, TypeError):
            return None

    def _takes_sparse(self) -> bool:
        tags = self._base_tags()
        return tags is not None and bool(tags.input_tags.sparse)

    def _takes_several_classes(self) -> bool:
        """Whether the base does, or is followed for each class against the others."""
        tags = self._base_tags()
        if tags is None or tags.classifier_tags is None or tags.classifier_tags.multi_class:
            return True
        return isinstance(self._unwrapped(CLASSES), PathsByPenalty)

    def _features(self, X: Any) -> Any:
        """X as a finite array, or as sparse columns where the base takes these."""
        if sparse.issparse(X) and not self._takes_sparse():
            base = "the lasso" if self.base is None else f"the base {self.base!r}"
            raise InputError(
                f"X is sparse, which {base} does not take; use a base that does, such as base='anova', or X.toarray()."
            )
        return validation.check_features(X, self, sparse=True)

    def _halves(self, y: NDArray[Any], task: str, seed: int) -> list[Ints]:
        resampling = ComplementaryPairs(self.n_runs, stratified=TASKS[task].stratified)
        rows = Rows(len(y), y, strata=TASKS[task].strata(y))
        resampling.check(rows)
        return [resampling.draw(run, rows, seed).train for run in range(self.n_runs)]

    def _remember_units(self, X: Any, weights: Floats | None) -> None:
        """Mean and standard deviation of each feature, and its sign within its cluster."""
        if sparse.issparse(X):
            self._centre, variance = mean_variance_axis(X, axis=0, weights=weights)
            spread = np.sqrt(variance)
        else:
            units = validation.powers_of_two(
                np.maximum(np.abs(X).max(axis=0), np.finfo(float).tiny)
            )  # squares do not overflow
            self._centre = np.average(X / units, axis=0, weights=weights) * units
            spread = np.sqrt(np.average((X / units - self._centre / units) ** 2, axis=0, weights=weights)) * units
        self._scale = np.where(spread > 0, spread, 1.0)
        together = np.flatnonzero(np.bincount(self.clusters_)[self.clusters_] > 1)
        self._signs = np.ones(X.shape[1])
        if together.size:
            self._signs[together] = levels.signs_within(validation.dense_columns(X, together), self.clusters_[together])

    def _remember_copies(self, X: Any) -> None:
        """The copies of features that some run selected, where the base does not tell which features it ties."""
        self._copies: dict[int, Ints] = {}
        if self.paths_.tied is None and not sparse.issparse(X):
            columns = np.unique(self.paths_.selected.indices).astype(np.int64)
            found = copies_of(X, columns)
            self._copies = {int(f): copies for f, copies in zip(columns, found, strict=True) if len(copies) > 1}

    def _remember_doubts(self, X: Any, y: NDArray[Any], task: str) -> None:
        """What is wrong with the rows, the target and the features, and why the bound does not hold, if it does not."""
        values = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        repeated = repeated_rows(values, None)
        names = [self._names()[f] for f in giving_away(values, y)]
        doubts = [giving_away_words(names)] if names else []
        self._void = repeated_words(repeated) if repeated else ""
        if repeated:
            doubts.append(
                "Leave out copies of rows: a row and its copy fall into both halves, which then agree too well."
            )
        self._doubts = (*doubts, *rare_class_words(TASKS[task].counts(y)))

    # ---- reading the runs --------------------------------------------------------------------------------------

    def _runs(self) -> rules.Runs:
        return rules.Runs(self.paths_, self.clusters_, self._has_size, self._possible())

    def _possible(self) -> Bools:
        """The clusters that a run can select: those with a feature that varies."""
        return np.asarray(np.bincount(self.clusters_, weights=self._varies) > 0)

    def _within(self, limits: rules.Limits) -> rules.Limits:
        """The limits, with no larger q than there are clusters to choose from: constant features are never selected."""
        q, possible = limits.q, self._possible()
        capped = isinstance(q, int | np.integer) and possible.sum() < q <= possible.size
        return replace(limits, q=int(possible.sum())) if capped else limits

    def _read(self, rule: rules.Rule, limits: rules.Limits) -> StableSet:
        runs, within = self._runs(), self._within(limits)
        reading = rule.read(runs, within)
        # Where fewer features vary than were asked for, runs are short of what was asked for.
        asked = reading.q if within == limits or limits.q is None else limits.q
        rows = runs.rows(reading.level, reading.q)
        merged = levels.merge_columns(rows, self.clusters_)
        frequencies = np.bincount(rows.indices, minlength=rows.shape[1]) / runs.n_runs
        cluster_frequencies = np.bincount(merged.indices, minlength=merged.shape[1]) / runs.n_runs
        chosen = cluster_frequencies >= reading.threshold - rules.ROUNDING
        weights = levels.representative_weights(self.representative, frequencies, self.clusters_, chosen)
        tied = self._tied(rows, reading)
        untied = frequencies - np.bincount(tied.indices, minlength=rows.shape[1]) / runs.n_runs
        owed = (
            (weights > 0)
            & (untied < reading.threshold - rules.ROUNDING)
            & (frequencies >= reading.threshold - rules.ROUNDING)
        )
        sizes = np.diff(rows.indptr)
        by_size = reading.level is None and runs.paths.orders is None
        found = StableSet(
            rule=rule.name,
            **vars(reading),
            n_runs=runs.n_runs,
            support=weights > 0,
            frequencies=frequencies,
            clusters=self.clusters_,
            cluster_frequencies=cluster_frequencies,
            selected_clusters=chosen,
            weights=weights,
            n_tied=int(owed.sum()),
            n_short=int((sizes < asked).sum()) if by_size or within != limits else 0,
        )
        n_constant, tied_runs = int((~self._varies).sum()), int((np.diff(tied.indptr) > 0).sum())
        notes = found._notes(
            rule, tied_runs=tied_runs, mean_size=float(sizes.mean()), asked=asked, n_constant=n_constant
        )
        return replace(found, notes=(*self._doubts, *notes), void=self._void, names=tuple(self._names()))

    def _tied(self, rows: sparse.csr_array, reading: rules.Reading) -> sparse.csr_array:
        """Which selected features of each run only the order of the columns preferred to others."""
        known = self.paths_.tied_at(reading.level, reading.q)
        if known is not None:
            return known
        tied = []
        for run in range(rows.shape[0]):
            chosen = rows.indices[rows.indptr[run] : rows.indptr[run + 1]]
            copied = [f for f in chosen.tolist() if f in self._copies]
            tied.append([f for f in copied if not np.isin(self._copies[f], chosen).all()])
        counts = np.cumsum([0, *map(len, tied)])
        indices = np.array([f for one in tied for f in one], dtype=np.int64)
        return sparse.csr_array((np.ones(len(indices), np.int8), indices, counts), shape=rows.shape)

    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{f}" for f in range(self.n_features_in_)] if names is None else [str(name) for name in names]


register_selector(
    "stability_selection",
    StabilitySelection,
    summary="the features that a base selector chooses on most halves",
    reference="Meinshausen and Bühlmann 2010; Shah and Samworth 2013",
    formula="h_f / M >= threshold",
)
