"""The benchmarks compare like with like, and their page says what was measured."""

from __future__ import annotations

import importlib
import itertools
from pathlib import Path

import benchmarks
import numpy as np
import pytest
from benchmarks import core
from benchmarks.__main__ import HELPERS, _kept_sections, _table

import steadyset as st

MODULES = sorted({path.stem for path in Path(benchmarks.__path__[0]).glob("*.py")} - HELPERS)
PAIRWISE = ["jaccard", "dice", "ochiai", "hamming", "pog", "kuncheva", "lustgarten", "corrected_lustgarten", "wald"]
PAIRWISE += ["npog", "nogueira_brown", "unadjusted", "kappa", "phi"]
FREQUENCY = ["nogueira", "somol", "novovicova", "davis", "goh", "guzman", "lausser", "krizek"]


def test_the_loops_compute_the_same_numbers():
    runs, d = core.realistic_runs(12, 60, 8, varying=False), 60
    sets = [set(run.tolist()) for run in runs]
    table = st.stability_table(st.Selections.from_sets(runs, n_features=d))["estimate"]
    for loop in (core.every_score, core.every_score_by_itself):
        scores = np.mean([loop(a, b, d) for a, b in itertools.combinations(sets, 2)], axis=0)
        np.testing.assert_allclose(scores, table[PAIRWISE], rtol=1e-12)
    np.testing.assert_allclose(core.frequency_measures(sets, d), table[FREQUENCY], rtol=1e-12)


@pytest.mark.parametrize("name", MODULES)
def test_the_page_shows_what_every_module_measured_and_how(name):
    module = importlib.import_module(f"benchmarks.{name}")
    section = _kept_sections()[module.TITLE]
    assert module.__doc__.strip() in section
    header, _, *rows = (line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|"))
    assert rows
    for row in rows:
        shown = dict(zip(header, row, strict=False))
        if "steadyset (s)" not in shown:  # whole programs, each in a row of its own
            assert 0 < float(shown["processor (s)"]) <= float(shown["clock (s)"])
            continue
        ours, theirs, ratio = (shown.get(name, "").replace(",", "") for name in ("steadyset (s)", "other (s)", "ratio"))
        assert float(ours) > 0
        if theirs.strip() and ratio.strip():  # of times that are shown rounded
            assert float(ratio) == pytest.approx(float(theirs) / float(ours), rel=0.02)


def test_tables_show_short_numbers_and_keep_extra_columns():
    rows = [{"case": "a|b", "size": 3, "ours_s": 0.00123456, "theirs_s": None, "ratio": 1234.5, "note": "x"}]
    assert _table(rows).splitlines() == [
        "| case | size | steadyset (s) | other (s) | ratio | note |",
        "|---|---|---:|---:|---:|---:|",
        "| a\\|b | 3 | 0.00123 |  | 1,234 | x |",
    ]
