"""The queue: orders start in their sequence, as many as the cores allow, and outlive the server."""

import json
import os
import signal
import subprocess
import sys

import pytest
from tests.waiting import until

from steadyset.foundation.errors import InputError
from steadyset.serve.orders import ASKED, PAUSED, STARTED, STOPPED, WAITING, Order, read_order, write_order
from steadyset.serve.progress_seen import FAILED, INTERRUPTED, RUNNING, progress_of
from steadyset.serve.queueing import Queue, is_held
from steadyset.serve.shelf import Shelf

# In place of the command: waits for a file that is called like the run and ends with .go, then ends.
WAITS = """
import pathlib, sys, time
go = pathlib.Path(sys.argv[-1] + ".go")
while not go.exists():
    time.sleep(0.02)
"""
PROGRAM = (sys.executable, "-S", "-c", WAITS)


def words(subcommand, options):
    return [subcommand, options["out"]]


@pytest.fixture
def shelf(folder):
    found = Shelf(folder)
    yield found
    for run in found.runs():  # nothing is left behind
        (folder / f"{run.name}.go").touch()
    until(lambda: not any(is_held(run.path) for run in found.runs()))


def queue_of(shelf, cores=2):
    return Queue(shelf, words, cores, PROGRAM)


def ordered(queue, name, cores=1, state=WAITING):
    queue.submit(name, Order("assess", {"out": name}, cores=cores, state=state))


def running(shelf):
    return sorted(run.name for run in shelf.runs() if is_held(run.path))


def go(shelf, name):
    (shelf.path / f"{name}.go").touch()


def test_orders_start_as_cores_get_free_and_in_their_sequence(shelf):
    queue = queue_of(shelf)
    for name, cores in (("a", 1), ("b", 2), ("c", 1)):
        ordered(queue, name, cores)
    assert running(shelf) == ["a"]  # b needs both cores, and c does not overtake it
    go(shelf, "a")
    until(lambda: running(shelf) == ["b"])
    go(shelf, "b")
    until(lambda: running(shelf) == ["c"])


def test_small_orders_run_at_once(shelf):
    queue = queue_of(shelf)
    for name in "abc":
        ordered(queue, name)
    assert running(shelf) == ["a", "b"]


def test_an_order_that_wants_more_cores_than_there_are_gets_all(shelf):
    ordered(queue_of(shelf), "a", cores=64)
    assert running(shelf) == ["a"]


def test_a_later_server_finds_what_runs_and_goes_on_with_what_waits(shelf):
    first = queue_of(shelf, cores=1)
    ordered(first, "a")
    ordered(first, "b")
    later = queue_of(shelf, cores=1)
    later.begin()
    assert running(shelf) == ["a"]
    first._running["b"] = 1  # a server that is gone starts nothing
    go(shelf, "a")
    until(lambda: running(shelf) == ["b"] and read_order(shelf.path / "b").state == STARTED)


def test_a_killed_server_leaves_its_runs_alone(shelf, folder):
    script = (
        "import sys, time; sys.path[:0] = sys.argv[1:2]\n"
        "from tests.serve.test_queue import *\n"
        "ordered(queue_of(Shelf(pathlib.Path(sys.argv[2]))), 'a'); print('started', flush=True); time.sleep(600)"
    ).replace("import sys, time;", "import pathlib, sys, time;")
    server = subprocess.Popen(
        [sys.executable, "-c", script, os.getcwd(), str(folder)], stdout=subprocess.PIPE, start_new_session=True
    )
    assert server.stdout.readline() == b"started\n"
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    server.stdout.close()
    assert progress_of(shelf.run("a")).state == RUNNING
    later = queue_of(shelf)
    later.begin()
    later.pause(shelf.run("a"))
    until(lambda: progress_of(shelf.run("a")).state == PAUSED)


def test_pause_and_stop_end_the_process_and_resume_starts_it_again(shelf):
    queue = queue_of(shelf)
    ordered(queue, "a")
    queue.pause(shelf.run("a"))
    until(lambda: progress_of(shelf.run("a")).state == PAUSED)
    queue.submit("a", shelf.run("a").order)
    assert progress_of(shelf.run("a")).state == RUNNING
    with pytest.raises(InputError, match="is running"):
        queue.submit("a", shelf.run("a").order)
    queue.stop(shelf.run("a"))
    until(lambda: progress_of(shelf.run("a")).state == STOPPED)


def test_what_waits_can_be_paused_and_is_not_started_then(shelf):
    queue = queue_of(shelf, cores=1)
    for name in "abc":
        ordered(queue, name)
    queue.pause(shelf.run("b"))
    go(shelf, "a")
    until(lambda: running(shelf) == ["c"])
    assert progress_of(shelf.run("b")).state == PAUSED


def test_a_process_that_dies_is_interrupted_and_one_that_complains_has_failed(shelf):
    queue = queue_of(shelf)
    ordered(queue, "a")
    os.kill(shelf.run("a").order.pid, signal.SIGKILL)
    until(lambda: progress_of(shelf.run("a")).state == INTERRUPTED)
    (shelf.path / "a" / "said.txt").write_text("42 rows\nsteadyset: The disk is full.\n", encoding="utf-8")
    found = progress_of(shelf.run("a"))
    assert (found.state, found.complaint) == (FAILED, "The disk is full.")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"subcommand": "rm"}',
        '{"subcommand": "assess", "cores": "x"}',
        '{"subcommand": "assess", "pid": -1}',
    ],
)
def test_a_damaged_order_is_no_order(folder, content):
    place = folder / "a"
    write_order(place, Order("assess"))
    assert read_order(place) == Order("assess")
    (place / ASKED).write_text(content, encoding="utf-8")
    assert read_order(place) is None


def test_an_order_is_plain_json(folder):
    write_order(folder / "a", Order("assess", {"out": "a", "drop": ["x", "y"]}, cores=2))
    assert json.loads((folder / "a" / ASKED).read_text(encoding="utf-8"))["options"] == {"out": "a", "drop": ["x", "y"]}


def test_an_order_that_cannot_be_started_says_why_and_is_in_the_way_of_no_other(shelf):
    def refusing(subcommand, options):
        if options["out"] == "a":
            raise InputError("There is no such option.")
        return words(subcommand, options)

    queue = Queue(shelf, refusing, 1, PROGRAM)
    for name in "ab":
        write_order(shelf.path / name, Order("assess", {"out": name}, number=ord(name)))
    queue.begin()
    assert running(shelf) == ["b"]
    found = progress_of(shelf.run("a"))
    assert (found.state, found.complaint) == (FAILED, "There is no such option.")


def test_what_was_started_since_it_was_looked_at_is_ended_too(shelf):
    queue = queue_of(shelf, cores=1)
    ordered(queue, "a")
    ordered(queue, "b")
    seen = shelf.run("b")  # it waits
    go(shelf, "a")
    until(lambda: running(shelf) == ["b"])
    queue.stop(seen)
    until(lambda: progress_of(shelf.run("b")).state == STOPPED)


def test_an_order_writes_into_its_own_folder_whatever_its_file_says(shelf):
    write_order(shelf.path / "a", Order("assess", {"out": "/elsewhere"}))
    asked = []
    Queue(shelf, lambda subcommand, options: asked.append(options["out"]) or [options["out"]], 1, PROGRAM).begin()
    assert asked == ["a"]
