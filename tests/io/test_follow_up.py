"""Times to events are recognized, offered with their coding, and never features without a question."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import steadyset as st
from steadyset.foundation.errors import InputError
from steadyset.io.data.follow_up import follow_ups
from steadyset.io.data.readers import is_place
from steadyset.tasks.survival import codings_of

N_ROWS = 40
RANDOM = np.random.default_rng(5)
TIMES = RANDOM.exponential(30, N_ROWS).round(1) + 0.5
OTHER_TIMES = RANDOM.exponential(20, N_ROWS).round(1) + 0.5
EVENTS = np.arange(N_ROWS) % 3 == 0
GENES = pd.DataFrame(RANDOM.normal(size=(N_ROWS, 3)), columns=["TP53", "MYC", "EGFR"])
STUDIES = Path(os.environ.get("STEADYSET_DATA", "/nowhere")).parent / "survival" / "data"


def pairs(**columns):
    found = follow_ups(list(columns), lambda name: np.asarray(columns[name]).tolist())
    return [(one.time, *one.events) for one in found]


# The headers and codings of public data: cBioPortal, TCGA (the pan-cancer resource and its clinical files), GEO, and
# the help pages of R's survival package and of smoothHR.
@pytest.mark.parametrize(
    ("time", "event", "happened", "censored", "given"),
    [
        ("OS_MONTHS", "OS_STATUS", "1:DECEASED", "0:LIVING", "OS_STATUS=1:DECEASED"),
        ("DFS_MONTHS", "DFS_STATUS", "1:Recurred/Progressed", "0:DiseaseFree", "DFS_STATUS=1:Recurred/Progressed"),
        ("PFS_MONTHS", "PFS_STATUS", "1:PROGRESSION", "0:CENSORED", "PFS_STATUS=1:PROGRESSION"),
        ("DSS_MONTHS", "DSS_STATUS", "1:DEAD WITH TUMOR", "0:ALIVE OR DEAD TUMOR FREE", "DSS_STATUS=1:DEAD WITH TUMOR"),
        ("OS.time", "OS", "1", "0", "OS"),
        ("PFI.time", "PFI", "1", "0", "PFI"),
        ("days_to_last_follow_up", "vital_status", "Dead", "Alive", "vital_status=Dead"),
        ("t.dmfs", "e.dmfs", "1", "0", "e.dmfs"),
        ("overall survival (months):ch1", "vital status:ch1", "deceased", "alive", "vital status:ch1=deceased"),
        ("survival days", "death", "yes", "no", "death=yes"),
        ("time", "status", "2", "1", "status=2"),  # lung
        ("futime", "fustat", "1", "0", "fustat"),  # ovarian
        ("futime", "death", "1", "0", "death"),  # flchain
        ("rfstime", "status", "1", "0", "status"),  # gbsg
        ("rtime", "recur", "1", "0", "recur"),  # rotterdam
        ("lenfol", "fstat", "1", "0", "fstat"),  # whas500
        ("edrel", "rel", "1", "0", "rel"),  # nwtco
        ("time_to_event", "event", "TRUE", "FALSE", "event"),
        ("follow-up", "relapse", "relapsed", "none", "relapse=relapsed"),
        ("survived_days", "alive", "no", "yes", "alive=no"),
    ],
)
def test_times_and_events_of_public_data_are_recognized(time, event, happened, censored, given):
    assert pairs(**{time: TIMES, event: np.where(EVENTS, happened, censored)}) == [(time, given)]


def test_times_belong_to_the_events_of_their_endpoint():
    columns = {"dtime": TIMES, "death": EVENTS * 1, "rtime": OTHER_TIMES, "recur": 1 - EVENTS}
    assert pairs(**columns) == [("dtime", "death"), ("rtime", "recur")]


@pytest.mark.parametrize("name", ["censored", "cens", "Censoring", "overall_survival"])
def test_a_coding_that_may_be_reversed_is_offered_in_both_ways(name, tmp_path):
    assert pairs(time=TIMES, **{name: EVENTS * 1}) == [("time", f"{name}=0", f"{name}=1")]
    path = tmp_path / "study.csv"
    GENES.assign(time=TIMES, **{name: EVENTS * 1}).to_csv(path, index=False)
    with pytest.raises(InputError, match=rf'event="{name}=0" or event="{name}=1"'):
        st.load_data(path, time="time", event=name)
    for value in (0, 1):
        data = st.load_data(path, time="time", event=f"{name}={value}")
        assert data.y[:, 1].tolist() == (value == EVENTS).astype(float).tolist()
        assert f"{name!r}: {value} = event, {1 - value} = censored" in data.notes


def test_a_living_patient_has_had_no_event():
    assert codings_of("alive", ["0", "1"]) == [("0", "1")]
    assert codings_of("vital_status", ["0", "1"]) == [("1", "0")]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("er_status", EVENTS * 1),
        ("smoking_status", EVENTS * 1),
        ("death_receptor_4", EVENTS * 1),
        ("status", np.where(EVENTS, "malignant", "benign")),
    ],
)
def test_other_states_are_no_events(name, values):
    assert pairs(time=TIMES, **{name: values}) == []


@pytest.mark.parametrize("name", ["age", "prothrombin_time", "diagtime", "year", "time_at_risk_score", "age_days"])
def test_other_times_are_no_times_to_an_event(name):
    assert pairs(**{name: TIMES, "event": EVENTS * 1}) == []


def test_times_of_one_state_alone_are_half_of_a_time():
    assert pairs(days_to_death=np.where(EVENTS, TIMES, np.nan), vital_status=np.where(EVENTS, "Dead", "Alive")) == []


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.csv"
    states = np.where(EVENTS, "deceased", "alive")
    GENES.assign(OS_months=TIMES, vital_status=states).to_csv(path, index=False)
    return path


def test_without_a_target_the_time_to_an_event_is_offered(study):
    with pytest.raises(InputError, match=r'time="OS_months" and event="vital_status=deceased" \(deceased = event, ali'):
        st.load_data(study)
    found = st.inspect(study)
    assert found.times == {"OS_months": ("vital_status=deceased",)}
    assert "event='vital_status=deceased'" in str(found)


def test_a_time_beside_a_chosen_status_is_a_feature_only_if_somebody_says_so(study):
    with pytest.raises(InputError, match="'OS_months' seems to hold a time to an event") as refused:
        st.load_data(study, "vital_status")
    assert 'time="OS_months" and event="vital_status=deceased"' in str(refused.value)
    assert st.load_data(study, "vital_status", drop=["OS_months"]).features == ("TP53", "MYC", "EGFR")
    assert "OS_months" in st.load_data(study, "vital_status", keep=["OS_months"]).features
    data = st.load_data(study, time="OS_months", event="vital_status=deceased")
    assert data.features == ("TP53", "MYC", "EGFR")
    np.testing.assert_array_equal(data.y, np.column_stack([TIMES, EVENTS]))


def test_a_status_beside_a_chosen_time_is_asked_about(tmp_path):
    GENES.assign(futime=TIMES, death=EVENTS * 1).to_csv(tmp_path / "study.csv", index=False)
    with pytest.raises(InputError, match="'death' seems to say whether an event took place"):
        st.load_data(tmp_path / "study.csv", "futime")


def test_a_second_time_beside_a_time_to_an_event_is_asked_about(tmp_path):
    columns = {"dtime": TIMES, "death": EVENTS * 1, "rtime": OTHER_TIMES, "recur": 1 - EVENTS}
    GENES.assign(**columns).to_csv(tmp_path / "study.csv", index=False)
    with pytest.raises(InputError, match=r'drop=\["rtime", "recur"\], or use them with keep=\["rtime", "recur"\]'):
        st.load_data(tmp_path / "study.csv", time="dtime", event="death")


def test_a_time_is_a_feature_of_a_target_that_is_no_event(tmp_path):
    GENES.assign(time=TIMES, tumor=np.where(EVENTS, "a", "b")).to_csv(tmp_path / "study.csv", index=False)
    assert "time" in st.load_data(tmp_path / "study.csv", "tumor").features


@pytest.mark.skipif(not STUDIES.is_dir(), reason="needs the survival data")
@pytest.mark.parametrize("name", ["pbc", "gbsg", "veteran", "rotterdam", "breast_gse7390", "lung"])
def test_in_studies_nothing_else_is_taken_for_a_time(name):
    frame = pd.read_parquet(STUDIES / f"{name}.parquet")
    found = follow_ups(list(frame.columns), lambda column: frame[column].tolist())
    assert [(one.time, *one.events) for one in found] == [("time", "event")]


@pytest.mark.parametrize(
    "name",
    [
        *("center", "Centre", "SITE", "batch", "hospital", "plate", "plate_id", "PlateID", "lab", "study", "cohort"),
        *("run", "lane", "country", "StudySite", "tissue_source_site", "scan_batch_nr", "inst"),
    ],
)
def test_centers_and_batches_become_features_only_if_somebody_says_so(name, tmp_path):
    path = tmp_path / "study.csv"
    GENES.assign(**{name: np.arange(N_ROWS) % 4 + 1}, y=np.where(EVENTS, "a", "b")).to_csv(path, index=False)
    with pytest.raises(InputError, match=rf'Adjust for it with block="{name}", leave it out with drop=\["{name}"\]'):
        st.load_data(path, "y")
    assert name in st.load_data(path, "y", keep=[name]).features
    for role in ({"block": name}, {"strata": name}, {"groups": name}, {"force": name}, {"drop": [name]}):
        assert name not in st.load_data(path, "y", **role).features


@pytest.mark.parametrize("name", ["platelets", "labile", "rundown", "batched", "opposite", "parasite", "centered"])
def test_names_that_contain_such_a_word_are_no_places(name):
    assert not is_place(name)


def test_measurements_called_like_a_place_are_features(tmp_path):
    GENES.assign(site=TIMES, y=np.where(EVENTS, "a", "b")).to_csv(tmp_path / "study.csv", index=False)
    assert "site" in st.load_data(tmp_path / "study.csv", "y").features


@pytest.mark.parametrize("name", ["alive", "censored", "cens", "overall_survival"])
def test_codes_1_and_2_are_decided_by_no_name_that_may_mean_either(name, tmp_path):
    assert codings_of("status", ["1", "2"]) == [("2", "1")]
    assert set(codings_of(name, ["1", "2"])) == {("1", "2"), ("2", "1")}
    path = tmp_path / "study.csv"
    GENES.assign(time=TIMES, **{name: EVENTS + 1}).to_csv(path, index=False)
    with pytest.raises(InputError, match=rf'event="{name}=2" or event="{name}=1"'):
        st.load_data(path, time="time", event=name)


@pytest.mark.parametrize(
    ("name", "values", "codings"),
    [
        ("vital_status", ["Dead", "Not available"], []),
        ("vital_status", ["Dead", "Unknown"], []),
        ("vital_status", ["Dead", "none"], []),
        ("status", ["dead", "non-survivor"], []),
        ("status", ["censored", "not censored"], []),
        ("relapse", ["none", "relapsed"], [("relapsed", "none")]),
        ("status", ["No relapse", "Relapse"], [("Relapse", "No relapse")]),
        ("status", ["died", "not dead"], [("died", "not dead")]),
        ("status", ["no evidence of disease", "recurred"], [("recurred", "no evidence of disease")]),
        ("status", ["event", "without event"], [("event", "without event")]),
    ],
)
def test_a_negation_is_censored_only_where_it_denies_an_event(name, values, codings):
    assert codings_of(name, values) == codings


@pytest.mark.parametrize("event", ["vital_status", "vital_status=Dead"])
def test_what_is_not_known_is_never_censored(event, tmp_path):
    path = tmp_path / "study.csv"
    GENES.assign(time=TIMES, vital_status=np.where(EVENTS, "Dead", "Not available")).to_csv(path, index=False)
    with pytest.raises(InputError, match=r"holds 'Not available' in .* rows, which does not say whether the event"):
        st.load_data(path, time="time", event=event)


def test_units_in_brackets_and_the_names_of_lifelines_are_recognized():
    dead = EVENTS.astype(int)
    assert pairs(**{"Follow-up [d]": TIMES, "death": dead}) == [("Follow-up [d]", "death")]
    assert pairs(**{"survival_wks": TIMES, "event_observed": dead}) == [("survival_wks", "event_observed")]
    assert pairs(**{"Protein [d]": TIMES, "death": dead}) == []
