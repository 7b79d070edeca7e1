"""The time that is left: from finished parts, corrected as they finish, and never nothing."""

import pytest

from steadyset.foundation.display import Display as Shown
from steadyset.foundation.display import ProgressLines, Table, remaining
from steadyset.foundation.pace import Pace, Stage, roughly


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def run(pace, clock, total, seconds):
    for done in range(1, total + 1):
        clock.now += seconds
        pace.note(done, total)


@pytest.fixture
def clock():
    return Clock()


def test_the_expected_time_is_that_of_all_stages(clock):
    pace = Pace("steps", clock)
    assert pace.left() is None
    pace.expect([Stage("targets", 51, 0.5), Stage("repeats", 20, 4.0)])
    assert pace.left() == pytest.approx(51 * 0.5 + 20 * 4.0)
    assert pace.what == "targets"


def test_later_stages_are_corrected_by_earlier_ones(clock):
    pace = Pace("steps", clock)
    pace.expect([Stage("targets", 51, 0.5), Stage("repeats", 20, 4.0)])
    run(pace, clock, 51, 1.5)
    assert pace.left() == pytest.approx(3 * 20 * 4.0)
    run(pace, clock, 20, 2.0)
    assert pace.what == "repeats"
    assert pace.is_over
    assert pace.left() == 0


def test_a_measured_stage_is_no_longer_what_was_expected_of_it(clock):
    pace = Pace("steps", clock)
    pace.expect([Stage("targets", 51, 0.5), Stage("repeats", 20, 4.0)])
    run(pace, clock, 51, 0.5)
    for done in range(1, 6):
        clock.now += 1.0
        pace.note(done, 20)
    assert pace.left() == pytest.approx(15.0)


def test_a_stage_that_is_skipped_does_not_count(clock):
    pace = Pace("steps", clock)
    pace.expect([Stage("targets", 51, 1.0), Stage("samples", 3, 9.0), Stage("repeats", 20, 4.0)])
    run(pace, clock, 51, 1.0)
    assert pace.left() == pytest.approx(27.0 + 80.0)
    pace.note(0, 20)
    assert pace.left() == pytest.approx(80.0)


def test_what_an_earlier_session_finished_does_not_count(clock):
    pace = Pace("runs", clock)
    clock.now += 60.0
    pace.note(90, 100)
    assert pace.left() is None
    for done in range(91, 96):
        clock.now += 2.0
        pace.note(done, 100)
    assert pace.left() == pytest.approx(10.0)


def test_a_piece_that_is_being_computed_shortens_the_time_but_not_below_the_others(clock):
    pace = Pace("runs", clock)
    pace.expect([Stage("runs", 3, 10.0)])
    clock.now += 4.0
    assert pace.left() == pytest.approx(26.0)
    clock.now += 400.0
    assert pace.left() == pytest.approx(20.0)


@pytest.mark.parametrize("seconds", [0.0, 0.01, 4.9])
def test_nobody_is_promised_less_than_five_seconds(seconds):
    assert roughly(seconds) == "5 s"


@pytest.mark.parametrize("seconds", [7, 55, 56, 59.9, 60.1, 119, 590, 591, 3540, 3541, 3599, 3601, 9000, 86399])
def test_times_are_rounded_up_and_by_little(seconds):
    units = {"s": 1, "min": 60, "h": 3600}
    parts = roughly(seconds).split()
    said = sum(int(value) * units[unit] for value, unit in zip(parts[::2], parts[1::2], strict=True))
    assert seconds <= said
    assert said - seconds <= max(10, 0.2 * seconds)
    assert all(int(value) < 60 for value in parts[::2])


def test_the_first_line_says_how_long_the_whole_takes(capsys):
    shown = ProgressLines("steps")
    shown.expect([Stage("targets", 51, 1.0), Stage("repeats", 20, 4.0)])
    assert capsys.readouterr().err == "This takes about 2 min 20 s.\n"


def test_work_of_a_few_seconds_has_no_line(capsys):
    shown = ProgressLines("steps")
    shown.expect([Stage("targets", 51, 0.1)])
    shown(51, 51)
    assert capsys.readouterr().err == ""


def test_what_is_printed_later_completes_what_was_printed_before():
    first = Shown(
        "Shortlist",
        answer=["2 features."],
        tables=[Table(("feature", "q"), [("a", 0.1), ("b", 0.2)], "The list"), Table(("x",), [("y",)], "Same")],
        notes=["A note."],
        sections={"What would help?": ["Not yet."]},
    )
    full = Shown(
        "Shortlist",
        answer=["2 features.", "Caution: b."],
        tables=[
            Table(("feature", "back", "q"), [("a", "90%", 0.1), ("b", "10%", 0.2)], "The list"),
            Table(("x",), [("y",)], "Same"),
            Table(("new",), [(1,)], "New"),
        ],
        notes=["A note.", "Back: a share."],
        sections={"Does it predict?": ["Yes."], "What would help?": ["More rows."]},
    )
    rest = remaining(first, full)
    assert rest.answer == ["Caution: b."]
    assert [table.title for table in rest.tables] == ["The list", "New"]
    assert rest.tables[0].header == ["feature", "back"]
    assert rest.tables[0].rows == [["a", "90%"], ["b", "10%"]]
    assert rest.notes == ["Back: a share."]
    assert rest.sections == {"Does it predict?": ["Yes."], "What would help?": ["More rows."]}
    assert remaining(full, full) == Shown("Shortlist", "", [], [], [], {})


def test_the_first_piece_loads_what_all_need_and_is_left_out_once_there_is_another(clock):
    pace = Pace("runs", clock)
    pace.note(0, 50)
    clock.now += 20.0
    pace.note(1, 50)
    assert pace.left() is None
    for done in (2, 3):
        clock.now += 1.0
        pace.note(done, 50)
    assert pace.left() == pytest.approx(47.0)
