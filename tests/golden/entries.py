"""What is recorded: one function per part, each yields (name, how to compute it); names start with the part."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, is_dataclass
from typing import Any, get_args

import numpy as np
import pandas as pd
from sklearn.base import clone
from tests.golden import inputs
from threadpoolctl import threadpool_limits

import steadyset as st
from steadyset.foundation.errors import SteadysetError
from steadyset.inference.interval import Method
from steadyset.measures import all_measures
from steadyset.selectors.catalogue import selector_by_name, selector_names
from steadyset.selectors.ensembles.rules import RULES

Entry = tuple[str, Callable[[], Any]]
WORDS = ("note", "reason", "sentence", "searched", "label", "method")  # sentences may be reworded
SEEDED = {"n_draws": 500, "random_state": 4}
CLOCK = ("seconds", "seconds_se", "seconds_low", "seconds_high", "fit_seconds", "score_seconds")


def entries() -> Iterator[Entry]:
    """Every entry; computing is left to the caller."""
    for part in PARTS:
        yield from part()


def computed(compute: Callable[[], Any]) -> Any:
    """The value of an entry as plain JSON: floats keep their bits, a refusal is recorded by its kind."""
    with threadpool_limits(1), warnings.catch_warnings():  # products of matrices must not depend on the cores
        warnings.simplefilter("ignore")
        try:
            return plain(compute())
        except SteadysetError as refusal:
            return {"refused": type(refusal).__name__}


def plain(value: Any) -> Any:
    """Numbers and what holds them as JSON; nan and infinities as text."""
    if isinstance(value, np.ndarray | pd.Series | pd.Index):
        return plain(value.tolist())
    if isinstance(value, pd.DataFrame):
        kept = [c for c in value.columns if c not in WORDS + CLOCK]
        return {"index": plain(value.index), **{str(c): plain(value[c]) for c in kept}}
    if is_dataclass(value) and not isinstance(value, type):
        return plain({k: v for k, v in asdict(value).items() if k not in WORDS + CLOCK})
    if isinstance(value, st.Selections):
        return [value.selected(run).tolist() for run in range(value.n_runs)]
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items() if k not in WORDS + CLOCK}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value)
    return value


def measures() -> Iterator[Entry]:
    for record in all_measures():
        for title, runs, options in _cases(record.needs):
            name = f"measures/{record.name}/{title}"
            yield f"{name}/value", lambda r=record, s=runs, o=SEEDED | options: st.stability(s, r, **o)
            if "rankings" in record.needs:
                continue
            yield (
                f"{name}/corrected",
                lambda r=record, s=runs, o=options: st.stability(s, r, expectation="exact", **o),
            )
            yield (
                f"{name}/monte carlo",
                lambda r=record, s=runs, o=options: st.stability(
                    s, r, expectation="monte_carlo", n_draws=200, random_state=3, **o
                ),
            )
            yield (
                f"{name}/chance",
                lambda r=record, s=runs, o=options: st.null_expectation(s, r, n_draws=150, random_state=5, **o),
            )
            yield (
                f"{name}/undefined as 0",
                lambda r=record, s=runs, o=SEEDED | options: st.stability(s, r, undefined=0, **o),
            )
    yield "measures/davis/alpha 1/value", lambda: st.stability(inputs.wide(), "davis", alpha=1.0)


def _cases(needs: tuple[str, ...]) -> list[tuple[str, Any, dict[str, Any]]]:
    """(title, runs, options) that a measure with these needs can be computed on."""
    if "similarity" in needs:
        return [
            ("varying", inputs.varying(), {"similarity": inputs.alike(12)}),
            ("equal", inputs.equal(), {"similarity": inputs.alike(12, 0.8)}),
            ("gaps", inputs.gaps(), {"similarity": inputs.alike(6)}),
            ("wide", inputs.wide(), {"similarity": inputs.alike(60)}),
        ]
    if "weights" in needs:
        return [("weighted", inputs.weighted(), {})]
    if "rankings" in needs:
        return [("ranked", inputs.ranked(), {})]
    return [
        ("varying", inputs.varying(), {}),
        ("equal", inputs.equal(), {}),
        ("gaps", inputs.gaps(), {}),
        ("wide", inputs.wide(), {}),
    ]


def tables() -> Iterator[Entry]:
    for title, runs, options in [
        ("plain", inputs.varying(), {}),
        ("equal", inputs.equal(), {}),
        ("weighted", inputs.weighted(), {}),
        ("ranked", inputs.ranked(), {}),
        ("similar", inputs.varying(), {"similarity": inputs.alike(12)}),
        ("wide", inputs.wide(), {"similarity": inputs.alike(60), "n_draws": 300}),
    ]:
        for level in (None, 0.9):
            yield (
                f"tables/{title}/level {level}",
                lambda s=runs, o=options, lv=level: st.stability_table(s, level=lv, random_state=1, **o),
            )


def inference() -> Iterator[Entry]:
    first, second, wide = inputs.varying(), inputs.equal(), inputs.wide()
    similar = {"similarity": inputs.alike(12)}
    for measure, options in [("nogueira", {}), ("jaccard", {}), ("somol", {}), ("yu", similar), ("sechidis", similar)]:
        for method in get_args(Method):
            yield (
                f"intervals/{measure}/{method}",
                lambda m=measure, o=options, h=method: st.confidence_interval(
                    first, m, method=h, n_resamples=200, random_state=2, **o
                ),
            )
        for paired in (True, False):
            yield (
                f"tests/{measure}/difference, paired {paired}",
                lambda m=measure, o=options, p=paired: st.test_difference(
                    first, second, m, paired=p, random_state=2, **o
                ),
            )
        for alternative in ("greater", "less", "two-sided"):
            yield (
                f"tests/{measure}/threshold, {alternative}",
                lambda m=measure, o=options, a=alternative: st.test_threshold(
                    first, 0.3, m, alternative=a, random_state=2, **o
                ),
            )
        yield (
            f"planning/{measure}/runs needed",
            lambda m=measure, o=options: st.runs_needed(first, 0.1, m, random_state=2, **o),
        )
        yield (
            f"planning/{measure}/convergence",
            lambda m=measure, o=options: st.convergence_table(first, m, random_state=2, **o),
        )
    yield (
        "tests/nogueira/difference, published",
        lambda: st.test_difference(first, second, paired=False, method="normal"),
    )
    for adjust in ("holm", "bh", None):
        yield f"comparisons/{adjust}", lambda a=adjust: _comparison(a)
    yield "features/instability", lambda: st.instability_by_feature(first, inputs.alike(12))
    yield "features/swaps", lambda: st.swap_table(wide, inputs.alike(60))
    yield "features/shared importance", lambda: st.shared_importance(inputs.weighted(), 0, 1, inputs.alike(12))


def _comparison(adjust: Any) -> Any:
    procedures = {
        "varying": inputs.varying(),
        "equal": inputs.equal(),
        "ranked": inputs.ranked(),
        "first": inputs.varying().take(slice(0, 6)),
    }
    found = st.compare(procedures, adjust=adjust)
    return {"table": found.table, "tests": found.tests, "groups": found.groups}


def selectors() -> Iterator[Entry]:
    X, classes, number = inputs.data()
    for name in selector_names():
        for task, y in (("classes", classes), ("number", number)):
            yield f"selectors/{name}/{task}", lambda n=name, t=task, y=y: _fitted(n, t, X, y)


def _fitted(name: str, task: str, X: Any, y: Any) -> Any:
    selector = _small(selector_by_name(name, task))
    selector.fit(X, y)
    kept = {"support": np.flatnonzero(selector.get_support())}
    for attribute in ("coef_", "intercept_", "scores_", "ranking_", "order_", "importances_", "frequencies_"):
        if hasattr(selector, attribute):
            kept[attribute] = getattr(selector, attribute)
    return kept


def _small(selector: Any) -> Any:
    """Few trees, few runs, five features, a fixed seed; what a selector does not have is left alone."""
    wanted = {"k": 5, "n_estimators": 20, "n_runs": 10, "n_lambdas": 30, "random_state": 0}
    has = selector.get_params()
    return selector.set_params(**{key: value for key, value in wanted.items() if key in has})


def ensembles() -> Iterator[Entry]:
    X, classes, number = inputs.data()
    for rule in RULES:
        yield f"stability selection/{rule}", lambda r=rule: _stable(r, X, classes)
    yield "stability selection/numbers", lambda: _stable("meinshausen_buhlmann", X, number)
    for rule in [name for name in RULES if name != "calibrated"]:
        yield (
            f"error control/{rule}",
            lambda r=rule: st.error_control(200, q=8, threshold=0.8, n_runs=50, rule=r),
        )
    for method in ("threshold", "top_frequency", "mean_rank", "borda", "exponential", "binomial"):
        for title, runs in (("sets", inputs.varying()), ("weights", inputs.weighted()), ("rankings", inputs.ranked())):
            yield f"aggregates/{method}/{title}", lambda m=method, s=runs: _aggregate(s, m)


def _stable(rule: str, X: Any, y: Any) -> Any:
    fitted = st.StabilitySelection(rule=rule, threshold=0.7, q=4, n_runs=20, n_lambdas=30, random_state=0).fit(X, y)
    return {
        "support": np.flatnonzero(fitted.support_),
        "threshold": fitted.threshold_,
        "pfer": fitted.pfer_,
        "q": fitted.q_,
        "levels": fitted.levels_,
        "runs": fitted.selections_,
        "intervals": fitted.selection_intervals(),
    }


def _aggregate(runs: st.Selections, method: str) -> Any:
    found = st.aggregate(runs, method)
    return {"indices": found.indices, "scores": found.scores, "p_values": found.p_values}


def resamplings() -> Iterator[Entry]:
    _, y, _ = inputs.data()
    groups = np.arange(len(y)) // 3
    for resampling in _all_resamplings():
        for title, given in (("rows", None), ("groups", groups)):
            name = f"resamplings/{resampling!r}/{title}".replace("\n", " ")
            yield name, lambda r=resampling, g=given: [list(rows) for rows in _first_rows(clone(r), y, g)]


def _all_resamplings() -> list[Any]:
    return [
        st.Bootstrap(3, random_state=0),
        st.Bootstrap(4, stratified=True, random_state=0),
        st.Bootstrap(4, balanced=True, random_state=0),
        st.Subsample(3, random_state=0),
        st.Subsample(3, fraction=0.3, stratified=True, random_state=0),
        st.ComplementaryPairs(4, random_state=0),
        st.KFold(4, random_state=0),
        st.Chunks(3, random_state=0),
        st.FixedOverlap(4, overlap=0.4, random_state=0),
        st.NoiseInjection(3, random_state=0),
        st.LeaveOut(8, random_state=0),
    ]


def _first_rows(resampling: Any, y: Any, groups: Any) -> Iterator[tuple[Any, Any]]:
    for _, pair in zip(range(3), resampling.split(np.zeros((len(y), 1)), y, groups), strict=False):
        yield pair


def assessments() -> Iterator[Entry]:
    X, classes, number = inputs.data()
    drawing = st.Subsample(3, random_state=0)
    names = {"classes": ["lasso:k=4", "anova:k=4", "jmi:k=4", "l0:k=3", "forest:k=4"]}
    names["number"] = ["lasso:k=4", "elastic_net:k=5", "variance:k=4", "boosting:k=3"]
    scores = {"classes": ("accuracy", "auc", "log_likelihood", "error"), "number": ("r2", "rmse")}
    for task, y in (("classes", classes), ("number", number)):
        yield f"assessments/{task}", lambda t=task, y=y: _assessed(names[t], X, y, drawing, scores[t])


def _assessed(names: list[str], X: Any, y: Any, resampling: Any, scoring: tuple[str, ...]) -> Any:
    selectors = {
        name: _few_trees(selector_by_name(name, "classes" if len(np.unique(y)) == 2 else "number")) for name in names
    }
    found = st.assess(
        selectors, X, y, resampling=resampling, scoring=scoring, random_state=0, execution=st.Execution(engine="serial")
    )
    own = found.with_importance("selector")
    return {
        "selected": {name: found.selections[name] for name in found.selections},
        "weights": {name: own.selections[name].weights for name in own.selections},
        "importances": {name: found.selections[name].weights for name in found.selections},
        "scores": found.scores,
    }


def _few_trees(selector: Any) -> Any:
    trees = {"n_estimators": 20} if "n_estimators" in selector.get_params() else {}
    return selector.set_params(**trees)


def tunings() -> Iterator[Entry]:
    X, classes, _ = inputs.data()
    space = {
        "filter": ["none", "anova"],
        "fraction": {"low": 0.2, "high": 0.8},
        "model": {
            "lasso": {"penalty": {"low": 1e-3, "high": 0.5, "log": True}},
            "knn": {"kneighborsclassifier__n_neighbors": [1, 3, 5]},
        },
    }
    for title, options in {"nogueira": {}, "similar": {"measure": "yu", "similarity": inputs.alike(14)}}.items():
        yield f"tunings/{title}", lambda o=options: _tuned(space, X, classes, o)


def _tuned(space: Any, X: Any, y: Any, options: dict[str, Any]) -> Any:
    how = {"n_trials": 8, "resampling": st.KFold(3, random_state=0), "random_state": 0}
    found = st.tune(space, X, y, search=options, **how)
    kept = [c for c, values in found.frame.items() if values.dtype != object or all(isinstance(v, str) for v in values)]
    return {
        "trials": found.frame[kept],
        "params": [params for _, params, _ in found.trials],
        "chosen": {rule: found.choose(rule) for rule in CHOICES},
        "features": found.features(found.choose("epsilon")),
    }


CHOICES = ("margins", "stable", "smallest", "epsilon", "best", "one_se", "weighted", "harmonic", "knee")


def certificates() -> Iterator[Entry]:
    for record in all_measures():
        if record.name in CERTIFIED:
            yield f"certificates/{record.name}", lambda r=record: _verdicts(r)


CERTIFIED = ("nogueira", "jaccard", "kuncheva", "wald", "somol", "yu", "intersection_count", "sechidis", "spearman")


def _verdicts(record: Any) -> Any:
    found = {}
    for name, verdict in st.certify(record).properties.items():
        example = verdict.counterexample
        found[name] = {"holds": verdict.holds}
        if example is not None:
            found[name] |= {"collections": list(example.selections), "values": example.values}
    return found


PARTS = [measures, tables, inference, selectors, ensembles, resamplings, assessments, tunings, certificates]
