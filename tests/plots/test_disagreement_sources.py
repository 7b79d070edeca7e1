"""What the disagreement of reruns comes from."""

import pytest

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.replications.sources import Source, Sources


def said(parts):
    found = Sources(2.0, 5.0, parts, (), ("forest",), 20, 5, 60, ("forest",))
    return st.Findings("sources", "forest, 60 rows", "nogueira", sources=found)


def small():
    parts = (
        Source("the data", 1.5, 0.75, 0.6, 0.9),
        Source("the selector's own randomness", 0.52, 0.26, 0.1, 0.4),
        Source("the method", -0.02, -0.01, 0.0, 0.02),
    )
    return st.plot.disagreement_sources(said(parts))


def test_shares_are_shown_from_zero_on_the_largest_first():
    data = small().data
    assert data["share"].tolist() == [0.75, 0.26, 0.0]
    assert data["source"].tolist()[0] == "the data"


def test_without_disagreement_there_is_nothing_to_show():
    with pytest.raises(InputError, match="All runs select the same"):
        st.plot.disagreement_sources(said(()))
    with pytest.raises(InputError, match="does not say why"):
        st.plot.disagreement_sources(st.findings_of(st.Selections.from_sets([["a"], ["a"]], features=list("ab"))))
