"""The study of error bounds: its page and the sentences in results say what was measured."""

import json
import re

import numpy as np
import pytest
from benchmarks import error_bounds as study

import steadyset as st
from steadyset.selectors.ensembles.rules import R_CONCAVE_FAILED

RESULTS = json.loads(study.RESULTS.read_text(encoding="utf-8"))
R_CONCAVE = "shah_samworth_r_concave"


def test_the_page_shows_what_was_measured():
    shown = study.PAGE.read_text(encoding="utf-8").split(study.BEGIN)[1].split(study.END)[0]
    assert shown.strip() == study.page(RESULTS).strip()


def test_every_bound_but_r_concave_held_without_true_features():
    for key, cell in RESULTS.items():
        if not key.endswith(" null"):
            continue
        for reading, value in cell.items():
            if reading != "draws" and not reading.startswith(R_CONCAVE):
                assert value[2] <= float(reading.split("pfer=")[1])


def test_the_note_on_the_r_concave_bound_has_the_figures_of_the_study():
    below, between, at = [], [], []
    for array, shape in study.SHAPES.items():
        d = int(shape.split(" x ")[1].replace(",", ""))
        cell = RESULTS[f"anova {array} null"]
        for q in study.SIZES:
            threshold = st.error_control(d, q=q, pfer=1, rule=R_CONCAVE).threshold
            if threshold < 0.75:
                (below if threshold < 0.5 else between).append(cell[f"{R_CONCAVE} q={q} pfer=1"][2])
        at.append(cell[f"{R_CONCAVE} threshold=0.75 pfer=1"][2])
    ranges = re.findall(r"(\d\.\d) to (\d\.\d) (?:false|from|at)", R_CONCAVE_FAILED)
    told = [float(number) for pair in ranges for number in pair]
    found = [end(values) for values in (below, between, at) for end in (min, max)]
    assert told == pytest.approx(found, abs=0.0501)


def test_results_of_the_r_concave_rule_say_where_it_did_not_hold():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 50)), np.tile([0, 1], 20)
    fitted = st.StabilitySelection("anova", q=5, pfer=5, rule=R_CONCAVE, n_runs=20, random_state=0).fit(X, y)
    assert fitted.threshold_ < 0.75
    assert R_CONCAVE_FAILED in fitted.result_.notes
    assert R_CONCAVE_FAILED not in fitted.select(rule=R_CONCAVE, q=5, threshold=0.75).notes
    assert R_CONCAVE_FAILED not in fitted.select(rule="meinshausen_buhlmann", q=5, threshold=0.6).notes


def test_the_study_reads_what_select_reads():
    random = np.random.default_rng(1)
    values = random.normal(size=(40, 60))
    X, y, true = study.drawn(values, "1.2", 0)
    assert len(true) == 20
    fitted = st.StabilitySelection("anova", q=3, max_features=10, n_runs=20, random_state=0).fit(X, y)
    limits = st.error_control(60, q=5, pfer=2, n_runs=20)
    read = fitted.select(q=5, threshold=1.0).frequencies >= limits.threshold - study.ROUNDING
    np.testing.assert_array_equal(read, fitted.select(q=5, pfer=2).support)
