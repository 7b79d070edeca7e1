"""The picture of studies side by side."""

import pytest

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.replications.studies import ComparedStudies, Study, StudyFeature


def findings():
    studies = (Study("A", 40, 10, 2), Study("B", 50, 12, 2))
    both = StudyFeature("g1", 2, (True, True), ("higher in b", "higher in b"), (1.5, 0.7), 0.04, False)
    one = StudyFeature("g2", 1, (True, False), ("higher in a", "higher in b"), (-0.9, 0.1), 0.4, False)
    found = ComparedStudies("anova:k=2", 10, "accuracy", "standard deviations", studies, (), (both, one), (10, 4, 0.4))
    return st.Findings("studies", "2 studies", "nogueira", studies=found)


def small():
    return st.plot.study_effects(findings())


def test_every_feature_has_its_effect_in_every_study():
    data = small().data
    assert data[["feature", "study", "effect"]].values.tolist() == [
        ["g1", "A", 1.5],
        ["g1", "B", 0.7],
        ["g2", "A", -0.9],
        ["g2", "B", 0.1],
    ]
    assert data["selected"].tolist() == ["selected", "selected", "selected", "not selected"]


def test_the_text_counts_what_two_studies_select():
    assert "1 feature selected by at least two studies in the same direction." in small().description


def test_other_results_are_refused():
    with pytest.raises(InputError, match="compares no studies"):
        st.plot.study_effects(st.Findings("measures", "", "nogueira"))
