"""Whether a list adds to covariates: models with both beside those of the covariates alone, on left-out rows."""

import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import steadyset as st
from steadyset.findings import findings_of, shortlist_words
from steadyset.findings.holds import what_can_be_said
from steadyset.shortlists.afterwards import SHORTLIST

N, D = 100, 30
FEW = {"bases": ["filter"], "permutations": 20, "splits": 10}


def patients(effect, seed=0):
    """Age decides; one feature has an effect of its own, and three follow age."""
    random = np.random.default_rng(seed)
    age, sex = random.normal(60, 10, N), np.where(random.random(N) < 0.5, "f", "m")
    X = random.normal(size=(N, D))
    X[:, 1:4] += (age[:, None] - 60) / 10
    drawn = (age - 60) / 10 + effect * X[:, 0] + 0.5 * random.normal(size=N)
    return X, np.where(drawn > 0, "ill", "well"), {"age": age, "sex": sex}


@pytest.fixture(scope="module")
def adding():
    X, y, covariates = patients(1.6)
    return st.shortlist(st.Data(X, y, force=covariates), **FEW | {"permutations": 40}, false=0.25, outer=6)


def test_scores_are_those_of_scikit_learn_with_the_list_and_without_it(adding):
    X, y, covariates = patients(1.6)
    beside = np.column_stack([covariates["age"], covariates["sex"] == "m"])
    drawing = st.Subsample(6, fraction=0.8, stratified=True)
    gains = []
    for run, cell in enumerate(adding.evaluation.cells_of(SHORTLIST)):
        resample = drawing.draw(run, st.resampling.Rows(N, y), adding.settings["seed"])
        scores = []
        for columns in ([], list(cell.selected)):
            values = np.column_stack([beside, X[:, columns]])
            model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
            model.fit(values[resample.train], y[resample.train])
            scores.append(model.score(values[resample.test], y[resample.test]))
        assert [cell.blind["accuracy"], cell.scores["accuracy"]] == pytest.approx(scores)
        gains.append(scores[1] - scores[0])
    added = adding.score.added
    error = np.sqrt((1 / 6 + 0.25) * np.var(gains, ddof=1))
    assert added.gain == pytest.approx(np.mean(gains))
    assert added.p_value == pytest.approx(2 * stats.t.sf(abs(np.mean(gains)) / error, 5))
    assert added.high == pytest.approx(np.mean(gains) + stats.t.ppf(0.975, 5) * error)


def test_a_feature_with_an_effect_of_its_own_adds_to_the_covariates(adding):
    first, second = shortlist_words.predicts_words(adding.listed)
    assert adding.selected[0] == "x0"
    assert first.startswith("Does it add to age and sex? Yes")
    assert "age and sex alone 0." in first
    assert second.startswith("The gain in accuracy over age and sex alone was 0.")
    found = findings_of(adding)
    assert second.rstrip(".") in found.methods.text()
    assert "with age and sex, and from age and sex alone" in found.methods.text()
    told = found.to_dict()["shortlist"]["prediction"]["added"]
    assert told["covariates"] == ["age", "sex"]
    assert told["low"] > 0
    assert "better than age and sex alone" in what_can_be_said(found)


@pytest.mark.parametrize("seed", [0, 1])
def test_where_age_explains_everything_the_list_adds_nothing(seed):
    X, y, covariates = patients(0.0, seed)
    found = st.shortlist(st.Data(X, y, force=covariates), **FEW, outer=6)
    assert found.score.added.low < 0.05
    assert not found.score.beats_blind
    assert "Does it add to age and sex? That is not shown." in " ".join(str(found).split())
    alone = st.shortlist(X, y, **FEW, outer=6)  # without age, features that follow it predict
    assert alone.score.beats_blind
    assert alone.score.added is None


def test_strata_and_gaps_are_as_good_beside_covariates():
    X, y, covariates = patients(1.6)
    covariates["age"][::10] = np.nan
    strata = np.arange(N) // 2 % 2
    found = st.shortlist(st.Data(X, y, force=covariates, impute="median", strata=strata), **FEW, outer=5)
    assert not any("No repeat" in one for one in found.listed.left_out)
    assert found.score.added.covariates == ("age", "sex")
