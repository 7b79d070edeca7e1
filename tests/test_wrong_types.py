"""Every public function of measures, inference and certificates, called with one argument of a wrong kind.

A call either has an answer or is refused by one sentence that ends; never by a traceback from within.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import steadyset as st

RUNS = st.Selections.from_sets([[0, 1], [0, 2], [1, 2], [0, 1]], n_features=5)
RANKED = st.Selections.from_rankings([[1, 2, 3], [2, 1, 3]])
ALIKE = st.FeatureSimilarity.from_groups([0, 0, 1, 1, 2])


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no words")


JUNK = [
    None,
    True,
    0,
    -1,
    2.5,
    95,
    10**30,
    10**5000,
    float("nan"),
    float("inf"),
    np.float32("nan"),
    np.int64(-3),
    1 + 2j,
    np.array([1.0, 2.0]),
    np.datetime64("2020-01-01"),
    "",
    "x",
    "nan",
    "0.95",
    "\x00",
    "two\nlines",
    b"x",
    [],
    (),
    set(),
    {},
    {"a": 1},
    [1],
    [None],
    [["nogueira"]],
    ["nogueira", 3],
    range(3),
    object(),
    int,
    len,
    RUNS,
    Unprintable(),
]
ASKED = ["similarity", "undefined", "expectation", "n_draws", "random_state"]


def _registered(**fields):
    given_fields = {"name": "of_my_own", "score": lambda r, ki, kj, d: r, **fields}
    st.unregister_measure(st.register_measure(given_fields.pop("name"), given_fields.pop("score"), **given_fields).name)


CALLS = {
    "stability": (st.stability, {"selections": RUNS}, ["selections", "measure", "mc_error", *ASKED]),
    "stability, similar": (
        st.stability,
        {"selections": RUNS, "measure": "intersection_mean", "similarity": ALIKE, "expectation": "monte_carlo"},
        ["mc_error", *ASKED],
    ),
    "davis": (st.stability, {"selections": RUNS, "measure": "davis"}, ["alpha"]),
    "canberra": (st.stability, {"selections": RANKED, "measure": "canberra"}, ["top", "relative"]),
    "sechidis": (st.stability, {"selections": RUNS, "measure": "sechidis", "similarity": ALIKE}, ["thresholded"]),
    "stability_table": (
        st.stability_table,
        {"selections": RUNS, "measures": ["nogueira"]},
        ["selections", "measures", "level", "mc_error", "params", *ASKED],
    ),
    "confidence_interval": (
        st.confidence_interval,
        {"selections": RUNS},
        ["selections", "measure", "level", "method", "n_resamples", *ASKED],
    ),
    "bootstrap": (
        st.confidence_interval,
        {"selections": RUNS, "method": "bootstrap"},
        ["n_resamples", "random_state", "level"],
    ),
    "test_threshold": (
        st.test_threshold,
        {"selections": RUNS, "value": 0.2},
        ["selections", "value", "measure", "alternative", "method", *ASKED],
    ),
    "test_difference": (
        st.test_difference,
        {"first": RUNS, "second": RUNS},
        ["first", "second", "measure", "paired", "alternative", "method", "level", *ASKED],
    ),
    "compare": (
        st.compare,
        {"procedures": {"a": RUNS, "b": RUNS}},
        ["procedures", "measure", "paired", "adjust", "level", *ASKED],
    ),
    "runs_needed": (
        st.runs_needed,
        {"selections": RUNS, "width": 0.2},
        ["selections", "width", "measure", "level", *ASKED],
    ),
    "convergence_table": (
        st.convergence_table,
        {"selections": RUNS},
        ["selections", "measure", "level", "n_runs", *ASKED],
    ),
    "instability_by_feature": (st.instability_by_feature, {"selections": RUNS}, ["selections", "similarity"]),
    "swap_table": (st.swap_table, {"selections": RUNS, "similarity": ALIKE}, ["selections", "similarity"]),
    "null_expectation": (
        st.null_expectation,
        {"selections": RUNS, "measure": "davis", "n_draws": 10},
        ["selections", "measure", "similarity", "n_draws", "random_state"],
    ),
    "shared_importance": (
        st.shared_importance,
        {"selections": RUNS, "i": 0, "j": 1, "similarity": ALIKE},
        ["selections", "i", "j", "similarity", "thresholded"],
    ),
    "certify": (st.certify, {}, ["measure"]),
    "certificate_table": (st.certificate_table, {}, ["measures"]),
    "get_measure": (st.get_measure, {}, ["name"]),
    "unregister_measure": (st.unregister_measure, {}, ["name"]),
    "register_measure": (
        _registered,
        {},
        [
            "name",
            "score",
            "family",
            "bounds",
            "aliases",
            "needs",
            "params",
            "corrected",
            "symmetric",
            "floor",
            "maximum",
        ],
    ),
    "importances.linear": (st.importances.linear, {"coefs": [[1.0, 2.0]]}, ["coefs", "sd"]),
}


@pytest.mark.parametrize("name", [name for name, (_, good, _) in CALLS.items() if good])
def test_the_calls_that_are_spoilt_have_an_answer_before(name):
    call, good, _ = CALLS[name]
    assert len(np.atleast_1d(call(**good)))


@pytest.mark.parametrize("name", CALLS)
def test_an_argument_of_a_wrong_kind_is_refused_in_one_sentence(name):
    call, good, arguments = CALLS[name]
    for argument in arguments:
        for junk in JUNK:
            _answered_or_refused(call, good, argument, junk)


@given(
    some.sampled_from([(name, argument) for name, (_, _, arguments) in CALLS.items() for argument in arguments]),
    some.recursive(
        some.none()
        | some.booleans()
        | some.floats()
        | some.integers()
        | some.text(max_size=5)
        | some.binary(max_size=3),
        lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=3), inner, max_size=2),
        max_leaves=4,
    ),
)
def test_arguments_at_random_are_answered_or_refused_in_one_sentence(place, junk):
    name, argument = place
    if isinstance(junk, int) and argument in ("n_draws", "n_resamples") and junk > 1000:
        junk = -junk  # a large number of draws is an answer that takes long
    call, good, _ = CALLS[name]
    _answered_or_refused(call, good, argument, junk)


def _answered_or_refused(call, good, argument, junk):
    try:
        call(**{**good, argument: junk})
    except st.SteadysetError as refusal:
        sentence = str(refusal)
        assert "\n" not in sentence, (argument, sentence)
        assert sentence.endswith((".", "?")), (argument, sentence)
        assert len(sentence) < 600, (argument, sentence)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: st.confidence_interval(RUNS, level=95),
            r"level must be a number between 0 and 1.* \(got 95\)",
        ),
        (lambda: st.stability(RUNS, 3), r"measure must be the name of a measure \(got 3\)"),
        (
            lambda: st.stability(RUNS, n_draws=10**12),
            r"n_draws must be .* to 1,000,000,000 \(got 1000000000000\)",
        ),
        (lambda: st.test_difference(RUNS, RUNS, paired="no"), r"paired must be True, False or None \(got 'no'\)"),
        (lambda: st.stability(RUNS, "davis", alpha="1"), r"alpha must be a finite number \(got '1'\)"),
        (lambda: st.test_threshold(RUNS, float("nan")), r"value must be a finite number \(got nan\)"),
        (lambda: st.stability_table(RUNS, None), r'measures must be "all", a name, or a list of names \(got None\)'),
    ],
)
def test_the_sentence_names_the_argument_and_what_was_given(call, sentence):
    with pytest.raises(st.InputError, match=sentence):
        call()
