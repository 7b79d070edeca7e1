"""Why reruns differ: components against known ones, by hand, and in words."""

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.cli import run
from steadyset.foundation.errors import InputError
from steadyset.replications.sources import DATA, METHOD, OWN, SEED, components, driving_rows, parts_of

QUIET = {"progress": False}
RNG = np.random.default_rng(3)


def data(n=60, d=20):
    random = np.random.default_rng(0)
    X, y = random.normal(size=(n, d)), np.arange(n) % 2
    X[y == 1, :2] += 1
    return X, y


def crossed(n_data, n_seeds, n_methods):
    each = np.indices((n_data, n_seeds, n_methods)).reshape(3, -1)
    return dict(zip((DATA, SEED, METHOD), each, strict=True))


def test_components_of_a_crossed_design_are_unbiased():
    d, shape = 30, (8, 4, 3)
    truth = {frozenset({DATA}): 1.0, frozenset({METHOD}): 0.5, frozenset({DATA, METHOD}): 0.25}
    truth[frozenset({DATA, SEED, METHOD})] = 0.6
    draws = {}
    for _ in range(60):
        z = RNG.normal(size=d)
        for factors, variance in truth.items():
            size = tuple(n if name in factors else 1 for name, n in zip((DATA, SEED, METHOD), shape, strict=True))
            z = z + np.sqrt(variance) * RNG.normal(size=(*size, d))
        runs = z.reshape(-1, d)
        for factors, value in components(runs @ runs.T, crossed(*shape)).items():
            draws.setdefault(factors, []).append(value / d)
    assert len(draws) == 7
    for factors, values in draws.items():
        error = np.std(values, ddof=1) / np.sqrt(len(values))
        assert abs(np.mean(values) - truth.get(factors, 0.0)) < 4 * error + 1e-12


def test_two_resamples_by_hand():
    # Selections {a, b} and {a, c}: one feature in common of two, so that one of two differs.
    runs = np.array([[1, 1, 0], [1, 0, 1]])
    found = components(runs @ runs.T, {DATA: np.array([0, 1])})
    assert found == {frozenset({DATA}): 1.0}


def test_identical_runs_differ_by_nothing():
    runs = np.ones((24, 3))
    assert parts_of(runs @ runs.T, crossed(6, 2, 2), 2.0) == (0.0, ())
    result = st.variance_split(lambda X, y: [0, 1], *data(), resampling="bootstrap:n_runs=12", execution=QUIET)
    assert "All runs select the same features" in str(result)


def test_a_selector_that_draws_lots_is_found_out():
    class Lots(st.selectors.ForestSelector):
        def fit(self, X, y=None):
            super().fit(X, y)
            self.support_ = np.zeros(X.shape[1], bool)
            # Different in every fit, whatever the data: the seed and the rows only make it repeatable.
            random = np.random.default_rng([self.random_state, int(1e6 * abs(X).sum()) % 2**31])
            self.support_[random.choice(X.shape[1], 3, replace=False)] = True
            return self

        def _get_support_mask(self):
            return self.support_

    result = st.variance_split(
        Lots(k=3, n_estimators=2, task="classes"),
        *data(),
        resampling="bootstrap:n_runs=20",
        execution={**QUIET, "engine": "serial"},
    )
    table = result.table.set_index("source")
    assert table.loc[OWN, "share"] > 0.9
    assert table.loc["the data", "low"] <= 0.05
    assert "More of what the selector averages over" in str(result)
    assert result.sources.random == ("Lots",)


def test_filters_without_randomness_have_none(tmp_path):
    result = st.variance_split(["anova:k=3", "t_test:k=3"], *data(), resampling="bootstrap:n_runs=15", execution=QUIET)
    assert set(result.table["source"]) == {"the data", "the method", "data and method together"}
    assert result.table["features"].sum() == pytest.approx(result.sources.disagreement)
    assert "None of the methods has randomness of its own" in str(result)
    assert "Why do reruns differ?" in result.report(tmp_path / "r.md").read_text(encoding="utf-8")
    assert "crossed design" in st.methods_text(result)


def test_a_row_that_decides_is_named_and_others_are_not():
    inside = RNG.random((60, 30)) < 0.6
    chosen = RNG.random((60, 40)) < 0.1
    chosen[:, 0], chosen[:, 1] = inside[:, 7], ~inside[:, 7]
    found = driving_rows(chosen.astype(float), inside, [f"r{i}" for i in range(30)], 0)
    assert [one.label for one in found] == ["r7"]
    assert found[0].features == pytest.approx(2.0, abs=1.0)
    noise = [
        driving_rows((RNG.random((40, 40)) < 0.1) * 1.0, RNG.random((40, 30)) < 0.6, list(map(str, range(30))), i)
        for i in range(20)
    ]
    assert sum(map(bool, noise)) <= 4  # 5% expected


def test_no_selection_at_all_is_told_as_that():
    result = st.variance_split(lambda X, y: [], *data(), resampling="bootstrap:n_runs=12", execution=QUIET)
    assert "No run selects a feature: there is no disagreement to explain." in str(result)


def test_few_resamples_are_refused():
    with pytest.raises(InputError, match="at least 10"):
        st.variance_split("anova:k=3", *data(), resampling="bootstrap:n_runs=5", execution=QUIET)


def test_the_command_names_rows_and_continues(tmp_path, monkeypatch, capsys):
    X, y = data()
    pd.DataFrame(X, columns=[f"g{i}" for i in range(20)]).assign(y=np.where(y, "a", "b")).to_csv(
        tmp_path / "study.csv", index=False
    )
    monkeypatch.chdir(tmp_path)
    command = ["why", "study.csv", "--target", "y", "-s", "anova:k=3", "--resampling", "bootstrap:n_runs=12"]
    assert run(command) == 0
    first = capsys.readouterr().out
    assert "because of the data: one method without randomness of its own ran" in " ".join(first.split())
    assert run([*command, "--resume"]) == 0
    assert capsys.readouterr().out == first
