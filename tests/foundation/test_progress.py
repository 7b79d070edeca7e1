"""How far a computation is: a bar where somebody looks, silence elsewhere."""

import io
import sys
import types

import numpy as np
import pytest

import steadyset as st
from steadyset.foundation import display as displays
from steadyset.foundation.pace import Pace

X = np.random.default_rng(0).normal(size=(30, 4))
Y = (X[:, 0] > 0).astype(int)
HOW = {"resampling": st.KFold(3)}


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Page:
    """What a notebook was told to show: the states of each output."""

    def __init__(self):
        self.outputs = []

    def display(self, html, display_id):
        assert display_id
        states = [html]
        self.outputs.append(states)
        return types.SimpleNamespace(update=states.append)


@pytest.fixture
def notebook(monkeypatch):
    """A front end that shows HTML, as IPython's kernel has one."""
    page = Page()
    display = types.ModuleType("IPython.display")
    display.HTML, display.display = str, page.display
    ipython = types.ModuleType("IPython")
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(displays, "EVERY", 0)
    return page


def test_a_notebook_shows_one_bar_that_ends_full(notebook):
    st.assess("anova:k=2", X, Y, execution=st.Execution(all_rows=False), **HOW)
    (states,) = notebook.outputs
    assert "0 of 3 runs" in states[0]
    assert "1 of 3 runs" in states[1]
    assert "3 of 3 runs" in states[-1]
    assert "width:100.0%" in states[-1]


def test_tuning_in_a_notebook_counts_configurations(notebook):
    space = {"filter": ["anova"], "fraction": [0.5], "model": {"ridge": {"penalty": [0.1]}}}
    st.tune(space, X, Y, n_trials=2, resampling=st.KFold(2))
    assert "2 of 2 configurations" in notebook.outputs[0][-1]


def test_a_notebook_is_quiet_when_told(notebook):
    st.assess("anova:k=2", X, Y, execution=st.Execution(progress=False, all_rows=False), **HOW)
    assert notebook.outputs == []


def test_a_notebook_gets_few_messages_from_many_runs(notebook, monkeypatch):
    monkeypatch.setattr(displays, "EVERY", 1000)
    bar = displays.NotebookBar("runs")
    for done in range(5001):
        bar(done, 5000)
    assert len(notebook.outputs[0]) == 2


def test_the_time_left_counts_only_what_was_computed_now(notebook):
    bar = displays.NotebookBar("runs")
    now = [60.0]
    bar.pace = Pace("runs", lambda: now[0])
    bar(90, 100)
    assert "90 of 100 runs</p>" in notebook.outputs[0][-1]
    now[0] += 10.0
    bar(95, 100)
    assert "95 of 100 runs, about 10 s left</p>" in notebook.outputs[0][-1]


@pytest.mark.parametrize("told", [None, False])
def test_nothing_is_printed_where_nobody_looks(told, capfd):
    st.assess("anova:k=2", X, Y, execution=st.Execution(progress=told, all_rows=False), **HOW)
    assert capfd.readouterr() == ("", "")


def test_true_leaves_one_line_in_a_file(capfd):
    st.assess("anova:k=2", X, Y, execution=st.Execution(progress=True, all_rows=False), **HOW)
    out, err = capfd.readouterr()
    assert out == ""
    assert "runs" in err
    assert "3/3" in err
    assert len(err.splitlines()) == 1


def test_a_function_is_told_and_nothing_is_shown(notebook):
    seen = []
    told = st.Execution(progress=lambda done, total: seen.append((done, total)), all_rows=False)
    st.assess("anova:k=2", X, Y, execution=told, **HOW)
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert notebook.outputs == []


@pytest.mark.parametrize(("told", "shown"), [(None, True), (True, True), (False, False)])
def test_a_terminal_shows_a_bar_unless_told_otherwise(told, shown, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    st.assess("anova:k=2", X, Y, execution=st.Execution(progress=told, all_rows=False), **HOW)
    assert ("3/3" in terminal.getvalue()) is shown
