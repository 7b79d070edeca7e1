"""Why reruns differ: components against known ones, by hand, and in words."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import steadyset as st
from steadyset.cli import run
from steadyset.foundation.errors import InputError
from steadyset.replications.sources import (
    DATA,
    METHOD,
    OWN,
    SEED,
    Source,
    components,
    driving_rows,
    parts_of,
    remedy_for,
)

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
    assert np.isnan(result.sources.remedy.times)
    assert "how many are enough, these runs do not bound" in " ".join(str(result).split())
    assert result.sources.random == ("Lots",)


def test_more_trees_leave_half_where_the_noise_is_known():
    # Scores t + sqrt(0.3) z + e with a noise e of variance 0.7 / m: at the m that is told, half is the noise's own.
    random = np.random.default_rng(1)
    t, z = random.normal(-1, 1, size=80), random.normal(size=(4000, 80))

    def shares(m):
        p = np.array([ndtr(np.sqrt(m / 0.7) * (t + np.sqrt(0.3) * one)) for one in z])
        own, total = (p * (1 - p)).mean(axis=0).sum(), (p.mean(axis=0) * (1 - p.mean(axis=0))).sum()
        return own / total, p.mean(axis=0)

    share, frequencies = shares(1)
    found = remedy_for(frequencies, Source(OWN, 1.0, share, share - 0.05, share + 0.05), 10)
    assert shares(found.times)[0] == pytest.approx(0.5, abs=0.02)
    assert found.low < found.times < found.high


@pytest.mark.parametrize("name", ["simulated", pytest.param("diabetes", marks=pytest.mark.slow)])
def test_forests_with_as_many_trees_as_told_are_half_their_own_randomness_or_less(name):
    if name == "simulated":
        X, y = np.random.default_rng(0).normal(size=(80, 50)), np.arange(80) % 2
        X[y == 1, :5] += 1
    else:
        from sklearn.datasets import load_diabetes

        X, y = load_diabetes(return_X_y=True)
        X, y = np.c_[X, np.random.default_rng(5).normal(size=(len(y), 30))][:200], y[:200]

    def split(trees):
        text = f"forest:k=5,n_estimators={trees}"
        return st.variance_split(text, X, y, resampling="bootstrap:n_runs=30", execution=QUIET).sources

    few = split(20)
    assert few.remedy.trees == 20
    many = split(int(np.ceil(few.remedy.times)) * 20)
    own = next(one for one in many.parts if one.name == OWN)
    assert own.low < 0.5
    assert own.share < 0.6


def test_more_trees_are_not_promised_where_copies_compete():
    # Two copies of each feature and an odd number of places: at 7 times as many trees still 7 of 10 are its own.
    X, y = np.random.default_rng(0).normal(size=(60, 10)), np.arange(60) % 2
    X[y == 1, :2] += 1.2
    copies = np.repeat(X, 2, axis=1)
    text = "forest:k=3,n_estimators=20"
    found = st.variance_split(text, copies, y, resampling="bootstrap:n_runs=20", execution=QUIET)
    assert found.sources.remedy.alike
    assert "more trees or seeds do not decide between them" in " ".join(str(found).split())
    assert "Grow about" not in str(found)


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


def test_a_row_has_the_name_that_its_file_gives_it(tmp_path):
    X, y = data()
    X[7, 0] = 40 * (1 - 2 * y[7])  # against its class: with this row the first feature is not selected
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(X.shape[1])]).assign(y=np.where(y, "a", "b"))
    frame.insert(0, "patient", [f"P{row:02}" for row in range(len(y))])
    frame.to_csv(tmp_path / "study.csv", index=False)
    given = st.load_data(tmp_path / "study.csv", target="y")
    result = st.variance_split("anova:k=2", given, resampling="bootstrap:n_runs=40", execution=QUIET)
    assert result.rows["label"].tolist() == ["P07"]
    assert "P07" in str(result)


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


@pytest.fixture
def study(tmp_path, monkeypatch):
    X, y = data()
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(20)]).assign(age=np.arange(60.0), y=np.where(y, "a", "b"))
    frame.to_csv(tmp_path / "study.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return frame


def words(capsys):
    said = capsys.readouterr()
    return " ".join((said.out + said.err).split())


def test_a_run_folder_says_all_that_made_it(study, tmp_path, monkeypatch, capsys):
    made = ["assess", "study.csv", "--target", "y", "-s", "anova:k=3", "-s", "t_test:k=3", "--drop", "age"]
    options = ["--resampling", "bootstrap:n_runs=12", "--seed", "5"]
    assert run([*made, *options]) == 0
    assert run(["why", "study-runs"]) == 0
    assert run(["why", "study.csv", *made[2:], *options, "--out", "typed"]) == 0
    folders = [st.Assessment.open(path) for path in ("study-why", "typed")]
    assert folders[0].settings["data_sha256"] == folders[1].settings["data_sha256"]
    assert [one.settings["seed"] for one in folders] == [5, 5]
    chosen = [[(cell.label, cell.selected) for cell in one.cells_of("t_test:k=3")] for one in folders]
    assert chosen[0] == chosen[1]
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert run(["why", "../study-runs", "--resampling", "bootstrap:n_runs=10", "--selector", "anova:k=2"]) == 0
    assert list(st.Assessment.open("study-why").settings["selectors"]) == ["anova:k=2"]


def test_data_that_changed_or_moved_since_are_told(study, tmp_path, capsys):
    assert run(["assess", "study.csv", "-t", "y", "-s", "anova:k=3", "--runs", "12", "--force", "age"]) == 0
    assert st.Assessment.open("study-runs").settings["force"] == ["age"]
    study.iloc[1:].to_csv("study.csv", index=False)
    assert run(["why", "study-runs"]) == 2
    assert "The assessment was made of other data than these: they changed since" in words(capsys)
    (tmp_path / "study.csv").unlink()
    assert run(["why", "study-runs"]) == 2
    assert "was made of study.csv, which is not there any more" in words(capsys)


def test_folders_of_others_do_not_say_which_data(study, capsys):
    X, y = data()
    result = st.assess("anova:k=3", X, y, resampling="bootstrap:n_runs=10", out="python", execution=QUIET)
    assert run(["why", "python"]) == 2
    assert "python was made by Python" in words(capsys)
    split = st.variance_split(result, X, y, resampling="bootstrap:n_runs=10", execution=QUIET)
    assert split.sources.methods == ("anova:k=3",)
    with pytest.raises(InputError, match="made of other data than these"):
        st.variance_split(result, X + 1, y, execution=QUIET)
    own = st.assess({"own": st.FilterSelector("anova", k=3)}, X, y, resampling=st.Bootstrap(10), execution=QUIET)
    with pytest.raises(InputError, match="own"):
        st.variance_split(own, X, y, execution=QUIET)
    assert run(["why", "study.csv", "-t", "y", "-s", "anova:k=3", "--resampling", "bootstrap:n_runs=10"]) == 0
    assert run(["why", "study-why"]) == 2
    assert "study-why was made by `steadyset why`" in words(capsys)


def test_replicate_takes_what_made_a_run_folder(study, tmp_path, monkeypatch, capsys):
    made = ["study.csv", "--target", "y", "--drop", "age", "--seed", "5"]
    assert run(["assess", *made, "-s", "anova:k=3", "--runs", "4"]) == 0
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    capsys.readouterr()
    assert run(["replicate", "../study-runs", "--pairs", "10"]) == 0
    said = words(capsys)
    typed = ["replicate", "../study.csv", *made[1:], "--selector", "anova:k=3", "--pairs", "10", "--out", "typed"]
    taken = said.split("Taken from ../study-runs: steadyset replicate ")[1].split(" ../study.csv: ")[0].split()
    assert sorted(taken) == sorted(typed[1:-2])
    assert run(typed) == 0
    mine, other = (st.Assessment.open(path).cells for path in ("study-replication", "typed"))
    assert [cell.selected for cell in mine] == [cell.selected for cell in other]
    job = st.Assessment.open("study-replication").settings["details"]["job"]
    assert job["options"]["files"] == ["../study.csv"]
    assert job["options"]["selector"] == "anova:k=3"
    assert run(["replicate", *taken, "--resume"]) == 0


def test_replicate_asks_which_of_several_selectors_is_meant(study, capsys):
    assert run(["assess", "study.csv", "-t", "y", "-s", "anova:k=3", "-s", "t_test:k=3", "--runs", "4"]) == 0
    assert run(["replicate", "study-runs"]) == 2
    assert "study-runs has 2 selectors" in (said := words(capsys))
    assert "Name it with --selector anova:k=3." in said
    assert run(["replicate", "study-runs", "--selector", "t_test:k=3", "--pairs", "10"]) == 0
    assert st.Assessment.open("study-replication").settings["selectors"].keys() == {"t_test:k=3"}
    assert run(["replicate", "study.csv", "-t", "y"]) == 2
    assert "Give --selector anova:k=10." in words(capsys)


def test_replicate_tells_data_that_changed_since(study, capsys):
    assert run(["assess", "study.csv", "-t", "y", "-s", "anova:k=3", "--runs", "4"]) == 0
    study.iloc[1:].to_csv("study.csv", index=False)
    assert run(["replicate", "study-runs", "--pairs", "10"]) == 2
    assert "The assessment was made of other data than these: they changed since" in words(capsys)


def test_replication_takes_an_assessment_of_the_same_data():
    X, y = data()
    made = st.assess("anova:k=3", X, y, resampling="bootstrap:n_runs=4", execution=QUIET)
    mine = st.replication(made, X, y, pairs=10, execution=QUIET)
    assert mine.replicated == st.replication("anova:k=3", X, y, pairs=10, execution=QUIET).replicated
    with pytest.raises(InputError, match="made of other data than these"):
        st.replication(made, X + 1, y, pairs=10, execution=QUIET)
    two = st.assess(["anova:k=3", "t_test:k=3"], X, y, resampling="bootstrap:n_runs=4", execution=QUIET)
    with pytest.raises(InputError, match="The assessment has 2 selectors"):
        st.replication(two, X, y, pairs=10, execution=QUIET)
