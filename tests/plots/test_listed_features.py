"""The list and its look-alikes."""

import numpy as np
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError


def found():
    random = np.random.default_rng(4)
    y = np.arange(60) % 2
    latent = 1.6 * y + random.normal(size=60)
    copies = latent[:, None] + 0.35 * random.normal(size=(60, 3))
    X = np.concatenate([copies, random.normal(size=(60, 40))], axis=1)
    return st.shortlist(X, y, bases=["filter"], permutations=20, splits=20, outer=0)


def small():
    return st.plot.listed_features(found(), alike=1)


def test_listed_features_come_first_and_candidates_last_with_their_intervals():
    result = found()
    data = result.plot().data
    roles = list(dict.fromkeys(data["role"]))
    assert roles[0] == "listed"
    assert roles[-1] == "candidate"
    assert data[data["role"] == "listed"]["feature"].tolist() == result.selected
    listed = data[data["role"] == "listed"]
    assert ((listed["low"] <= listed["frequency"]) & (listed["frequency"] <= listed["high"])).all()
    assert listed["frequency"].tolist() == result.features["frequency"][: len(listed)].tolist()


def test_look_alikes_are_members_of_the_same_cluster_and_stand_below_their_feature():
    result = found()
    clusters = result.features.set_index("feature")["group"]
    alike = [(one.feature, name) for one in result.listed.features for name in one.alike if name in clusters]
    assert alike
    assert all(clusters[one] == clusters[other] for one, other in alike)


def test_other_findings_have_no_list():
    runs = st.Selections.from_sets([["a"], ["a"]], features=list("ab"))
    with pytest.raises(InputError, match="no shortlist"):
        st.plot.listed_features(st.findings_of(runs))
