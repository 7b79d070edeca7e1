"""Which selectors differ."""

import numpy as np
import pytest

import steadyset as st


def runs(noise: float, seed: int) -> st.Selections:
    random = np.random.default_rng(seed)
    return st.Selections.from_matrix((np.arange(12) < 4) ^ (random.random((15, 12)) < noise))


SEVERAL = {"noisy": runs(0.4, 0), "steady": runs(0.02, 1), "also steady": runs(0.03, 2)}


def small():
    return st.plot.selectors_compared(SEVERAL)


def test_values_and_letters_are_those_of_the_comparison_the_best_first():
    compared = st.compare(SEVERAL, level=0.9)
    shown = compared.plot().data
    assert [*shown["selector"]] == [*compared.table.index]
    np.testing.assert_allclose(shown[["estimate", "low", "high"]], compared.table[["estimate", "low", "high"]])
    assert dict(zip(shown["selector"], shown["letters"], strict=True)) == compared.groups
    assert set(compared.groups.values()) == {"a", "b"}


def test_findings_show_what_their_comparison_shows():
    found = st.findings_of(SEVERAL)
    shown = st.plot.selectors_compared(found).data
    assert shown.equals(st.plot.selectors_compared(SEVERAL).data)


def test_a_measure_of_which_less_is_steadier_keeps_the_best_first():
    equal = {
        name: st.Selections.from_sets(sets, n_features=6)
        for name, sets in {"same": [[0, 1]] * 4, "other": [[0, 1], [1, 2], [2, 3], [0, 1]]}.items()
    }
    compared = st.compare(equal, "krizek")
    assert [*compared.plot().data["selector"]] == ["same", "other"]


def test_those_beyond_the_best_and_those_without_a_value_are_counted():
    nothing = st.Selections.from_matrix(np.ones((4, 12), dtype=bool))
    picture = st.plot.selectors_compared(SEVERAL | {"everything": nothing}, top=2)
    assert [*picture.data["place"]] == [0, 1]
    assert "The best 2 of 3 selectors. Without a value: 1 selector." in picture.note


def test_what_is_not_compared_is_one_sentence():
    with pytest.raises(st.InputError, match="compares no selectors"):
        st.plot.selectors_compared(SEVERAL["noisy"])
    with pytest.raises(st.InputError, match="what must be 'nogueira'"):
        st.plot.selectors_compared(st.compare(SEVERAL), what="accuracy")
    with pytest.raises(st.InputError, match="what must be"):
        st.plot.selectors_compared(st.findings_of(SEVERAL), what="accuracy")


def test_names_stay_text():
    hostile = "<script>alert(1)</script>"
    picture = st.plot.selectors_compared({hostile: SEVERAL["noisy"], "\u202eright to left" * 20: SEVERAL["steady"]})
    assert hostile in set(picture.data["selector"])
    assert "<script>" not in picture.svg()
