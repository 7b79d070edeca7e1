"""Compile the kernels ahead, several at a time, so that the first assessment does not wait for them.

The modules are compiled too, where the installation has not done that: else each start would do it again.
A kernel is compiled when it is first called and kept on disk. Here all are called, on data of a few rows: every measure
and every selector, in parts that share few kernels, each part in a process of its own.
"""

from __future__ import annotations

import compileall
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from steadyset.foundation.arguments import job_count
from steadyset.foundation.errors import SteadysetError

SMALL = {"k": 3, "n_estimators": 2, "n_runs": 4, "n_lambdas": 10, "random_state": 0}
TREES = ("forest", "forest_permutation", "impurity", "permutation")
PATHS = ("elastic_net", "lasso", "stability_selection")


def warm_up(n_jobs: int | None = -1, selectors: Sequence[str] = (), tasks: Sequence[str] = ()) -> None:
    """Compile what is not compiled yet, in up to ``n_jobs`` processes.

    All of it, or what assessing ``selectors`` and a shortlist call; ``tasks`` leaves out what other tasks need.
    """
    from joblib import Parallel, delayed

    from steadyset.selectors.catalogue import selector_names
    from steadyset.selectors.filters.registry import FILTERS

    if selectors:
        parts: list[Callable[[], None]] = [partial(_fit, [name], tasks=tasks) for name in selectors]
        parts.append(_shortlist)
    else:
        compileall.compile_dir(Path(__file__).parent, quiet=2)
        filters = [name for name in FILTERS.names() if name not in TREES]
        models = [name for name in selector_names() if name not in {*filters, *PATHS, *TREES}]
        fits = [partial(_fit, names) for names in (filters, models, TREES)]
        parts = [_paths, fits[0], _measures, *fits[1:]]  # the longest first
    Parallel(n_jobs=min(job_count(n_jobs), len(parts)), batch_size=1)(delayed(part)() for part in parts)


def _paths() -> None:
    _fit(PATHS)
    _shortlist()


def _shortlist() -> None:
    """Its paths have data too large for the caches of a processor, for which there are kernels of their own."""
    from steadyset.shortlists.selector import ShortlistSelector

    X = np.random.default_rng(0).normal(size=(40, 8000))
    ShortlistSelector(permutations=20, splits=10).fit(X, np.arange(40) % 2)


def _measures() -> None:
    from steadyset.inference.table import stability_table
    from steadyset.selections import Selections
    from steadyset.similarity import FeatureSimilarity

    rng = np.random.default_rng(0)
    scores = rng.normal(size=(6, 12))
    sets = [np.flatnonzero(row > bound).tolist() for row, bound in zip(scores, np.linspace(-0.5, 0.5, 6), strict=True)]
    runs = Selections.from_sets(sets, n_features=12)
    weighted = Selections.from_weights(np.where(scores > 0, scores, 0))
    ranked = Selections.from_rankings(np.argsort(np.argsort(scores, axis=1), axis=1) + 1, top=4)
    alike = FeatureSimilarity.from_data(rng.normal(size=(20, 4)).repeat(3, axis=1) + 0.3 * rng.normal(size=(20, 12)))
    for selections, similarity in ((runs, None), (runs, alike), (weighted, alike), (ranked, None)):
        stability_table(selections, similarity=similarity, n_draws=100, random_state=0)


def _fit(names: Sequence[str], tasks: Sequence[str] = ()) -> None:
    from steadyset.selectors.catalogue import selector_by_name
    from steadyset.tasks import CLASSES, COUNT, NUMBER, SURVIVAL

    rng = np.random.default_rng(0)
    X = rng.normal(size=(24, 8))
    number = X[:, 0] + 0.5 * rng.normal(size=24)
    targets = {
        CLASSES: (number > 0).astype(np.int64),
        NUMBER: number,
        COUNT: np.arange(24) % 4,
        SURVIVAL: np.column_stack([np.exp(number), np.arange(24) % 3 > 0]),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            for task, y in targets.items():
                if tasks and task not in tasks:
                    continue
                try:
                    selector = selector_by_name(name, task)
                    has = selector.get_params()
                    selector.set_params(**{key: value for key, value in SMALL.items() if key in has}).fit(X, y)
                except SteadysetError:  # it is for other kinds of targets
                    continue
