"""Names of features and selectors are data from strangers: each picture of what runs share shows them as text."""

import re

import pytest

import steadyset as st

NAMES = ["<script>alert(1)</script>", "a\x07", "a\\x07", "\u202eabc", "اسم", "{{7*7}}", "javascript:x", "x" * 300]
RUNS = st.Selections.from_weights(
    [[5, 4, 3, 2, 1, 0, 2, 0], [5, 4, 3, 2, 0, 1, 0, 2], [5, 0, 4, 3, 2, 1, 0, 2]], features=NAMES
)
ALIKE = st.FeatureSimilarity.from_groups([1, 2, 2, 3, 4, 4, 5, 5], features=NAMES)
TWO = dict.fromkeys(NAMES[:3], RUNS)
PICTURES = {
    "stability_map": lambda: st.plot.stability_map(RUNS, ALIKE),
    "importance_flow": lambda: st.plot.importance_flow(RUNS, ALIKE),
    "swap_map": lambda: st.plot.swap_map(RUNS, ALIKE),
    "similarity_groups": lambda: st.plot.similarity_groups(TWO, ALIKE),
    "core_overlap": lambda: st.plot.core_overlap(TWO),
    "measure_agreement": lambda: st.plot.measure_agreement(TWO),
}


@pytest.mark.parametrize("name", PICTURES)
def test_names_stay_text(name):
    picture = PICTURES[name]()
    assert len(picture.data)
    drawn = picture.svg()
    assert "<script" not in drawn
    assert not re.search(r"[\x00-\x08]", drawn)


def test_names_that_look_alike_once_written_out_keep_their_places_on_both_axes():
    spec = st.plot.swap_map(RUNS, ALIKE).specification()
    for layer in spec["layer"]:
        domains = [layer["encoding"][axis]["scale"]["domain"] for axis in "xy"]
        assert domains[0] == domains[1]
        assert len(set(domains[0])) == len(domains[0])
