"""How far down a report goes before what is folded, in a real browser: the answer of every kind of result is near."""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from tests.waiting import until

import steadyset as st

MOST = 4_000  # pixels, at a width of 1280
DRAWN = "!document.querySelector('section[data-picture] .picture:not(.drawn)')"
PATIENCE = 180  # seconds, on a busy machine
KEPT = {"predictions": True, "progress": False, "engine": "serial"}
METHODS = ["anova:k=20", "lasso:k=20", "kruskal:k=20", "forest:k=20"]


@cache
def array(n=72, d=300, informative=15):
    """Two classes, with look-alikes among the features that tell them apart."""
    random = np.random.default_rng(0)
    y = np.array(["ALL", "AML"])[np.arange(n) % 2]
    X = random.normal(size=(n, d))
    X[:, :informative] += 1.2 * (y == "AML")[:, None]
    X[:, informative : 2 * informative] = X[:, :informative] + random.normal(scale=0.3, size=(n, informative))
    return pd.DataFrame(X, columns=[f"gene{f:03d}_at" for f in range(d)]), y


def assessed(X, y, selectors=METHODS, runs=20, **options):
    return st.assess(selectors, X, y, resampling=st.Subsample(runs, fraction=0.6), execution=KEPT, **options)


def times():
    X, _ = array(160)
    random = np.random.default_rng(1)
    hazard = np.exp(X.iloc[:, :5].sum(axis=1) / 2)
    y = st.Survival(np.ceil(100 * random.exponential(1 / hazard)), random.random(len(X)) < 0.8)
    return assessed(X, y, ["cox_score:k=10", "lasso:k=10", "anova:k=10"])


def counts():
    X, _ = array(120)
    mean = np.exp(1 + X.iloc[:, :4].sum(axis=1) / 4)
    return assessed(X, np.random.default_rng(2).poisson(mean), ["anova:k=10", "lasso:k=10"])


def covariates(folder):
    """An assessment of a file, which names covariates."""
    X, y = array()
    X.assign(age=np.random.default_rng(3).normal(60, 9, len(X)), class_=y).to_csv(folder / "array.csv", index=False)
    data = st.load_data(folder / "array.csv", "class_", force="age")
    return assessed(data, None, ["anova:k=20", "lasso:k=20"])


def lists(n=5, size=25):
    random = np.random.default_rng(4)
    names = [f"GENE{i}" for i in range(60)]
    return [sorted({*names[:6], *random.choice(names, size).tolist()}) for _ in range(n)]


def compared():
    X, y = array()
    results = [assessed(X, y, [name]) for name in METHODS[:3]]
    return st.compare({name: one.selections[name] for one in results for name in one.selections})


def tuned():
    X, y = array(60, 80)
    return st.tune(None, X, y, n_trials=30, resampling=st.KFold(4), random_state=0)


def replicated():
    return st.replication(METHODS[0], *array(), execution={"progress": False})


def joined():
    """An assessment with what the next study would select again, and whether predictions and coefficients hold."""
    return st.findings_of(assessed(*array()), replication=replicated())


def studies():
    X, y = array(80)
    parts = {name: (X[place::3], y[place::3]) for place, name in enumerate(("Leiden", "Oslo", "Utah"))}
    return st.compare_studies("anova:k=20", parts, execution={"progress": False})


RESULTS = {
    "two classes": lambda: assessed(*array()),
    "two classes, few features": lambda: assessed(*load_breast_cancer(return_X_y=True, as_frame=True), ["anova:k=10"]),
    "covariates": covariates,
    "three classes": lambda: assessed(*load_wine(return_X_y=True, as_frame=True), ["anova:k=5", "forest:k=5"]),
    "numbers": lambda: assessed(*load_diabetes(return_X_y=True, as_frame=True), ["anova:k=4", "lasso:k=4"]),
    "counts": counts,
    "times": times,
    "one list of runs": lambda: st.Selections.from_sets(lists(), features=[f"GENE{i}" for i in range(60)]),
    "compared": compared,
    "tuning": tuned,
    "replication": replicated,
    "assessment with a replication": joined,
    "studies": studies,
    "why": lambda: st.variance_split("forest:k=10", *array(40, 60), execution={"progress": False}),
    "shortlist": lambda: st.shortlist(*array(), permutations=20, splits=20, outer=4),
    "shortlist, noise": lambda: st.shortlist(array()[0].iloc[:, 40:], array()[1], permutations=20, splits=20, outer=4),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_a_report_is_at_most_4000_pixels_high_before_what_is_folded(kind, browser, tmp_path):
    found = covariates(tmp_path) if kind == "covariates" else RESULTS[kind]()
    page = browser.new_context(viewport={"width": 1280, "height": 6000}).new_page()  # in which every picture is drawn
    page.goto(st.report(found, tmp_path / "report.html").as_uri())
    until(lambda: page.evaluate(DRAWN), seconds=PATIENCE)
    height = page.evaluate("document.body.getBoundingClientRect().height")
    page.context.close()
    assert height <= MOST
