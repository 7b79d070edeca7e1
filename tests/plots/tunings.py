"""A small tuning, fitted once for the tests of its pictures."""

from functools import cache

import steadyset as st

DATA = st.datasets.similar_features(60, 12, n_similar=3, random_state=0)
SPACE = {
    "filter": ["none", "anova"],
    "fraction": {"low": 0.1, "high": 0.9},
    "model": {
        "lasso": {"penalty": {"low": 0.01, "high": 0.3, "log": True}},
        "knn": {"kneighborsclassifier__n_neighbors": [1, 3, 5]},
    },
}
ALONG = {"model": {"lasso": {"penalty": [0.02, 0.05, 0.1, 0.2, 0.3]}}}


@cache
def tuned(kind: str = "several", n_trials: int = 8, objectives: tuple[str, ...] | None = None) -> st.Tuning:
    space = {"several": SPACE, "along": ALONG}[kind]
    options = {} if objectives is None else {"objectives": objectives}
    sampler = "grid" if kind == "along" else "random"
    return st.tune(
        space,
        DATA.X,
        DATA.y,
        n_trials=n_trials,
        resampling=st.KFold(4),
        search=st.SearchOptions(sampler=sampler),
        **options,
    )
