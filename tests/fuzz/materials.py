"""What the sound calls of public functions are made of: recorded selections, similarities, data, an assessment."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import steadyset as st


@dataclass(frozen=True)
class Recipe:
    """A function and keyword arguments that it takes; `made` holds those whose value is made for each call."""

    name: str
    call: Callable[..., Any]
    sound: dict[str, Any]


@cache
def runs() -> st.Selections:
    sets = [["a", "b"], ["a", "c"], ["a", "b", "c"], ["b"], ["a", "d"]]
    return st.Selections.from_sets(sets, features=list("abcdef"))


@cache
def weighted() -> st.Selections:
    return runs().with_weights([[0.5 + i for i in range(k)] for k in runs().sizes])


@cache
def alike() -> st.FeatureSimilarity:
    C = np.eye(6) * 0.5 + 0.5
    return st.FeatureSimilarity.from_matrix(C, threshold=0.4, features=list("abcdef"))


@cache
def data() -> tuple[Any, Any]:
    X = np.random.default_rng(0).normal(size=(24, 5))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


@cache
def assessed() -> st.Assessment:
    X, y = data()
    return st.assess({"a": st.FilterSelector("anova", k=2)}, X, y, resampling=st.KFold(4), random_state=0)


@cache
def timed() -> st.Assessment:
    """An assessment of times to events that keeps what its models predict."""
    X = np.random.default_rng(1).normal(size=(60, 4))
    y = st.Survival(np.exp(-X[:, 0]), np.ones(60))
    kept = {"predictions": True, "engine": "serial", "progress": False}
    return st.assess("anova:k=1", X, y, resampling=st.Subsample(4), execution=kept)


@cache
def listed() -> st.Shortlist:
    return st.shortlist(*data(), bases=["filter"], permutations=20, splits=10, outer=0)


@cache
def studied(n: int = 48) -> tuple[Any, Any]:
    """Rows enough for studies of halves of them."""
    X = np.random.default_rng(2).normal(size=(n, 5))
    return X, (X[:, 0] + X[:, 1] > 0).astype(int)


@cache
def stable() -> st.StabilitySelection:
    return st.StabilitySelection(n_runs=4, n_lambdas=5, rule="calibrated", random_state=0).fit(*data())


@cache
def tuned() -> st.Tuning:
    space = {"model": {"lasso": {"penalty": [0.05, 0.2]}}}
    return st.tune(space, *data(), resampling=st.KFold(3), search=st.SearchOptions(sampler="grid"))


def inside(path: Any) -> Any:
    """A path below the temporary folder, so that strange texts write nothing elsewhere."""
    if not isinstance(path, (str, Path)):
        return path
    return f"{tempfile.gettempdir()}/{str(path).replace('..', '_').lstrip('/~')}"
