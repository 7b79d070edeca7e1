"""A tuning as parallel coordinates."""

import pytest
from tests.plots.tunings import tuned

import steadyset as st


def small() -> st.plot.Picture:
    return tuned().plot("tuning_parallel")


def lines(picture: st.plot.Picture):
    return picture.data[picture.data["configuration"] >= 0]


def test_the_best_of_each_objective_is_at_the_top():
    tuning = tuned()
    data = lines(small())
    frame = tuning.frame.dropna(subset=list(tuning.objectives))
    for axis, name, best in (
        ("accuracy", "accuracy", frame["accuracy"].max()),
        ("number of features", "n_features", frame["n_features"].min()),
    ):
        at_top = data[(data["axis"] == axis) & (data["position"] == 1)]["configuration"]
        assert set(at_top) == set(frame.index[frame[name] == best])


def test_lines_of_the_front_and_of_the_chosen_one_are_marked():
    tuning = tuned()
    data = lines(small()).drop_duplicates("configuration").set_index("configuration")
    assert data.index[data["front"]].tolist() == tuning.frame.index[tuning.frame["front"]].tolist()
    assert data.index[data["chosen"]].tolist() == [tuning.choose()]


def test_axes_are_the_parameters_that_vary_and_the_objectives():
    shown = small().data["axis"].drop_duplicates().tolist()
    assert shown[:2] == ["filter", "model"]
    assert shown[-3:] == ["accuracy", "stability", "number of features"]
    along = st.plot.tuning_parallel(tuned("along")).data["axis"].drop_duplicates().tolist()
    assert along[0] == "lasso.penalty"


def test_a_parameter_that_a_configuration_does_not_have_has_no_place():
    tuning = tuned()
    data = lines(st.plot.tuning_parallel(tuning, parameters=["model", "lasso.penalty"]))
    places = data[data["axis"].str.startswith("lasso.penalty")].set_index("configuration")["position"]
    has = tuning.frame["lasso.penalty"].notna()
    assert (places.notna() == has[places.index]).all()


def test_ticks_name_categories_and_ends():
    ticks = small().data.query("configuration < 0")
    assert set(ticks.loc[ticks["axis"] == "model", "label"]) == {"lasso", "knn"}


def test_an_unknown_parameter_is_one_sentence():
    with pytest.raises(st.InputError, match="parameters must hold some of filter, model"):
        st.plot.tuning_parallel(tuned(), parameters=["depth"])
