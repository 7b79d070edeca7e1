"""A test of many cases runs each of them, and names those that fail."""

import pytest
from tests.cases import each


def looped(seen):
    @each("number", lambda: range(3))
    @each("word, length", [("one", 3), ("two", 4)], ids=lambda case: case[0])
    def test(number, word, length):
        seen.append((number, word))
        assert len(word) == length, word
        if number == 2:
            pytest.fail("too many")

    return test


def test_all_cases_are_tried_and_those_that_fail_are_named():
    seen = []
    with pytest.raises(BaseExceptionGroup, match="4 of 6 cases") as caught:
        looped(seen)()
    assert seen == [(number, word) for number in range(3) for word in ("one", "two")]
    notes = [why.__notes__ for why in caught.value.exceptions]
    assert notes == [[f"The case: {case}"] for case in ("0 two", "1 two", "2 one", "2 two")]


@each("number", [1, 2])
def test_fixtures_reach_every_case(tmp_path, number):
    assert len(list(tmp_path.iterdir())) == number - 1
    (tmp_path / str(number)).touch()


def test_no_case_at_all_is_a_failure():
    with pytest.raises(AssertionError, match="no case"):
        each("number", [])(lambda number: None)()
