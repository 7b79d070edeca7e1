"""Names of features and selectors are data from strangers: every picture shows them as text."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.plots import (
    goldens,
    test_accuracy_against_stability,
    test_disagreement_sources,
    test_listed_features,
    test_next_study,
    test_stability_path,
)

import steadyset as st
from steadyset.findings.parts import RiskGroup
from steadyset.inference.models import Predicted
from steadyset.replications.studies import ComparedStudies, Study, StudyFeature
from steadyset.tuning import Trials

NAMES = ["<script>alert(1)</script>", "a\x07", "a\\x07", "\u202eabc", "اسم", "{{7*7}}", "javascript:x", "x" * 300]
RUNS = st.Selections.from_weights(
    [[5, 4, 3, 2, 1, 0, 2, 0], [5, 4, 3, 2, 0, 1, 0, 2], [5, 0, 4, 3, 2, 1, 0, 2]], features=NAMES
)
ALIKE = st.FeatureSimilarity.from_groups([1, 2, 2, 3, 4, 4, 5, 5], features=NAMES)
TWO = dict.fromkeys(NAMES[:3], RUNS)
OBJECTIVES = ("accuracy", "stability", NAMES[0])
ERRORS = {**{f"{name}_se": 0.1 for name in OBJECTIVES}, "stability_low": 0.1, "stability_high": 0.9}
TRIALS = Trials(
    OBJECTIVES,
    [
        (n, {"filter": name, NAMES[5]: n}, {"accuracy": n, "stability": 1 - n / 20, NAMES[0]: n, **ERRORS})
        for n, name in enumerate(NAMES)
    ],
    measure="nogueira",
    random_state=0,
)


def judged() -> st.Findings:
    """Of selectors whose names are hostile."""
    found = test_accuracy_against_stability.found()
    rows = tuple(replace(row, name=name) for row, name in zip(found.summary, NAMES, strict=False))
    return replace(found, summary=rows)


def listed() -> st.Findings:
    """A shortlist whose features have hostile names."""
    result = test_listed_features.found()
    rows = [replace(one, alike=(*NAMES[:2],), alike_frequencies=(0.2, 0.1)) for one in result.listed.features]
    rows = [replace(one, feature=name) for one, name in zip(rows, NAMES, strict=False)]
    return replace(st.findings_of(result), shortlist=replace(result.listed, features=tuple(rows)))


def at_risk() -> st.Findings:
    """Of selectors whose names are hostile, with curves of their left-out rows."""
    groups = (RiskGroup(name, "low", (0.0, 1.0), (1.0, 0.5), (1.0, 0.4), (1.0, 0.6), (1.0, 0.5)) for name in NAMES[:6])
    return replace(judged(), risk_groups=tuple(groups))


def predicted() -> st.Findings:
    """Of selectors and classes whose names are hostile, with what their models predict."""
    parts = (0.1, 0.1, 0.1, 0.1, 0.5)
    rows, tenths = ((0.1, 0.0, 0.3, 0.2), (0.8, 0.5, 0.9, 0.7)), ((-1.0, 0.0, 0.2, 0.3), (0.0, 0.0, 0.4, 0.5))
    agreement = (0.8, 0.7, 0.9)
    held = tuple(Predicted(name, 1, *parts, *agreement, rows, tenths) for name in NAMES[:4])
    settings = {"task": "classes", "details": {"classes": dict.fromkeys(NAMES[:2], 6)}}
    return replace(judged(), predictions=held, settings=settings)


def studied() -> st.Findings:
    """Of studies, features and classes whose names are hostile."""
    studies = tuple(Study(name, 40, 10, 2) for name in NAMES[:2])
    rows = [
        StudyFeature(name, 2, (True, True), (f"higher in {NAMES[0]}",) * 2, (1.5, 0.7), 0.04, False) for name in NAMES
    ]
    found = ComparedStudies(NAMES[0], 10, "accuracy", "standard deviations", studies, (), tuple(rows), (10, 4, 0.4))
    return st.Findings("studies", "2 studies", "nogueira", studies=found)


def valued() -> st.Assessment:
    """An assessment whose features and classes have hostile names."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.standard_normal((12, len(NAMES))), columns=[*NAMES])
    classes = np.array([NAMES[0], NAMES[1]] * 6)
    return st.assess(
        "anova:k=3", X, classes, resampling=st.KFold(3), scoring=[], execution=st.Execution(engine="serial")
    )


def of_hostile_names(kind: st.plot.RegisteredPicture) -> st.plot.Picture:
    """A picture of a kind that is drawn from no more than selections, or findings of an assessment."""
    return kind.build(RUNS if kind.takes == "selections" else judged())


PICTURES = {
    "accuracy_against_stability": lambda: st.plot.accuracy_against_stability(judged()),
    "calibration_fan": lambda: st.plot.calibration_fan(predicted()),
    "convergence": lambda: st.plot.convergence(TWO),
    "core_overlap": lambda: st.plot.core_overlap(TWO),
    "disagreement_sources": test_disagreement_sources.small,  # which shows no name
    "feature_values": lambda: st.plot.feature_values(valued()),
    "heat_map": lambda: st.plot.heat_map(valued()),
    "hyperparameter": lambda: st.plot.hyperparameter({1: RUNS, 2: RUNS}, NAMES[0]),
    "importance_flow": lambda: st.plot.importance_flow(RUNS, ALIKE),
    "listed_features": lambda: st.plot.listed_features(listed()),
    "measure_agreement": lambda: st.plot.measure_agreement(TWO),
    "next_study": test_next_study.small,  # which shows no name
    "null_distribution": lambda: st.plot.null_distribution(RUNS, n_draws=20),  # which shows no name
    "prediction_instability": lambda: st.plot.prediction_instability(predicted()),
    "risk_calibration": lambda: st.plot.risk_calibration(at_risk()),
    "risk_groups": lambda: st.plot.risk_groups(at_risk()),
    "runs_by_features": lambda: st.plot.runs_by_features(RUNS),
    "sample_map": lambda: st.plot.sample_map(valued()),
    "selection_frequencies": lambda: st.plot.selection_frequencies(TWO),
    "selectors_compared": lambda: st.plot.selectors_compared(TWO),
    "shared_names": lambda: st.plot.shared_names(st.Selections.from_sets([[0, 1], [0, 1]], features=[*NAMES])),
    "similarity_groups": lambda: st.plot.similarity_groups(TWO, ALIKE),
    "stability_by_measure": lambda: st.plot.stability_by_measure(TWO, measures=["jaccard", "nogueira"]),
    "stability_by_threshold": lambda: st.plot.stability_by_threshold(RUNS, ALIKE, thresholds=[0.5, 1.0]),
    "stability_calibration": lambda: test_stability_path.fitted(names=(*NAMES,), rule="calibrated").plot_calibration(),
    "stability_map": lambda: st.plot.stability_map(RUNS, ALIKE),
    "stability_path": lambda: test_stability_path.fitted(names=(*NAMES,), rule="calibrated").plot_path(),
    "study_effects": lambda: st.plot.study_effects(studied()),
    "swap_map": lambda: st.plot.swap_map(RUNS, ALIKE),
    "tuning_front": lambda: st.plot.tuning_front(TRIALS),
    "tuning_parallel": lambda: st.plot.tuning_parallel(TRIALS),
}


@pytest.mark.parametrize("name", goldens.NAMES)
def test_names_stay_text(name):
    """Drawn, and in the sentence for those who do not see the drawing."""
    picture = PICTURES[name]() if name in PICTURES else of_hostile_names(st.plot.get_picture(name))
    assert len(picture.data)
    drawn = picture.svg()
    assert "<script" not in drawn
    assert not re.search(r"[\x00-\x08]", drawn + picture.description)


def test_names_that_look_alike_once_written_out_keep_their_places_on_both_axes():
    spec = st.plot.swap_map(RUNS, ALIKE).specification()
    for layer in spec["layer"]:
        domains = [layer["encoding"][axis]["scale"]["domain"] for axis in "xy"]
        assert domains[0] == domains[1]
        assert len(set(domains[0])) == len(domains[0])
