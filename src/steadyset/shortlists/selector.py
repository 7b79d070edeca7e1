"""The shortlist as a scikit-learn selector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from steadyset.foundation.arguments import Column, Seed, TableLike
from steadyset.foundation.errors import InputError
from steadyset.foundation.threads import with_one_arithmetic_thread
from steadyset.kernels.arrays import Places
from steadyset.selectors.covariates import read_covariates
from steadyset.selectors.filters.selector import run_seeds
from steadyset.selectors.validation import check_features, check_target
from steadyset.shortlists.exchange import exchange_of
from steadyset.shortlists.procedure import read_procedure
from steadyset.tasks import task_of


class ShortlistSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """The listed features of `shortlist` as a scikit-learn selector.

    Parameters
    ----------
    false : float, default=1.0
        How many false features the list may hold on average.
    fdr : float or None, default=None
        Instead, which share of the listed features may be false on average.
    bases : sequence of str, default=("filter", "lasso")
        What ranks the features of a half: "filter", "lasso" or both.
    permutations : int or None, default=None
        How many permuted targets; None is 50, or as many as a smaller allowance needs.
    splits : int, default=50
        How many splits into two halves.
    task : str or None, default=None
        What y holds, "classes" or "number", where the rule would decide otherwise.
    n_jobs : int or None, default=None
        How many threads; their number changes nothing.
    random_state : int, RandomState, Generator or None, default=0
        The seed.

    Attributes
    ----------
    support_ : array of bool of shape (n_features,)
        The listed features.
    scores_ : array of float of shape (n_features,)
        How far each feature stands out: minus the logarithm of how many permuted features stand as high on average.
    n_features_in_ : int
        How many features X had.

    Examples
    --------
    >>> import numpy as np
    >>> import steadyset as st
    >>> X = np.random.default_rng(2).normal(size=(60, 200))
    >>> y = np.arange(60) % 2
    >>> X[y == 1, :3] += 1.5
    >>> st.ShortlistSelector(bases=["filter"], permutations=20).fit(X, y).get_support(indices=True)
    array([0, 1, 2])
    """

    def __init__(
        self,
        *,
        false: float = 1.0,
        fdr: float | None = None,
        bases: Sequence[str] = ("filter", "lasso"),
        permutations: int | None = None,
        splits: int = 50,
        task: str | None = None,
        n_jobs: int | None = None,
        random_state: Seed = 0,
    ) -> None:
        self.false = false
        self.fdr = fdr
        self.bases = bases
        self.permutations = permutations
        self.splits = splits
        self.task = task
        self.n_jobs = n_jobs
        self.random_state = random_state

    @with_one_arithmetic_thread
    def fit(
        self,
        X: TableLike,
        y: Column = None,
        *,
        strata: Column = None,
        groups: Column = None,
        covariates: TableLike | None = None,
    ) -> Self:
        """List the features.

        Parameters
        ----------
        X : array-like or frame of shape (n_samples, n_features)
            The data.
        y : array-like of shape (n_samples,) or None, default=None
            The target, which is needed.
        strata : array-like of shape (n_samples,) or None, default=None
            Rows exchange targets within their stratum only, such as a batch or a hospital.
        groups : array-like of shape (n_samples,) or None, default=None
            Rows that belong together: they stay in one half and exchange targets together.
        covariates : array-like of shape (n_samples, n_covariates) or None, default=None
            Numbers that features and target are adjusted for.

        Returns
        -------
        Self
            The fitted selector.
        """
        procedure = read_procedure(self.false, self.fdr, self.bases, self.permutations, self.splits, self.n_jobs)
        values = check_features(X, self)
        if len(values) < 2:
            raise InputError("A shortlist cannot be made of one sample.")
        target = check_target(y, len(values), "shortlist")
        task = task_of(target, self.task)
        beside = None if covariates is None else read_covariates(covariates, len(values))
        exchange = exchange_of(target, task, strata, groups, beside)
        seed = run_seeds(self.random_state, 1)[0]
        judged = procedure.run(values, task, exchange, seed, groups=False, permuted=self._permuted())
        self.support_ = judged.features.listed
        self.scores_ = np.full(values.shape[1], -np.inf)
        least = 0.5 / judged.standing.n_permuted  # what nothing reaches counts as half of one
        self.scores_[judged.features.order] = -np.log(np.maximum(judged.features.expected, least))
        return self

    def _permuted(self) -> Sequence[Mapping[str, Places]] | None:
        """Return orders of permuted targets from elsewhere; None if the targets of these rows are permuted."""
        return None

    def _get_support_mask(self) -> Any:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
