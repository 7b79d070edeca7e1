"""The list and its look-alikes."""

import dataclasses
import math

import numpy as np
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.shortlists.listed import ListedFeature


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


def test_a_look_alike_stands_once_below_its_feature_and_keeps_what_it_is_itself():
    """One feature that is listed far below its look-alike, and a candidate that resembles a listed one."""

    def one(name, tier, alike=()):
        return ListedFeature(
            *(name, tier, 0.5, 0.4, 0.6, "", math.nan, math.nan, math.nan, 0, 0.01, "filter", 20),
            alike=alike,
            alike_frequencies=(0.1,) * len(alike),
        )

    features = [one("a", "listed", ("z", "d", "c")), one("b", "listed"), one("c", "listed", ("a",))]
    listed = dataclasses.replace(found().listed, features=(*features, one("d", "candidate"), one("e", "candidate")))
    result = dataclasses.replace(st.findings_of(found()), shortlist=listed)
    data = st.plot.listed_features(result).data
    assert data["feature"].tolist() == ["a", "c", "z", "d", "b", "e"]
    assert data["beside"].tolist() == ["", "a", "a", "a", "", ""]
    assert data["role"].tolist() == ["listed", "listed", "look-alike", "candidate", "listed", "candidate"]


def test_other_findings_have_no_list():
    runs = st.Selections.from_sets([["a"], ["a"]], features=list("ab"))
    with pytest.raises(InputError, match="no shortlist"):
        st.plot.listed_features(st.findings_of(runs))
