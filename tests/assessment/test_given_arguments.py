"""What people give to `assess` and to the functions of its results."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.feature_selection import SelectKBest

import steadyset as st
from steadyset.assessment import Assessment

RNG = np.random.default_rng(1)
X = pd.DataFrame(RNG.normal(size=(60, 5)), columns=list("abcde"))
Y = (X["a"] + X["b"] > 0).astype(int).to_numpy()
LABELS = np.where(Y == 1, "well", "ill")
HOW = {"n_runs": 5, "execution": st.Execution(progress=False, all_rows=False)}


@pytest.fixture(scope="module")
def one():
    return st.assess("anova:k=2", X, Y, **HOW)


@pytest.fixture(scope="module")
def two():
    return st.assess(["anova:k=2", "auc:k=3"], X, Y, **HOW)


def test_an_assessment_of_one_selector_stands_for_its_runs(one):
    runs = one.selections["anova:k=2"]
    assert st.stability(one) == st.stability(runs)
    assert st.confidence_interval(one) == st.confidence_interval(runs)
    assert st.test_threshold(one, 0.2) == st.test_threshold(runs, 0.2)
    assert st.runs_needed(one, 0.5) == st.runs_needed(runs, 0.5)


def test_an_assessment_of_several_selectors_is_compared_and_agreed_on_by_name(two):
    assert st.compare(two).pairs == two.compare().pairs == st.compare(two.selections).pairs
    assert st.consensus(two).features.equals(st.consensus(two.selections).features)
    table = st.stability_table(two, ["jaccard"])
    assert table.index.names == ["selector", "measure"]
    assert table.loc[("auc:k=3", "jaccard"), "estimate"] == st.stability(two.selections["auc:k=3"], "jaccard")
    assert st.features_table(two).equals(two.features_table())


def test_the_stability_of_several_selectors_asks_for_one_of_them(two):
    with pytest.raises(st.InputError, match=re.escape("selections['anova:k=2']")):
        st.stability(two)
    with pytest.raises(st.InputError, match="every run failed"):
        st.stability(Assessment(two.settings, []))


def test_a_new_seed_is_recorded_and_gives_the_same_again(tmp_path):
    found = st.assess("anova:k=2", X, Y, random_state=None, out=tmp_path / "runs", **HOW)
    seed = found.settings["seed"]
    assert st.assess("anova:k=2", X, Y, random_state=seed, **HOW).selections == found.selections
    assert st.assess("anova:k=2", X, Y, random_state=None, **HOW).settings["seed"] != seed
    more = st.assess("anova:k=2", X, Y, random_state=None, out=tmp_path / "runs", **HOW | {"n_runs": 6})
    assert more.settings["seed"] == seed


def test_a_new_seed_of_a_tuning_is_recorded():
    space = {"filter": ["anova"], "fraction": [0.4], "model": {"ridge": {"penalty": [1.0]}}}
    found = st.tune(
        space, X, Y, n_trials=1, resampling=st.KFold(3), random_state=None, execution=st.Execution(progress=False)
    )
    assert found.random_state == found.evaluator.plan.seed


@pytest.mark.parametrize("make", [lambda frame: frame, lambda frame: pytest.importorskip("polars").from_pandas(frame)])
def test_a_text_names_the_column_that_is_the_target_and_no_feature(make):
    patient = np.arange(60) // 2
    frame = make(X.assign(state=LABELS, patient=patient))
    found = st.assess("anova:k=2", st.Data(frame, "state", groups="patient"), **HOW)
    assert found.features == tuple("abcde")
    assert found.selections == st.assess("anova:k=2", st.Data(X, LABELS, groups=patient), **HOW).selections
    assert found.settings["details"]["target"] == "state"
    with pytest.raises(st.InputError, match=r"X has no column 'stat'; did you mean 'state'"):
        st.assess("anova:k=2", frame, "stat", **HOW)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: st.assess(X, Y, "anova"), r"selectors is the data; the order is assess\(selectors, X, y\)"),
        (lambda: st.assess(X.to_numpy(), Y), "selectors is the data"),
        (lambda: st.assess("anova", Y, X), "X and y are swapped"),
        (lambda: st.assess("anova", pd.Series(LABELS), X.to_numpy()), "X and y are swapped"),
        (lambda: st.tune(X, Y), r"space is the data; the order is tune\(space, X, y\)"),
        (lambda: st.tune({}, Y, X), "X and y are swapped"),
    ],
)
def test_swapped_arguments_are_recognised(call, said):
    with pytest.raises(st.InputError, match=said):
        call()


class OnlyCodes(SelectKBest):
    """A model that takes no classes but 0, 1, ..., as those of XGBoost."""

    def fit(self, X, y):
        if not np.array_equal(np.unique(y), np.arange(len(np.unique(y)))):
            raise ValueError("Invalid classes inferred from unique values of `y`.")
        return super().fit(X, y)


@pytest.mark.parametrize("labels", [LABELS, Y + 1, Y == 1])
def test_labels_are_encoded_for_selectors_that_need_codes(labels):
    coded = st.assess({"s": OnlyCodes(k=2)}, X, Y, **HOW)
    found = st.assess({"s": OnlyCodes(k=2)}, X, labels, **HOW)
    assert found.failures.empty
    assert found.selections == coded.selections


def test_labels_are_encoded_for_predictors_that_need_codes():
    xgboost = pytest.importorskip("xgboost")
    model = xgboost.XGBClassifier(n_estimators=3, n_jobs=1)
    how = {"predictor": model, "scoring": ["accuracy", "auc"], **HOW}
    found, coded = (st.assess({"s": model}, X, y, **how) for y in (LABELS, Y))
    assert found.failures.empty
    assert found.selections == coded.selections
    assert found.scores[["accuracy", "auc"]].equals(coded.scores[["accuracy", "auc"]])


def test_a_model_that_fails_for_another_reason_says_it():
    class Broken(SelectKBest):
        def fit(self, X, y):
            raise ValueError(f"broken on {y[0]}")

    with pytest.raises(st.InputError, match=r"broken on (ill|well)"):
        st.assess({"s": Broken()}, X, LABELS, **HOW | {"execution": st.Execution(engine="serial", all_rows=False)})


def test_a_line_says_that_kernels_are_compiled_where_a_bar_is_shown(capsys, monkeypatch):
    from steadyset.kernels import jit

    for nothing in (True, False):
        monkeypatch.setattr(jit, "nothing_compiled", lambda nothing=nothing: nothing)
        for progress in (True, False, None, print):
            jit.say_what_is_compiled(progress)
            said = jit.COMPILING if progress is True and nothing else ""
            assert capsys.readouterr().err.strip() == said
