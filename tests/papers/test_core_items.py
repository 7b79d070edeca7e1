"""The core of the reproductions: papers' tables and figures whose verdicts stay as recorded.

Those with real data need the folder that STEADYSET_DATA names; `make reproduce` runs the rest.
"""

import pytest

from papers.framework import all_items, data_folder, reproduce_item
from papers.framework.text import listed
from papers.statements import STATEMENTS

CORE = [one for one in all_items() if one.core]
QUICK = 5  # seconds: statements that take no longer are judged in every run of the tests
OFTEN = [one for one in CORE if one.item in STATEMENTS.get(one.paper, ()) and one.seconds <= QUICK]
SELDOM = [one for one in CORE if one not in OFTEN]


@pytest.mark.parametrize("item", OFTEN, ids=[one.name for one in OFTEN])
def test_theorems_and_proofs_are_judged_as_recorded(item, tmp_path):
    check_verdicts(item, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("item", SELDOM, ids=[one.name for one in SELDOM])
def test_verdicts_are_those_recorded(item, tmp_path):
    check_verdicts(item, tmp_path)


def check_verdicts(item, tmp_path):
    where = data_folder()
    if item.data and not any(where.holds(name) for name in item.data):
        pytest.skip(f"the data of {listed(list(item.data))} are not here")
    result = reproduce_item(item, out=tmp_path, data=where)
    told = [f"{row.what}: {row.verdict} (ours {row.ours}), recorded is {row.expected}" for row in result.differing()]
    assert not told, "\n".join(told)
