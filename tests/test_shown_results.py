"""Evaluating the name of a result shows a screen of it at most; print shows everything."""

import shlex
import subprocess

import numpy as np
import pandas as pd
import pytest
from tests.fuzz.materials import assessed, data, listed, runs, stable, studied, tuned

import steadyset as st
from steadyset.findings import findings_of
from steadyset.foundation.display import MAX_SCREEN, WIDTH, Command, Display, Shown, first_screen
from steadyset.kernels.hazards import product_limit

NAMES = [f"a_feature_with_a_long_name_{number}" for number in range(3000)]
WIDE = st.Selections.from_sets([NAMES[start:60] for start in range(12)], features=NAMES[:100])


def _made(name):
    X, y = studied()
    times = np.arange(1.0, 2001.0)
    return {
        "selections": lambda: WIDE,
        "interval": lambda: st.confidence_interval(WIDE),
        "comparison": lambda: st.compare({"one": WIDE, "other": WIDE.take([0, 3, 4, 5])}),
        "consensus": lambda: st.consensus({f"selector {number}": WIDE for number in range(9)}),
        "test": lambda: st.test_threshold(runs(), 0.2),
        "assessment": lambda: st.assess(
            [f"anova:k={k}" for k in (1, 2, 3, 4)], *data(), resampling=st.KFold(4), random_state=0
        ),
        "findings": lambda: findings_of(assessed()),
        "shortlist": listed,
        "tuning": tuned,
        "replication": lambda: st.replication("anova:k=2", X, y, pairs=10),
        "variance split": lambda: st.variance_split("anova:k=2", X, y, resampling=st.Bootstrap(12)),
        "stable set": lambda: stable().result_,
        "aggregate": lambda: st.aggregate(np.random.default_rng(0).integers(0, 2, (8, 400))),
        "certificate": lambda: st.certify("nogueira"),
        "picture": lambda: st.plot.selection_frequencies(WIDE),
        "advice": lambda: st.which_measure(sizes="vary", correlated=True, importances=False),
        "simulated": lambda: st.datasets.similar_features(60, random_state=0),
        "path": lambda: st.selectors.elastic_net_path(
            np.random.default_rng(0).normal(size=(40, 300)), np.arange(40) % 2
        ),
        "similarity": lambda: st.FeatureSimilarity.from_matrix(np.eye(400)),
        "curve": lambda: product_limit(times, np.ones(2000), np.ones(2000)),
    }[name]()


def _records():
    found = listed()
    replicated = st.replication("anova:k=2", *studied(), pairs=10).replicated
    return [found.listed, found.extract, replicated]


def test_the_plain_data_of_a_result_is_shown_by_its_sizes():
    for record in _records():
        assert len(repr(record)) <= MAX_SCREEN * WIDTH
        assert "<tuple of" in repr(record)
        assert len(str(record)) > len(repr(record))


class Printer:
    """What IPython hands to results: it collects their text."""

    def __init__(self):
        self.texts = []

    def text(self, text):
        self.texts.append(text)


def _plain_text(result):
    """Return what IPython keeps as the text of a result."""
    if hasattr(result, "_repr_mimebundle_"):
        return result._repr_mimebundle_()["text/plain"]
    if not hasattr(result, "_repr_pretty_"):
        return repr(result)
    printer = Printer()
    result._repr_pretty_(printer, False)
    return "".join(printer.texts)


RESULTS = [
    *("selections", "interval", "comparison", "consensus", "test", "assessment", "findings", "shortlist", "tuning"),
    *("replication", "variance split", "stable set", "certificate", "picture", "advice", "simulated", "path"),
    *("similarity", "curve", "aggregate"),
]


@pytest.mark.parametrize("name", RESULTS)
def test_the_name_of_a_result_shows_a_screen_and_print_shows_everything(name):
    result = _made(name)
    for shown in (repr(result), _plain_text(result)):
        assert shown.count("\n") < MAX_SCREEN
        assert len(shown) <= MAX_SCREEN * WIDTH
    if isinstance(result, Shown):
        assert str(result) == result._display().text()


def test_a_long_result_is_cut_at_a_paragraph_and_leads_to_the_rest():
    class Long(Shown):
        def _display(self):
            return Display("Long", "lines", notes=[f"line {number}" for number in range(100)])

    shown = repr(Long()).splitlines()
    assert shown[:3] == ["Long: lines", "", "line 0"]
    assert (len(shown), shown[-1]) == (MAX_SCREEN, "print(...) shows all 102 lines.")
    assert "line 99" in str(Long())
    table = "\n".join(["answer"] * 20 + [""] + ["row"] * 20)
    assert first_screen(table) == "\n".join(["answer"] * 20 + ["", "print(...) shows all 41 lines."])
    assert first_screen("\n".join(["row"] * MAX_SCREEN)) == "\n".join(["row"] * MAX_SCREEN)


def test_a_command_is_wrapped_so_that_a_shell_reads_it_whole():
    command = "steadyset assess 'a long name of a file.csv' --target y --selector anova:k=4 --runs 24 --resume"
    shown = Display("Kind", sections={"Next": [Command(f"More: {command}")]}).text(60)
    assert max(map(len, shown.splitlines())) <= 60
    pasted = shown.partition("More: ")[2].replace("steadyset", "printf '%s|'", 1)
    read = subprocess.run(["sh", "-c", pasted], capture_output=True, text=True, check=True).stdout
    assert read.split("|")[:-1] == shlex.split(command)[1:]


def test_an_inspected_file_of_many_columns_is_short_and_prints_its_fields(tmp_path):
    file = tmp_path / "wide.csv"
    pd.DataFrame(np.eye(8, 4000), columns=[f"gene{number}" for number in range(4000)]).to_csv(file, index=False)
    found = st.inspect(file)
    assert len(repr(found)) < 600
    assert "<tuple of 4000>" in repr(found)
    data = st.datasets.fifteen_features(20, random_state=0)
    assert "X=<ndarray of 20 x 15>" in repr(data)
    assert f"X={data.X!r}" in str(data)
