"""Whether the next study selects the same: designs, curves, and answers where the truth is known."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import skew

import steadyset as st
from steadyset.cli import run
from steadyset.foundation.errors import InputError
from steadyset.replications.curve import fitted_curves, interval_at, noise_of
from steadyset.replications.result import QUANTILE
from steadyset.replications.run import SHARES, WHOLE, DisjointPairs, sizes_of
from steadyset.resampling import Rows

QUIET = {"progress": False}
RNG = np.random.default_rng(0)


def data(n=80, d=50, shift=1.0, seed=0):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(n, d)), np.arange(n) % 2
    X[y == 1, :5] += shift
    return X, y


@pytest.fixture(scope="module")
def found():
    return st.replication("anova:k=5", *data(), pairs=30, execution=QUIET)


def test_both_studies_of_a_pair_have_the_rows_of_their_size_and_share_none():
    rows = Rows(81)
    drawing = DisjointPairs(12)
    sizes = sizes_of(81, 12)
    runs = iter(range(drawing.n_runs_for(rows)))
    for size in sizes:
        available = set()
        for _ in range(size.pairs):
            first, second = (set(drawing.draw(next(runs), rows, 3).train) for _ in range(2))
            assert len(first) == len(second) == size.rows
            assert not first & second
            available |= first | second
        if size.split != WHOLE:
            assert len(available) <= 40
    assert next(runs, None) is None


def test_halves_of_a_split_share_no_row():
    rows, drawing, sizes = Rows(80), DisjointPairs(12), sizes_of(80, 12)
    seen = {}
    start = 0
    for size in sizes:
        for number in range(start, start + size.runs):
            seen.setdefault((size.split, size.half), set()).update(drawing.draw(number, rows, 0).train)
        start += size.runs
    for split in range(6):
        assert not seen[split, 0] & seen[split, 1]


def test_a_curve_that_is_given_exactly_is_found_again():
    shares = np.array(SHARES)
    agreements = 1 / (1 + np.exp(-0.5 * (np.log2(shares) + 1)))
    curves = fitted_curves(shares, agreements, np.full(5, 1e-5), 0.05, 0)
    for multiple, truth, seen in ((1, 0.62, (0.51, 0.69)), (2, 0.73, (0.54, 0.83)), (4, 0.82, (0.54, 0.92))):
        low, high = curves.quantiles(curves.at(multiple), (0.025, 0.975))
        assert low < truth < high
        np.testing.assert_allclose((low, high), seen, atol=0.02)  # the figures of the specification
    flat = fitted_curves(shares, np.full(5, 0.3), np.full(5, 1e-5), 0.05, 0)
    low, high = flat.quantiles(flat.at(4), (0.025, 0.975))
    np.testing.assert_allclose((low, high), (0.292, 0.462), atol=0.01)


def test_noise_by_hand():
    # Variance (0.1^2 + 0.3^2) / 2 / 2 - 0.005 = 0.02; 0.02 / (0.5 * 0.5 * 1) = 0.08; (2 / 16 + 5 * 0.08) / 7.
    phi = noise_of({0.5: np.array([0.1, -0.3])}, {0.5: 0.5}, {0.5: 0.005})
    assert phi == pytest.approx(np.sqrt((2 * 0.0625 + 5 * 0.08) / 7))
    assert noise_of({}, {}, {}) == pytest.approx(0.25)


def test_interval_holds_what_is_measured_and_stays_between_chance_and_identity():
    low, high = interval_at(0.5, 0.5, 0.25, 1.96)
    assert 0.2 < low < 0.5 < high < 0.8
    assert interval_at(0.5, -0.02, 0.25, 1.96)[0] == 0
    assert interval_at(0.5, 1.0, 0.25, 1.96)[1] == 1


def test_the_same_selection_every_time_agrees_fully():
    X, y = data()
    found = st.replication(lambda X, y: [0, 3, 4], X, y, pairs=10, execution=QUIET).replicated
    assert [one.agreement for one in found.measured] == [1.0] * 5
    for study in found.studies:
        assert not np.isnan([study.agreement, study.low, study.high, study.again]).any()
    assert found.studies[0].high == 1.0
    assert found.studies[0].one_high == 1.0
    assert {one.frequency for one in found.features} == {1.0}


def test_noise_is_told_as_chance():
    X, y = data(100, 200, shift=0.0)
    result = st.replication("anova:k=10", X, y, pairs=40, execution=QUIET)
    half, same, *_ = result.replicated.studies
    assert half.low == same.low == 0.0
    assert result.replicated.share(half.low) == pytest.approx(10 / 200)
    assert "may agree no better than random choices" in str(result)
    assert "Most likely to come out again" not in str(result)


def test_a_seed_repeats_and_names_of_columns_change_nothing(found):
    X, y = data()
    named = pd.DataFrame(X, columns=[f"{i}" for i in range(50)])
    again = st.replication("anova:k=5", named, y, pairs=30, execution=QUIET)
    pd.testing.assert_frame_equal(again.table, found.table)
    assert [f"x{one}" for one in again.features["feature"]] == found.features["feature"].tolist()


def test_order_of_rows_changes_no_more_than_drawing_pairs_does(found):
    X, y = data()
    order = RNG.permutation(len(y))
    again = st.replication("anova:k=5", X[order], y[order], pairs=30, execution=QUIET).measured
    gap = (again["agreement"] - found.measured["agreement"]).abs()
    assert (gap <= 4 * np.hypot(again["error"], found.measured["error"])).all()


def test_sizes_at_which_the_selector_fails_are_left_out_with_a_note():
    X, y = data()

    def needs_rows(X, y):
        if len(X) < 20:
            raise ValueError("too few")
        return [0, 1, 2]

    found = st.replication(needs_rows, X, y, pairs=10, execution=QUIET).replicated
    assert [one.rows for one in found.measured] == [20, 26, 40]
    assert "Studies of 10 rows are left out: 10 of 10 pairs failed." in found.notes


def test_models_are_not_asked_for_studies_of_about_as_many_rows_as_features():
    X, y = data()
    found = st.replication("lasso:k=8", X, y, pairs=10, execution=QUIET).replicated
    assert 10 not in [one.rows for one in found.measured]
    assert "Studies of 10 rows are left out: too few rows for a model of 8 features." in found.notes


@pytest.mark.parametrize(
    ("selector", "options", "sentence"),
    [
        (lambda X, y: list(range(1 + len(X) % 7)), {}, "only a fixed number of features was validated"),
        (lambda X, y: list(range(50)), {}, "selects 50 of 50 features"),
        (["anova:k=5", "lasso:k=5"], {}, "selector must be one selector"),
        ("anova:k=5", {"pairs": 3}, "pairs must be"),
    ],
)
def test_what_was_not_validated_is_refused(selector, options, sentence):
    X, y = data()
    with pytest.raises(InputError, match=sentence):
        st.replication(selector, X, y, **{"pairs": 10, **options}, execution=QUIET)


def test_groups_and_few_rows_are_refused():
    X, y = data()
    with pytest.raises(InputError, match="groups of rows"):
        st.replication("anova:k=5", st.Data(X, y, groups=np.arange(80) // 2), pairs=10)
    with pytest.raises(InputError, match="at least 32"):
        st.replication("anova:k=5", X[:30], y[:30], pairs=10)


def test_findings_document_and_picture(found, tmp_path):
    said = st.findings_of(found)
    assert said.kind == "replication"
    assert "in two independent studies of 40 rows each" in said.answer[0]
    picture = found.plot()
    assert picture.data["rows"].tolist() == [10, 13, 20, 26, 40, 80, 160, 320]
    assert (picture.data["low"] <= picture.data["in_common"]).all()
    text = found.report(tmp_path / "report.md").read_text(encoding="utf-8")
    assert "Would the next study select the same features?" in text
    assert "disjoint random parts of the rows" in st.methods_text(found)


def test_the_command_writes_a_folder_that_is_continued_and_reported(tmp_path, monkeypatch, capsys):
    X, y = data(64, 20)
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(20)]).assign(y=np.where(y, "case", "control"))
    frame.to_csv(tmp_path / "study.csv", index=False)
    monkeypatch.chdir(tmp_path)
    command = ["replicate", "study.csv", "--target", "y", "--selector", "anova:k=4", "--pairs", "10"]
    assert run(command) == 0
    first = capsys.readouterr().out
    assert "Of this list of 4, a new study of 64 rows" in first
    assert run([*command, "--resume"]) == 0
    assert capsys.readouterr().out == first
    assert run(["report", "study-replication", "--out", "r.md"]) == 0
    assert "The next study" in (tmp_path / "r.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("function", ["replication", "compare_studies", "variance_split"])
def test_a_folder_made_in_python_says_what_the_result_says(function, tmp_path, capsys):
    X, y = data(64, 20)
    folder = tmp_path / "made"
    more = {"out": folder, "execution": QUIET}
    if function == "replication":
        found = st.replication("anova:k=4", X, y, pairs=10, **more)
    elif function == "compare_studies":
        studies = {"a": data(64, 20, seed=1), "b": data(64, 20, seed=2)}
        found = st.compare_studies("anova:k=4", studies, pairs=10, **more)
    else:
        found = st.variance_split(["anova:k=4", "t_test:k=4"], X, y, resampling="bootstrap:n_runs=12", **more)
    assert st.findings_of(folder).answer == st.findings_of(found).answer
    assert run(["report", str(folder), "--out", str(tmp_path / "r.md")]) == 0
    said = " ".join((tmp_path / "r.md").read_text(encoding="utf-8").split())
    assert st.findings_of(found).answer[0].partition(":")[0] in said


@pytest.mark.parametrize("selector", ["cox_score:k=4", "lasso:k=4"])
def test_times_to_event_replicate_as_far_as_they_depend_on_the_features(selector):
    random = np.random.default_rng(4)
    X = random.normal(size=(80, 40))
    times = random.exponential(size=80) / np.exp(X[:, :3].sum(axis=1))
    event = random.random(80) < 0.8
    found = st.replication(selector, X, st.Survival(times, event), pairs=12, execution=QUIET).replicated
    assert found.studies[0].low > 0
    assert {"x0", "x1", "x2"} <= {one.feature for one in found.features}
    noise = st.replication(selector, X, st.Survival(random.permutation(times), event), pairs=12, execution=QUIET)
    assert noise.replicated.studies[0].low == 0


def test_the_target_that_is_a_skewed_number_is_told_with_how_often_intervals_held():
    X, _ = data(80, 20)
    normal = X[:, 0] + np.random.default_rng(5).normal(size=80)

    def cautions(y, task="number", selector="anova:k=3"):
        found = st.replication(selector, st.Data(X, y, task=task), pairs=10, execution=QUIET)
        told = [note for note in st.findings_of(found).notes if "skewness" in note]
        assert told == [note for note in found.replicated.notes if "skewness" in note]
        return told

    assert cautions(normal) == []
    skewed = np.exp(1.5 * normal)
    assert f"skewness {skew(skewed):.1f}" in cautions(skewed)[0]
    assert cautions(-skewed)
    assert cautions(skewed, selector="kruskal:k=3") == []
    assert cautions((normal > 1.5).astype(int), "classes") == []


def test_counts_replicate():
    X, y = data()
    found = st.replication("anova:k=4", st.Data(X, y + 1, task="count"), pairs=10, execution=QUIET)
    assert found.settings["task"] == "count"


def test_an_agreement_below_chance_is_no_more_certain_than_chance():
    assert interval_at(0.5, -0.3, 0.25, QUANTILE) == interval_at(0.5, 0.0, 0.25, QUANTILE)
    low, high = interval_at(0.5, -0.3, 0.25, QUANTILE)
    assert low == 0.0
    assert high > 0.05


def test_noise_promises_no_feature_of_the_list_again():
    for seed in range(3):
        random = np.random.default_rng(seed)
        found = st.replication("anova:k=3", random.normal(size=(60, 30)), np.arange(60) % 2, pairs=20, execution=QUIET)
        assert found.replicated.studies[0].low == 0.0
        said = " ".join(st.findings_of(found).answer)
        assert "a new study of 60 rows may then select no more again than chance" in said
        assert "a single one between" not in said
