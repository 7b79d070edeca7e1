"""Every name of a selector builds one that fits, and a wrong name or parameter gets one sentence."""

import numpy as np
import pytest

from steadyset.assessment import assess
from steadyset.foundation.errors import InputError
from steadyset.resampling import KFold
from steadyset.selectors import ElasticNetSelector, FilterSelector, ForestSelector
from steadyset.selectors.catalogue import MODELS, selector_by_name, selector_entry, selector_names
from steadyset.selectors.filters import get_filter, list_filters
from steadyset.selectors.known import register_selector

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 6))
NUMBERS = X[:, 0] - X[:, 3] + 0.1 * RNG.normal(size=40)
TARGETS = {"classes": np.where(NUMBERS > 0, "ill", "well"), "number": NUMBERS}


def supports(name: str, task: str) -> bool:
    if name in MODELS:
        return MODELS[name].maker(task) is not None
    return not get_filter(name).target or task in get_filter(name).target


def with_few_trees(name: str, task: str):
    size = "q=2,threshold=0.6" if name == "stability_selection" else "k=2"
    selector = selector_by_name(f"{name}:{size}", task)
    if "n_estimators" in selector.get_params():
        return selector.set_params(n_estimators=20, random_state=0)
    if name in ("impurity", "permutation"):
        return selector.set_params(params={"n_estimators": 20}, random_state=0)
    return selector


@pytest.mark.parametrize("task", TARGETS)
@pytest.mark.parametrize("name", selector_names())
def test_every_name_selects_for_the_tasks_it_supports_and_refuses_the_others(name, task):
    if supports(name, task):
        assert with_few_trees(name, task).fit(X, TARGETS[task]).get_support().sum() == 2
    elif name in MODELS:
        with pytest.raises(InputError, match=f"The selector '{name}' cannot be used for {task}"):
            selector_by_name(name, task)
    else:
        with pytest.raises(InputError, match=f"the filter '{name}' is for"):
            selector_by_name(name, task).fit(X, TARGETS[task])


def test_a_parameter_may_be_an_array():
    class Graded(ElasticNetSelector):
        def __init__(self, k=2, grid=np.array([0.1, 1.0])):  # noqa: B008
            super().__init__(k=k)
            self.grid = grid

    register_selector("graded", Graded)
    assert selector_entry("graded")["parameters"]["grid"] is not None
    assert assess("graded", X, NUMBERS, resampling=KFold(2)).selections["graded"].sizes.tolist() == [2, 2]


def test_names_are_the_models_and_all_filters():
    assert set(selector_names()) == set(MODELS) | set(list_filters().index)
    assert len(selector_names()) == len(MODELS) + len(list_filters())


@pytest.mark.parametrize("task", ["classes", "number"])
@pytest.mark.parametrize(
    ("name", "kind"), [("lasso", ElasticNetSelector), ("forest", ForestSelector), ("jmi", FilterSelector)]
)
def test_a_name_stands_for_a_class_with_the_task(name, kind, task):
    found = selector_by_name(name, task)
    assert (type(found), found.task) == (kind, task)


def test_parameters_after_the_colon_come_before_those_of_the_name():
    assert selector_by_name("elastic_net", "classes").l1_ratio == 0.5
    chosen = selector_by_name("elastic_net:l1_ratio=0.2,k=3", "classes")
    assert (chosen.l1_ratio, chosen.k) == (0.2, 3)
    assert selector_by_name("rfe_svm", "classes").loss == "hinge"
    assert selector_by_name("forest_permutation", "number").importance == "permutation"
    assert selector_by_name("anova:fraction=0.05", "classes").fraction == 0.05


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("laso", "There is no selector called 'laso'; did you mean 'lasso'?"),
        ("qqq", "There is no selector called 'qqq'; list_selectors() lists them"),
        ("lasso:size=3", "The selector 'lasso' has no parameter 'size'; it takes grouped, k, l1_ratio,"),
        ("anova:alpha=1", "The selector 'anova' has no parameter 'alpha'; it takes fill, fraction, k,"),
    ],
)
def test_wrong_names_and_parameters_get_one_sentence(text, sentence):
    with pytest.raises(InputError) as caught:
        selector_by_name(text, "classes")
    assert str(caught.value).startswith(sentence)
    assert "\n" not in str(caught.value)


def test_a_function_of_rows_and_target_is_the_selector_and_one_without_arguments_makes_it():
    def first(X, y, size=1):
        """The first columns.

        Reference: Nobody 1900
        """
        return range(size)

    register_selector("first", first)
    register_selector("made", lambda: FilterSelector("anova", k=2))
    assert selector_by_name("first:size=3", "number").fit(X, NUMBERS).get_support(indices=True).tolist() == [0, 1, 2]
    assert selector_by_name("made", "number").fit(X, NUMBERS).get_support().sum() == 2
    entry = selector_entry("first")
    assert (entry["summary"], entry["reference"], entry["parameters"]) == (
        "The first columns",
        "Nobody 1900",
        {"size": 1},
    )
    with pytest.raises(InputError, match="The selector 'first' has no parameter 'k'; it takes size"):
        selector_by_name("first:k=3", "number")
    chosen = assess(["first", "first:size=2"], X, NUMBERS, resampling=KFold(2)).selections
    assert [found.sizes.tolist() for found in chosen.values()] == [[1, 1], [2, 2]]
