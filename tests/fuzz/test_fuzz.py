"""Thousands of hostile inputs, each held to the contract of tests/fuzz/contract.py.

`make test-all` tries a fixed few of them, the same each time whatever the machine; `make fuzz` goes on for
STEADYSET_FUZZ_SECONDS (an hour) with other seeds. What is found becomes a test of its own beside the code that it
concerns.
"""

import inspect
import os
import random

import pytest
from tests.fuzz.contract import ENDLESS, SUITES, Example, broken_by, try_apart
from tests.fuzz.hostile import damaged, flipped
from tests.fuzz.recipes import RECORDS, recipes

import steadyset as st

EXAMPLES = {"arguments": 500, "commands": 40, "folders": 60, "readers": 300}
SECONDS = 1200  # far more than a suite takes on a busy machine; one that is not through by then fails
LONG = float(os.environ.get("STEADYSET_FUZZ_SECONDS", "0"))


@pytest.mark.slow
@pytest.mark.parametrize("suite", SUITES)
def test_hostile_inputs_end_in_a_result_or_a_sentence(suite):
    """Buys: no traceback, crash, hang, nor a silently changed run folder, for a fixed sample of damage."""
    found = try_apart(suite, seed=0, examples=EXAMPLES[suite], seconds=SECONDS)
    assert not found, _listed(found)


@pytest.mark.skipif(LONG <= 0, reason="make fuzz sets STEADYSET_FUZZ_SECONDS")
@pytest.mark.parametrize("suite", SUITES)
def test_hostile_inputs_of_other_seeds(suite):
    seed = random.SystemRandom().randrange(2**31)
    found = try_apart(suite, seed=seed, examples=ENDLESS, seconds=LONG / len(SUITES))
    assert not found, f"seed {seed}\n{_listed(found)}"


def _listed(found):
    return "\n".join(f"{one['told']}\n    {one['broke']}" for one in found)


def test_recipes_name_the_arguments_as_they_are_called():
    for recipe in recipes():
        inspect.signature(recipe.call).bind(**recipe.sound)


def test_every_public_function_is_among_those_that_are_tried():
    tried = {recipe.name.rpartition("plot.")[2].partition(".")[0] for recipe in recipes()}
    public = {
        name
        for home in (st, st.choose, st.selectors, st.datasets, st.scores)
        for name in home.__all__
        if callable(getattr(home, name)) and name not in RECORDS
    }
    assert public - tried == set()


@pytest.mark.parametrize(
    ("run", "kept"),
    [
        (lambda: 1 / 0, False),
        (lambda: [][0], False),
        (lambda: st.stability(None), True),
        (lambda: st.stability([["a"]], "none"), True),
        (lambda: 1, True),
    ],
)
def test_the_contract_tells_sentences_from_tracebacks(run, kept):
    assert (broken_by(Example("", run)) == "") == kept


def test_damage_changes_the_content_and_repeats_itself():
    content = bytes(range(256)) * 4
    several = [damaged(content, random.Random(seed)) for seed in range(50)]
    assert several == [damaged(content, random.Random(seed)) for seed in range(50)]
    assert sum(one != content for one in several) > 45
    assert bin(int.from_bytes(flipped(content, 13), "big") ^ int.from_bytes(content, "big")).count("1") == 1
