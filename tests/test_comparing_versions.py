"""`make performance BASE=commit` tells a kernel that became slower from one that did not."""

import subprocess
import sys

import numpy as np
import pytest
from benchmarks import compare
from benchmarks.tracked import TRACKED
from scipy.stats import binom

import steadyset as st

# Kernels that say what they cost, and a clock that shows nothing else: no real time is measured.
KERNEL = """
spent = 0.0

def costs(seconds, answer):
    global spent
    spent += seconds
    return answer

def total():
    return costs({seconds}, 3)
"""
NEWER = """
def newer():
    return costs(0.001, {answer})
"""
KERNELS = """
import steadyset

def CLOCK():
    return steadyset.spent

TRACKED = {"total": lambda st: lambda: [st.total()], "newer": lambda st: lambda: [st.newer()]}
"""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A commit with a kernel, and one after it in which it takes five times as long and has a companion."""
    source = tmp_path / "src" / "steadyset" / "__init__.py"
    source.parent.mkdir(parents=True)

    def git(*words):
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for text in (KERNEL.format(seconds=0.001), KERNEL.format(seconds=0.005) + NEWER.format(answer=1.5)):
        source.write_text(text, encoding="utf-8")
        git("add", "src")
        git("commit", "-m", "a version")
    (tmp_path / "kernels_of_a_test.py").write_text(KERNELS, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    sys.modules.pop("kernels_of_a_test", None)


def told(capsys, *words, root):
    status = compare.main([*words], root=root, kernels="kernels_of_a_test")
    return status, capsys.readouterr().out.splitlines()


def test_a_kernel_that_takes_five_times_as_long_is_flagged_and_the_way_back_is_not(repository, capsys):
    status, lines = told(capsys, "HEAD~1", "HEAD", root=repository)
    assert status == 1
    assert lines[1] == "total         5.00 (5.00 to 5.00) of 1 ms  slower"
    assert lines[2].startswith("newer        cannot be timed in HEAD~1")
    assert lines[3] == "Slower than before by more than 15%: total."
    status, lines = told(capsys, "HEAD", "HEAD~1", "--only", "total", root=repository)
    assert status == 0
    assert lines[1] == "total         0.20 (0.20 to 0.20) of 5 ms  faster"


def test_the_working_tree_is_compared_unless_a_commit_is_given_and_other_numbers_are_mentioned(repository, capsys):
    changed = KERNEL.format(seconds=0.001) + NEWER.format(answer=2.5)
    (repository / "src" / "steadyset" / "__init__.py").write_text(changed, encoding="utf-8")
    _, lines = told(capsys, "HEAD", "--only", "newer", root=repository)
    assert lines[0].startswith("the working tree compared with HEAD")
    assert lines[1] == "newer         1.00 (1.00 to 1.00) of 1 ms  other numbers"
    with pytest.raises(SystemExit, match="There is no commit 'nowhere'"):
        compare.main(["nowhere"], root=repository, kernels="kernels_of_a_test")


@pytest.mark.parametrize(("seconds", "rounds"), [(0.01, compare.ROUNDS), (0.25, 17), (60, compare.FEWEST)])
def test_versions_take_turns_in_going_first_until_the_box_of_time_is_full_but_a_fewest_times(seconds, rounds):
    now, order = [0.0], []

    def timed(name):
        now[0] += seconds
        order.append(name)
        return name

    pairs = list(compare.in_turns(lambda: timed("base"), lambda: timed("head"), clock=lambda: now[0]))
    assert pairs == [("base", "head")] * rounds
    assert order == (["base", "head", "head", "base"] * rounds)[: 2 * rounds]


@pytest.mark.parametrize("n", [11, 41])
def test_the_interval_of_the_median_holds_at_least_what_it_promises_and_is_the_shortest_that_does(n):
    values = list(np.random.default_rng(n).permutation(n))
    _, low, high = compare.median_interval(values, level=0.99)
    assert high == n - 1 - low
    assert 1 - 2 * binom.cdf(low, n, 0.5) >= 0.99
    assert 1 - 2 * binom.cdf(low + 1, n, 0.5) < 0.99


def test_only_the_whole_interval_above_the_limit_counts_as_slower():
    assert "slower" in str(compare.Ratio(1.3, 1.16, 1.5, 1.0, True))
    assert "slower" not in str(compare.Ratio(1.3, 1.14, 1.5, 1.0, True))
    assert "faster" in str(compare.Ratio(0.7, 0.6, 0.8, 1.0, True))


@pytest.mark.parametrize("name", ["measures", "intervals", "jmi", "reading"])
def test_what_is_tracked_gives_the_same_finite_numbers_each_time(name):
    call = TRACKED[name](st)
    first = np.asarray(call(), dtype=float)
    assert np.isfinite(first).any()
    np.testing.assert_array_equal(call(), first)
