"""What is undefined, how it is said, and measures that users add."""

from __future__ import annotations

import numpy as np
import pytest

import steadyset as st
from steadyset import InputError, UndefinedError

ONE_EMPTY = st.Selections.from_sets({"p": [0, 1], "q": [], "r": [1]}, n_features=4)


def note(selections, measure, **options):
    return st.stability_table(selections, [measure], level=None, **options).loc[measure, "note"]


def test_undefined_pairs_give_nan_by_default_and_the_note_names_the_run():
    assert np.isnan(st.stability(ONE_EMPTY, "ochiai"))
    assert note(ONE_EMPTY, "ochiai") == "undefined for 2 of 3 pairs (a set is empty): run q"


def test_runs_without_labels_are_named_by_number_and_only_the_first_five():
    few = st.Selections.from_sets([[0], [], [1], []], n_features=4)
    assert note(few, "wald") == "undefined for 5 of 6 pairs (a set is empty or full): runs 2, 4"
    many = st.Selections.from_sets([[0], [1], *[[]] * 8], n_features=4)
    assert note(many, "wald").endswith(": runs 3, 4, 5, 6, 7 and 3 more")


def test_only_the_runs_of_undefined_pairs_are_named():
    selections = st.Selections.from_sets([[0], [], [1, 2], [0, 1, 2, 3], []], n_features=4)
    assert note(selections, "jaccard") == "undefined for 1 of 10 pairs (both sets are empty): runs 2, 5"
    assert note(selections, "phi").endswith("(a set is empty or full): runs 2, 4, 5")


def test_one_sided_measures_count_ordered_pairs():
    assert note(ONE_EMPTY, "pog") == "undefined for 2 of 6 ordered pairs (the first set is empty): run q"


@pytest.mark.parametrize("measure", ["kuncheva", "krizek", "guzman", "lausser"])
def test_measures_of_one_size_say_that_the_sizes_differ(measure):
    selections = st.Selections.from_sets([[0, 1], [1], [0, 1, 2]], n_features=4)
    assert np.isnan(st.stability(selections, measure))
    assert "the sizes differ" in note(selections, measure)
    with pytest.raises(UndefinedError, match=f"{measure} is undefined.*the sizes differ"):
        st.stability(selections, measure, undefined="raise")


@pytest.mark.parametrize("measure", ["kuncheva", "krizek", "guzman", "lausser"])
def test_the_note_of_measures_of_one_size_gives_the_range_of_the_sizes(measure):
    selections = st.Selections.from_sets([[0, 1], [1], [0, 1, 2]], n_features=4)
    assert note(selections, measure).endswith(" sizes range from 1 to 3")


def test_the_note_of_guzman_says_when_all_sets_are_full():
    assert note(np.ones((3, 4), dtype=bool), "guzman").endswith("; all sizes are 4")


def test_many_sizes_do_not_slow_the_note(monkeypatch):
    monkeypatch.setattr("steadyset.measures.evaluate.MOST_SIZES", 2)
    assert note(ONE_EMPTY, "ochiai").endswith(": sizes range from 0 to 2")


def test_raise_says_the_same_as_the_note():
    with pytest.raises(UndefinedError) as caught:
        st.stability(ONE_EMPTY, "ochiai", undefined="raise")
    assert str(caught.value) == f"ochiai is {note(ONE_EMPTY, 'ochiai')}."
    assert st.stability(ONE_EMPTY, "hamming", undefined="raise") == pytest.approx(2 / 3)


def test_a_number_replaces_undefined_pairs_one_by_one_and_whole_measures_at_once():
    assert st.stability(ONE_EMPTY, "ochiai", undefined=0) == pytest.approx(1 / np.sqrt(2) / 3)
    assert st.stability(ONE_EMPTY, "ochiai", undefined=np.float64(1)) == pytest.approx((1 / np.sqrt(2) + 2) / 3)
    empty = st.Selections.from_sets([[], [], []], n_features=4)
    for measure in ("nogueira", "novovicova", "davis", "somol", "jaccard"):
        assert st.stability(empty, measure, undefined=0.25) == 0.25
    assert note(empty, "nogueira", undefined=0) == "undefined: all sets are empty or all are full"


def test_notes_are_empty_where_everything_is_defined():
    table = st.stability_table(st.Selections.from_sets([[0, 1], [1, 2]], n_features=4), level=None)
    assert (table["note"] == "").all()
    assert (table["mc_error"] == 0).all()
    assert list(table.columns) == ["estimate", "steadier", "mc_error", "note"]
    assert table.index.name == "measure"


def test_a_table_holds_the_values_of_the_single_calls_in_the_order_asked_for():
    selections = st.Selections.from_sets([[0, 1], [1, 2], [0]], n_features=4)
    table = st.stability_table(selections, ["SMJ", "cwrel", "Davis", "npog"], params={"davis": {"alpha": 1}})
    assert list(table.index) == ["jaccard", "somol", "davis:alpha=1", "npog"]
    wanted = [st.stability(selections, m) for m in ("jaccard", "somol")]
    wanted += [st.stability(selections, "davis", alpha=1), st.stability(selections, "npog")]
    assert table["estimate"].tolist() == wanted
    assert list(st.stability_table(selections, "phi").index) == ["phi"]


@pytest.mark.parametrize("measure", ["kappa", "nogueira", "kuncheva"])
def test_a_measure_that_is_corrected_already_is_not_corrected_again(measure):
    for expectation in ("exact", "monte_carlo"):
        with pytest.raises(InputError, match=f"{measure} is corrected for chance already"):
            st.stability(ONE_EMPTY, measure, expectation=expectation)


def test_corrections_that_have_no_meaning_are_refused():
    with pytest.raises(InputError, match="krizek has no largest value to scale to"):
        st.stability(ONE_EMPTY, "krizek", expectation="exact")
    with pytest.raises(InputError, match=r'davis is not corrected: more than two runs need expectation="monte_carlo"'):
        st.stability(ONE_EMPTY, "davis", expectation="exact")
    assert "not corrected" in note(ONE_EMPTY, "davis", expectation="exact")


def test_corrections_leave_corrected_measures_of_a_table_as_they_are():
    selections = st.Selections.from_sets([[0, 1], [1, 2], [0]], n_features=4)
    table = st.stability_table(selections, ["kappa", "dice"], expectation="exact")["estimate"]
    assert table["kappa"] == st.stability(selections, "kappa")
    assert table["dice"] == pytest.approx(table["kappa"])


def test_no_room_between_chance_and_the_maximum_is_undefined():
    full = st.Selections.from_sets([[0, 1], [0, 1]], n_features=2)
    assert st.stability(full, "hamming") == 1
    assert np.isnan(st.stability(full, "hamming", expectation="exact"))


@pytest.fixture
def overlap():
    def overlap_score(r, ki, kj, d, *, floor=0.0):
        """Overlap coefficient.

        Formula: r / min(ki, kj)
        Undefined: a set is empty
        Reference: Szymkiewicz 1934
        """
        smaller = np.minimum(ki, kj)
        return np.where(smaller > 0, np.maximum(floor, r / np.maximum(smaller, 1)), np.nan)

    yield st.register_measure("overlap", overlap_score, aliases=("OV",), bounds=(0, 1), params={"floor": 0.0})
    st.unregister_measure("overlap")


def test_a_registered_measure_gets_everything_that_the_built_in_ones_have(overlap):
    assert (overlap.formula, overlap.undefined, overlap.reference) == (
        "r / min(ki, kj)",
        "a set is empty",
        "Szymkiewicz 1934",
    )
    selections = st.Selections.from_sets([[0, 1], [1], [2]], n_features=4)
    assert st.stability(selections, "ov") == pytest.approx(1 / 3)
    assert st.stability(selections, "overlap", floor=0.5) == pytest.approx(2 / 3)
    assert st.stability(selections, "overlap", expectation="exact") == pytest.approx(((1 - 0.5) / 0.5 - 1 - 1 / 3) / 3)
    assert "overlap" in st.list_measures().index
    assert "run q" in note(ONE_EMPTY, "overlap")
    with pytest.raises(InputError, match="A measure called 'Jaccard' exists already"):
        st.register_measure("other", overlap.score, aliases=("Jaccard",))
    with pytest.raises(InputError, match="There is no measure called 'other'"):
        st.get_measure("other")


def test_an_unregistered_measure_is_gone(overlap):
    st.register_measure("mine", overlap.score, aliases=("my",))
    st.unregister_measure("my")
    for name in ("mine", "my"):
        with pytest.raises(InputError, match="There is no measure"):
            st.get_measure(name)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"score": 3}, "score must be a function (got 3)."),
        ({"family": "triples"}, "family must be one of frequency, patterns, pairwise"),
        ({"colour": "red"}, "A measure has no field 'colour'; it has"),
        ({"name": ""}, "name must be text (got '')."),
    ],
)
def test_measures_that_cannot_be_registered(arguments, sentence):
    with pytest.raises(InputError) as caught:
        st.register_measure(**{"name": "mine", "score": lambda r, ki, kj, d: r} | arguments)
    assert sentence in str(caught.value)


def test_the_catalogue_has_formula_undefined_and_reference_of_every_measure():
    catalogue = st.list_measures()
    assert (catalogue[["formula", "undefined", "reference"]] != "").all(axis=None)
    assert catalogue.loc["nogueira", "corrected"] == "for equal sizes"
    assert not catalogue.loc["krizek", "higher_is_steadier"]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        *(("SMJ", "jaccard"), ("SMD", "dice"), ("SMO", "ochiai"), ("SMH", "hamming"), ("SML", "lustgarten")),
        *(("SMW", "wald"), ("SMU", "unadjusted"), ("SMK", "kappa"), ("SMP", "phi"), ("SMN", "nogueira")),
        *(("SMS", "somol"), ("SME", "novovicova")),
    ],
)
def test_the_codes_of_the_thesis_are_aliases(code, name):
    assert st.get_measure(code).name == st.get_measure(code.lower()).name == name
