"""How many features studies of each size have in common."""

import itertools
import re

import pytest
import vl_convert

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.plots.drawing import text_width
from steadyset.replications.result import KeptFeature, MeasuredSize, NextStudy, Replicated


def found():
    measured = tuple(MeasuredSize(rows, 40, k, 0.02, k - 0.1, k + 0.1) for rows, k in ((20, 0.3), (40, 0.5)))
    studies = (
        NextStudy(0.5, 40, 0.5, 0.4, 0.6, 0.55, 0.4, 0.7, 0.2, 1.0, measured=True),
        NextStudy(1.0, 80, 0.7, 0.4, 0.9, 0.7, 0.4, 0.9, 0.4, 1.0),
        NextStudy(2.0, 160, 0.8, 0.4, 1.0, 0.75, 0.4, 0.9, 0.4, 1.0),
        NextStudy(4.0, 320, 0.8, 0.4, 1.0, 0.75, 0.4, 0.9, 0.4, 1.0),
    )
    features = tuple(KeptFeature(name, 0.9) for name in "abcde")
    return Replicated("anova:k=5", 5, 50, 80, measured, studies, features, 120.0, 0.25)


def said():
    return st.Findings("replication", "80 rows, 50 features", "nogueira", replication=found())


def small():
    return st.plot.next_study(said())


def test_agreement_is_shown_as_features_in_common_with_chance_beside_it():
    data = small().data
    assert data["rows"].tolist() == [20, 40, 80, 160, 320]
    assert data["how"].tolist() == ["measured"] * 2 + ["extrapolated"] * 3
    assert data["in_common"].tolist()[0] == pytest.approx(5 * (0.3 * 0.9 + 0.1))
    assert set(data["chance"]) == {0.5}


def test_other_findings_have_no_next_study():
    runs = st.Selections.from_sets([["a"], ["a"]], features=list("ab"))
    with pytest.raises(InputError, match="no replication"):
        st.plot.next_study(st.findings_of(runs))


@pytest.mark.parametrize("width", [200, 230, 260])
def test_numbers_of_rows_are_apart_where_there_is_little_room(width):
    drawn = small().specification()
    drawn["width"] = width
    for layer in drawn["layer"]:
        layer["width"] = width
    labels = re.findall(r'<text text-anchor="middle" ([^>]*)>([\d,]+)</text>', vl_convert.vegalite_to_svg(drawn))
    shown = [(float(re.search(r"[(]([\d.]+)", look)[1]), text) for look, text in labels if 'opacity="0"' not in look]
    assert len(shown) > 3
    for (left, first), (right, second) in itertools.pairwise(shown):
        assert right - left > (text_width(first, 11) + text_width(second, 11)) / 2 + 3, shown
