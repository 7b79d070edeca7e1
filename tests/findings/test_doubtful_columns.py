"""Columns of a frame in memory that say where rows were measured, or give a status away, have a caution."""

import numpy as np
import pandas as pd

import steadyset as st
from steadyset.findings import findings_of

RNG = np.random.default_rng(1)
N = 60
FRAME = pd.DataFrame(RNG.normal(size=(N, 4)), columns=["a", "b", "c", "d"])
FRAME["center"] = RNG.integers(1, 5, N)
FRAME["OS_months"] = RNG.exponential(20, N).round(1) + 0.1
STATUS = pd.Series(np.arange(N) % 2, name="vital_status")
QUIET = {"progress": False}
PLACE, TIME = "'center' may say where or in which batch", "'OS_months' by name and values holds times to an event"


def said(X, y):
    result = st.assess("anova:k=2", X, y, resampling="bootstrap:n_runs=4", scoring=[], execution=QUIET)
    return str(findings_of(result))


def test_centers_and_times_beside_a_status_are_told():
    told = " ".join(said(FRAME.assign(vital_status=STATUS), "vital_status").split())
    assert PLACE in told
    assert TIME in told
    assert "Leave the column out, or predict the time to the event." in told


def test_what_is_neither_is_not_told():
    plain = FRAME.rename(columns={"center": "score", "OS_months": "weight"})
    told = " ".join(said(plain, STATUS).split())
    assert "in which batch" not in told
    assert "times to an event" not in told
    group = " ".join(said(FRAME, pd.Series(STATUS.to_numpy(), name="arm")).split())
    assert TIME not in group
    continuous = FRAME.assign(center=RNG.normal(size=N))
    assert PLACE not in " ".join(said(continuous, STATUS).split())


def test_a_shortlist_tells_them_too():
    X = FRAME.assign(vital_status=STATUS)
    found = st.shortlist(X, "vital_status", permutations=20, splits=10, outer=0, bases=["filter"], execution=QUIET)
    told = " ".join(str(findings_of(found)).split())
    assert PLACE in told
    assert TIME in told


def test_a_column_of_a_file_that_was_kept_on_purpose_has_no_caution(tmp_path):
    FRAME.assign(vital_status=STATUS).to_csv(tmp_path / "s.csv", index=False)
    data = st.load_data(tmp_path / "s.csv", "vital_status", keep=["center", "OS_months"])
    told = " ".join(said(data, None).split())
    assert "in which batch" not in told
    assert "times to an event" not in told
