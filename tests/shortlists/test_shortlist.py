"""The shortlist as users meet it: its result, its folder, its sentences and its command."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

import steadyset as st
from steadyset.cli import run
from steadyset.findings import findings_of, shortlist_words
from steadyset.foundation.errors import InputError
from steadyset.shortlists.listed import Found
from steadyset.shortlists.run import shortlist

FEW = {"bases": ["filter"], "permutations": 20, "splits": 20}


def data(n=60, d=60, shift=1.6, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    y = np.array(["well", "ill"])[np.arange(n) % 2]
    X[y == "well", :3] += shift
    return pd.DataFrame(X, columns=[f"gene{f}" for f in range(d)]), y


@pytest.fixture(scope="module")
def found():
    return st.shortlist(*data(), **FEW, outer=5)


def test_repeats_say_how_well_it_predicts_and_whether_it_comes_again(found):
    assert found.score.score == "accuracy"
    assert found.score.low <= found.score.estimate <= found.score.high
    assert found.score.estimate > found.score.random
    assert found.score.better
    assert found.stability.n_repeats == 5
    assert found.stability.low <= found.stability.stability <= found.stability.high <= 1
    listed = found.features.set_index("feature").loc[found.selected, "came_back"]
    again = found.evaluation.selections["shortlist"]
    assert listed.to_dict() == {name: again.frequencies[again.features.index(name)] for name in found.selected}


def test_the_repeats_know_strata_and_groups_of_the_rows_they_have():
    X, y = data(72)
    strata = np.repeat(["a", "b", "c"], 24)
    plain = st.shortlist(X, y, **FEW, outer=2)
    within = st.shortlist(X, y, strata=strata, **FEW, outer=2)
    assert plain.features["q_value"].tolist() != within.features["q_value"].tolist()
    groups = np.repeat(np.arange(36), 2)
    y = np.array(["well", "ill"])[groups % 2]
    together = st.shortlist(st.Data(X, y, groups=groups), **FEW, outer=2)
    assert together.stability.n_repeats == 2


def test_columns_of_the_frame_and_names_are_those_that_are_promised(found):
    columns = [
        "feature",
        "tier",
        "frequency",
        "low",
        "high",
        "direction",
        "effect",
        "effect_low",
        "effect_high",
        "group",
        "q_value",
    ]
    assert list(found.features)[: len(columns)] == columns
    assert set(found.selected) >= {"gene0", "gene1", "gene2"}
    assert found.features["feature"][: len(found.selected)].tolist() == found.selected
    assert (found.candidates["tier"] == "candidate").all()
    assert len(found.candidates) >= 10
    assert found.support.sum() == len(found.selected)
    assert found.features["direction"][0] == "higher in well"


@pytest.mark.parametrize("allowed", [{}, {"false": 3.0}, {"fdr": 0.2, "permutations": 50}])
@pytest.mark.parametrize("bases", [["filter"], ["filter", "lasso"]])
def test_q_values_never_fall_along_the_list_and_its_candidates(allowed, bases):
    """Also where members of listed groups stand between the features: two columns take turns."""
    X, y = data(d=40)
    random = np.random.default_rng(1)
    X["gene30"] += 1.0 * (y == "well")
    X["gene31"] = X["gene30"] + 0.3 * random.normal(size=len(X))
    X["gene32"] = X["gene30"] + 0.3 * random.normal(size=len(X))
    table = st.shortlist(X, y, **{**FEW, "bases": bases, **allowed}, outer=0).features
    assert table["q_value"].is_monotonic_increasing
    assert table["q_value"].between(0.0, 1.0, inclusive="right").all()


def test_one_sentence_explains_order_percentage_and_q(found):
    legend = shortlist_words.list_legend(found.listed)[0]
    assert all(word in legend for word in ("ordered by", "of halves", "q is"))
    assert legend in " ".join(str(found).split())


def test_what_is_printed_opens_with_the_answer(found):
    said = str(found).splitlines()
    assert said[2].startswith(f"{len(found.selected)} features tell well from ill; about 1 of them may be false.")
    assert "Higher in well: gene" in said[3]
    for heading in ("Does it predict?", "Would it come out again?", "What would help?"):
        assert heading in said


def test_a_list_that_chance_gives_as_well_is_told_so(found):
    crowded = replace(found.listed, null_counts=(len(found.selected),) * 20)
    assert "does not show that any of them is real" in " ".join(shortlist_words.answer(crowded))
    assert "does not show" not in " ".join(shortlist_words.answer(found.listed))


def test_a_list_that_does_not_predict_is_told_so(found):
    blind = replace(found.listed, prediction=replace(found.score, beats_random=False))
    assert "not shown to predict better" in " ".join(shortlist_words.answer(blind))


def test_nothing_listed_names_the_closest_and_what_could_have_been_found(found):
    none = replace(
        found.listed,
        features=tuple(one for one in found.listed.features if one.tier == "candidate"),
        power=(Found(1.0, 0.4), Found(2.0, 0.9)),
    )
    said = " ".join(shortlist_words.answer(none))
    assert said.startswith("No feature passes yet. The closest: gene")
    assert "an effect of 2 standard deviations" in said
    assert "with probability 90%" in said


@pytest.mark.parametrize(("shift", "n"), [(0.0, 40), (0.0, 60)])
def test_without_any_effect_few_are_listed(shift, n):
    counts = [len(st.shortlist(*data(n, 100, shift, seed), **FEW, outer=0).selected) for seed in range(12)]
    assert np.mean(counts) <= 1 + 4 * max(np.std(counts), 1) / np.sqrt(len(counts))


def test_missing_values_need_a_word_and_are_filled_without_the_target():
    X, y = data()
    X.iloc[3, 5] = np.nan
    with pytest.raises(InputError, match="missing value"):
        st.shortlist(X, y, **FEW, outer=0)
    assert set(st.shortlist(st.Data(X, y, impute="median"), **FEW, outer=0).selected) >= {"gene0", "gene1", "gene2"}


def test_a_folder_continues_and_gives_the_same(tmp_path, monkeypatch):
    X, y = data()
    whole = st.shortlist(X, y, **FEW, outer=2)

    def stop(done, total):
        if done == 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        st.shortlist(X, y, **FEW, outer=2, out=tmp_path / "list", execution={"progress": stop})
    kept = sorted(path.name for path in (tmp_path / "list" / "targets").iterdir())
    assert 8 <= len(kept) < 21
    (tmp_path / "list" / "targets" / kept[2]).write_bytes(b"damaged")
    again = st.shortlist(X, y, **FEW, outer=2, out=tmp_path / "list")
    assert again.features.equals(whole.features)
    assert again.score == whole.score
    with pytest.raises(InputError, match="other data or settings"):
        st.shortlist(X, y, **FEW | {"splits": 10}, outer=2, out=tmp_path / "list")
    with pytest.raises(InputError, match="already holds a shortlist"):
        st.shortlist(X, y, **FEW, outer=2, out=tmp_path / "list", execution={"resume": False})


def test_a_folder_made_from_python_has_the_list_and_what_reports_need(tmp_path):
    X, y = data()
    found = st.shortlist(X, y, **FEW, outer=0, out=tmp_path / "list")
    assert (tmp_path / "list" / "shortlist.txt").read_text(encoding="utf-8").split() == found.selected
    sheet = pd.read_excel(tmp_path / "list" / "shortlist.xlsx", engine="openpyxl")
    for table in (pd.read_csv(tmp_path / "list" / "shortlist.csv"), sheet):
        assert table["feature"].tolist() == found.features["feature"].tolist()
    kept = st.findings_of(tmp_path / "list")
    assert kept.shortlist.names == found.selected
    assert "permuted 20 times" in str(kept.methods)


@pytest.mark.parametrize("d", [1, 2, 5, 9])
def test_few_features_are_judged_as_many_are(d):
    X, y = data(d=max(d, 3))
    found = st.shortlist(X.iloc[:, :d], y, bases=["filter"], fdr=0.1, outer=0)
    assert set(found.selected) >= {f"gene{f}" for f in range(min(d, 3))}
    noise = st.shortlist(X.sample(frac=1, random_state=1).to_numpy()[:, :d], y, bases=["filter"], fdr=0.1, outer=0)
    assert noise.selected == []


def test_minutes_bound_it_and_what_was_left_out_is_told():
    X, y = data()
    hurried = shortlist(X, y, bases=["filter"], splits=20, permutations=200, outer=5, minutes=1e-6)
    assert hurried.listed.n_permutations < 200
    assert hurried.score is None
    said = str(hurried)
    assert "permuted targets of 200" in said
    assert "no time for repeats" in said


def test_the_command_writes_the_list_and_reports_follow(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, y = data()
    X.assign(status=y).to_csv("genes.csv", index=False)
    few = ["--base", "filter", "--permutations", "20", "--splits", "20", "--outer", "2"]
    assert run(["shortlist", "genes.csv", "--target", "status", *few]) == 0
    said = capsys.readouterr().out
    assert "features tell well from ill; about 1 of them may be false." in said
    names = (tmp_path / "genes-shortlist" / "shortlist.txt").read_text(encoding="utf-8").split()
    table = pd.read_csv(tmp_path / "genes-shortlist" / "shortlist.csv")
    assert table["feature"][table["tier"] == "listed"].tolist() == names
    sheet = pd.read_excel(tmp_path / "genes-shortlist" / "shortlist.xlsx", engine="openpyxl")
    pd.testing.assert_frame_equal(sheet, table, check_dtype=False)
    assert run(["report", "genes-shortlist", "--out", "list.json"]) == 0
    content = json.loads((tmp_path / "list.json").read_text(encoding="utf-8"))
    assert content["kind"] == "shortlist"
    assert [one["feature"] for one in content["shortlist"]["features"] if one["tier"] == "listed"] == names
    assert run(["methods", "genes-shortlist"]) == 0
    assert "permuted 20 times" in capsys.readouterr().out
    assert run(["shortlist", "genes.csv", "--target", "status", *few, "--false", "0"]) == 2
    assert "--false must be a number above 0" in capsys.readouterr().err


def test_the_command_takes_columns_of_strata_and_of_groups(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    X, y = data(72)
    batch = np.array(["north", "south", "west"])[np.arange(72) // 24]
    X.assign(status=y, batch=batch).to_csv("genes.csv", index=False)
    few = ["--base", "filter", "--permutations", "20", "--splits", "20", "--outer", "2"]
    assert run(["shortlist", "genes.csv", "--target", "status", "--strata", "batch", *few]) == 0
    assert "72 rows, 60 features, target 'status', 3 strata by 'batch'" in capsys.readouterr().out
    table = pd.read_csv("genes-shortlist/shortlist.csv")
    within = st.shortlist(X, y, strata=batch, **FEW, outer=2)
    named = st.shortlist(X.assign(status=y, batch=batch), "status", strata="batch", **FEW, outer=2)
    assert table["feature"].tolist() == within.features["feature"].tolist() == named.features["feature"].tolist()
    assert run(["methods", "genes-shortlist"]) == 0
    assert "within 3 strata" in capsys.readouterr().out
    assert run(["shortlist", "genes.csv", "--target", "status", "--strata", "status", *few, "--out", "b"]) == 2
    assert "'status' is the target and cannot name the strata too" in capsys.readouterr().err
    patients = np.arange(72) // 2
    X.assign(patient=patients, status=np.array(["well", "ill"])[patients % 2]).to_csv("patients.csv", index=False)
    assert run(["shortlist", "patients.csv", "--target", "status", "--groups", "patient", *few]) == 0
    assert "36 groups by 'patient'" in capsys.readouterr().out
    assert run(["methods", "patients-shortlist"]) == 0
    assert "36 groups of rows" in capsys.readouterr().out


def test_what_differs_between_strata_is_no_effect_and_hides_none():
    X, y = data(72)
    batch = np.arange(72) // 24
    shifted = X + np.random.default_rng(5).normal(scale=5, size=(3, 60))[batch]
    assert set(st.shortlist(shifted, y, strata=batch, **FEW, outer=0).selected) >= {"gene0", "gene1", "gene2"}
    pairs = np.arange(72) // 2
    apart = X + np.random.default_rng(5).normal(scale=5, size=(36, 60))[pairs]
    assert set(st.shortlist(st.Data(apart, y, groups=pairs), **FEW, outer=0).selected) >= {"gene0", "gene1", "gene2"}


def test_values_may_be_large_small_or_far_from_zero():
    X, y = data()
    expected = st.shortlist(X, y, **FEW, outer=0).selected
    for scale, place in ((1e160, 0.0), (1e-200, 0.0), (1.0, 1e10)):
        assert st.shortlist(X * scale + place, y, **FEW, outer=0).selected == expected
    number = X["gene0"] + 0.5 * np.random.default_rng(1).normal(size=60)
    listed = [st.shortlist(X, number * scale, **FEW, outer=0).selected for scale in (1.0, 1e160, 1e-200)]
    assert listed[0][0] == "gene0"
    assert listed[0] == listed[1] == listed[2]


def test_a_feature_that_separates_the_classes_has_a_large_effect():
    X, y = data(shift=0.0)
    found = st.shortlist(X.assign(same=(y == "ill").astype(float)), y, **FEW, outer=0).features
    assert found["feature"][0] == "same"
    assert found["effect"][0] > 10
    assert "more than 10" in str(st.shortlist(X.assign(same=(y == "ill").astype(float)), y, **FEW, outer=0))


def test_effects_count_groups_of_rows_not_rows():
    """Five copies of each of 24 units say no more than the units: the intervals are as wide."""
    random = np.random.default_rng(3)
    units, target = random.normal(size=(24, 60)), np.arange(24) % 2
    units[target == 1, :2] += 2.5
    groups = np.repeat(np.arange(24), 5)
    plain = st.shortlist(units, target, **FEW, outer=0).features
    copied = st.shortlist(st.Data(units[groups], target[groups], groups=groups), **FEW, outer=0).features
    for found in (plain, copied):
        found["width"] = found["effect_high"] - found["effect_low"]
    assert copied["width"][:2].tolist() == pytest.approx(plain["width"][:2].tolist(), rel=0.3)


def test_effects_are_not_corrected_where_that_is_not_valid():
    X, y = data()
    few = st.Survival(np.arange(1.0, 61.0), np.arange(60) % 3 == 0)  # 20 events
    strata = st.Data(X, st.Survival(np.arange(1.0, 61.0), np.ones(60)), strata=np.arange(60) % 2)
    for given in ((X[:20], y[:20]), (X, few), (strata,)):
        found = st.shortlist(*given, **FEW, false=20.0, outer=0)
        listed = found.features.query("tier == 'listed'")
        assert len(listed)
        assert not listed["corrected"].any()
        assert listed["effect"].tolist() == listed["uncorrected_effect"].tolist()
        assert "not corrected for selection" in " ".join(str(found).split())


def hazards(random, n):
    """The first feature's hazard ratio is exp(0.7) per unit; four of ten rows are censored."""
    X = random.normal(size=(n, 30))
    time, end = random.exponential(size=(2, n)) * np.stack([np.exp(-0.7 * X[:, 0]), np.full(n, 1.5)])
    return X, st.Survival(np.minimum(time, end), time <= end), np.exp(0.7 * X[:, 0].std())


def several(random, n):
    """The first feature is 1.2 standard deviations higher in one of three classes."""
    X, y = random.normal(size=(n, 30)), np.arange(n) % 3
    X[y == 1, 0] += 1.2
    return X, y, 1.2


def strata_apart(random, n):
    """The same of two classes, where strata differ in both: 3 standard deviations, and 30% to 70% of a class."""
    X, strata = random.normal(size=(n, 30)), np.arange(n) % 3
    y = (random.random(n) < np.array([0.3, 0.5, 0.7])[strata]).astype(int)
    X += 3.0 * strata[:, None]
    X[y == 1, 0] += 1.2
    return st.Data(X, y, strata=strata), None, 1.2


def pairs(random, n):
    """The same of pairs of rows, one of each class."""
    groups = np.repeat(np.arange(n // 2), 2)
    X, y = random.normal(size=(n, 30)) + 3.0 * random.normal(size=(n // 2, 30))[groups], np.arange(n) % 2
    X[y == 1, 0] += 1.2
    return st.Data(X, y, groups=groups), None, 1.2


@pytest.mark.parametrize("drawn", [hazards, several, strata_apart, pairs])
def test_intervals_of_listed_effects_hold_the_truth(drawn):
    """Of the true feature, and of false ones that are corrected, in most of a dozen draws; others hold no false one."""
    true, false = [], []
    none = 1.0 if drawn is hazards else 0.0
    for draw in range(12):
        X, y, effect = drawn(np.random.default_rng([draw, 29]), 72)
        found = st.shortlist(X, y, **FEW, outer=0, false=2.0).features.query("tier == 'listed'")
        for row in found.itertuples():
            if row.feature == "x0":
                true.append(row.effect_low <= effect <= row.effect_high)
            elif row.corrected:
                false.append(row.effect_low <= none <= row.effect_high)
    assert len(true) >= 9
    assert np.mean(true) >= 0.75
    assert not false or np.mean(false) >= 0.75
    assert false or drawn is several


def test_a_hazard_ratio_is_that_of_the_model_of_the_feature_alone_less_what_listing_adds():
    X, y, _ = hazards(np.random.default_rng(4), 80)
    found = st.shortlist(X, y, **FEW, outer=0)
    row = found.features.set_index("feature").loc["x0"]
    values = (X[:, :1] - X[:, 0].mean()) / X[:, 0].std(ddof=1)
    alone = st.CoxModel(penalty=0.0, ties="efron").fit(values, y).coef_[0]
    assert row["direction"] == "shorter time"
    assert row["uncorrected_effect"] == pytest.approx(np.exp(alone), rel=1e-9)
    assert 0.6 * alone < np.log(row["effect"]) < alone
    assert found.listed.effect == "hazard ratio"
    assert "hazard ratio per standard deviation" in " ".join(str(found).split())
    assert "a hazard ratio of" in str(found).partition("Power")[2]


def confounded(random, kind, n=60):
    """Age drives the target and half of the features; the last feature has an effect beside it."""
    age, X = random.normal(size=n), random.normal(size=(n, 40))
    X[:, :20] += 2 * age[:, None]
    drawn = 1.5 * age + random.normal(size=n)
    X[:, -1] += drawn - 1.5 * age
    y = {
        "number": drawn,
        "classes": np.where(drawn > 0, "ill", "well"),
        "several": np.searchsorted([-1.0, 1.0], drawn),
        "times": st.Survival(np.exp(-drawn), random.random(n) < 0.8),
    }[kind]
    return X, y, age


@pytest.mark.parametrize("kind", ["number", "classes", "several", "times"])
def test_what_a_covariate_explains_is_no_effect_and_hides_none(kind):
    numbers, true = [], 0
    for draw in range(12):
        X, y, age = confounded(np.random.default_rng([draw, 31]), kind)
        found = st.shortlist(st.Data(X, y, force={"age": age}), **FEW, outer=0).selected
        numbers.append(len(set(found) - {"x39"}))
        true += "x39" in found
    assert np.mean(numbers) <= 1 + 2 * np.std(numbers) / np.sqrt(12)
    assert true >= 9
    assert len(st.shortlist(X, y, **FEW, outer=0).selected) > 10  # age is in them


def test_a_list_beside_covariates_says_so_and_its_repeats_are_adjusted_too():
    X, y, age = confounded(np.random.default_rng(3), "classes", 80)
    frame = pd.DataFrame(X).add_prefix("gene").assign(age=age, where=np.arange(80) % 2, status=y)
    found = st.shortlist(st.Data(frame, "status", force=["age"]), **FEW, outer=5)
    assert found.selected[0] == "gene39"
    assert len(found.selected) <= 4  # without age more than twenty
    assert "after accounting for age" in " ".join(str(found).split())
    assert found.stability.most < 5
    assert "As covariates, age stayed in every model: features and target were" in str(findings_of(found).methods)
    design = np.column_stack([np.ones(80), age, y == "well"])
    (*_, shift), (square,), *_ = np.linalg.lstsq(design, X[:, 39], rcond=None)
    alone = abs(shift) / np.sqrt(square / (80 - 3))  # in standard deviations beside age
    assert 0.6 * alone < found.features["effect"][0] < alone
    blocks = st.shortlist(st.Data(frame, "status", force=["age"], block="where"), **FEW, outer=0)
    strata = st.shortlist(st.Data(frame, "status", force=["age"], strata="where"), **FEW, outer=0)
    assert blocks.selected == strata.selected
    selector = st.ShortlistSelector(**FEW).fit(X, y, covariates=age)
    assert selector.support_[39]
    assert selector.support_.sum() <= 4


def test_covariates_beside_groups_of_rows_or_hardly_any_rows_are_refused():
    X, y = data()
    with pytest.raises(InputError, match="covariates or groups"):
        st.shortlist(st.Data(X, y, force={"age": np.arange(60.0)}, groups=np.arange(60) % 30))
    many = {f"z{j}": np.random.default_rng(j).normal(size=60) for j in range(50)}
    with pytest.raises(InputError, match="too few"):
        st.shortlist(st.Data(X, y, force=many), **FEW)


def test_strata_within_which_nothing_can_be_exchanged_are_refused():
    X, y = data()
    for strata in (y, np.arange(60)):
        with pytest.raises(InputError, match="could exchange the target"):
            st.shortlist(X, y, strata=strata, **FEW, outer=0)


def test_strata_that_are_none_and_preparations_get_their_sentences(tmp_path):
    X, y = data()
    X.assign(status=y).to_csv(tmp_path / "genes.csv", index=False)
    with pytest.raises(InputError, match=r"strata must be the name of a column \(got 5\)"):
        st.load_data(tmp_path / "genes.csv", "status", strata=5)
    with pytest.raises(InputError, match=r"strata has the shape \(1,\)"):
        st.shortlist(X, y, strata=["a"])
    with pytest.raises(InputError, match="beside data that hold theirs"):
        st.shortlist(st.Data(X, y, strata=y), strata=y)
    with pytest.raises(InputError, match="preparation in words"):
        st.shortlist(st.Data(X, y, prepare=StandardScaler()))


def test_a_preparation_that_does_not_see_the_target_comes_first():
    """Logarithms and the most variable features, by words and by hand; a scale changes nothing."""
    X, y = data()
    X["gene59"] *= 1e-3
    most = X[X.columns[X.var().rank(ascending=False) <= 30]]
    found = st.shortlist(st.Data(2.0**X, y, prepare="log2, variance=30"), **FEW, outer=3)
    assert found.selected == st.shortlist(most, y, **FEW, outer=0).selected
    assert X.columns[found.support].tolist() == sorted(found.selected, key=X.columns.get_loc)
    assert found.stability.n_repeats == 3
    expected = st.shortlist(X, y, **FEW, outer=0).selected
    X.iloc[3, 5] = np.nan
    scaled = st.shortlist(st.Data(X, y, prepare="impute=knn, scale"), **FEW, outer=0)
    assert scaled.selected == expected
    assert "in each repeat on its training rows, missing values were replaced" in str(findings_of(scaled).methods)


def test_a_rate_says_nothing_that_is_about_a_number_of_false_features():
    found = st.shortlist(*data(), bases=["filter"], splits=20, fdr=0.2, outer=0)
    assert found.listed.power == ()
    assert "bunches" not in str(found)
    assert "20% of them may be false" in str(found)
    methods = str(st.findings_of(found).methods)
    assert "at most 20% of the features that stand out as much are false" in methods
    assert "beyond what 5% of the permuted targets reach" in methods
    assert "tenth" not in methods
