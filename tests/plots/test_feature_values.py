"""The values of the first features: every sample, in its class."""

import numpy as np
import pandas as pd
import pytest

import steadyset as st


def assessed(**more):
    """Three features that tell 12 rows of two classes apart, and five that do not."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.standard_normal((12, 8)).round(3), columns=[f"g{i}" for i in range(8)])
    y = np.array(["case", "control"] * 6)
    X.loc[y == "case", ["g0", "g1", "g2"]] += 4
    execution = st.Execution(engine="serial")
    return st.assess("anova:k=3", X, y, resampling=st.KFold(4), scoring=[], execution=execution, **more), X, y


def small():
    return st.plot.feature_values(assessed()[0], top=2)


def test_every_sample_is_shown_with_its_value_and_class():
    result, X, y = assessed()
    shown = st.plot.feature_values(result).data
    assert shown["feature"].unique().tolist()[:3] == ["g0", "g1", "g2"]
    first = shown[shown["feature"] == "g0"]
    assert sorted(zip(first["value"], first["label"], strict=True)) == sorted(zip(X["g0"], y, strict=True))
    assert set(first["direction"]) == {"higher in case"}


def test_the_values_survive_the_run_folder(tmp_path):
    result, _, _ = assessed(out=tmp_path / "run")
    assert st.Assessment.open(tmp_path / "run").extract == result.extract
    written = (tmp_path / "run" / "values.json").read_text(encoding="utf-8")
    (tmp_path / "run" / "values.json").write_text(written.replace("case", "none"), encoding="utf-8")
    with pytest.raises(st.InputError, match=r"values\.json is damaged"):
        st.Assessment.open(tmp_path / "run")


def test_an_extract_is_small_and_random_rows_are_told():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((700, 80)), random.integers(0, 2, 700)
    result = st.assess("anova:k=70", X, y, resampling=st.KFold(2), scoring=[], execution=st.Execution(engine="serial"))
    assert len(result.extract.features) == 60
    assert {len(column) for column in result.extract.values} == {500}
    assert "500 of 700 samples, drawn at random." in st.plot.feature_values(result).note


def test_numbers_are_shown_against_the_target():
    random = np.random.default_rng(0)
    X = random.standard_normal((30, 5))
    y = X[:, 0] + 0.1 * random.standard_normal(30)
    result = st.assess("anova:k=1", X, y, resampling=st.KFold(3), scoring=[], execution=st.Execution(engine="serial"))
    shown = st.plot.feature_values(result).data
    first = shown[shown["feature"] == "x0"]
    assert np.allclose(first["jitter"], y, atol=1e-4)
    assert np.allclose(first["value"], X[:, 0], atol=1e-4)


def test_recorded_selections_have_no_such_picture():
    runs = st.Selections.from_sets([["a", "b"], ["a", "c"]], features=list("abcd"))
    kinds = [kind.name for kind in st.plot.pictures_for(st.findings_of(runs))]
    assert not {"feature_values", "heat_map", "sample_map"} & set(kinds)
    with pytest.raises(st.InputError, match="keeps no values of its data"):
        st.plot.feature_values(runs)
