"""The queue: orders start in their sequence, as many as the cores allow, and outlive the server."""

import json
import os
import signal
import subprocess
import sys

import pytest
from tests.waiting import until

from steadyset.foundation.errors import InputError
from steadyset.serve.job_queue import Queue, is_held
from steadyset.serve.progress import FAILED, INTERRUPTED, RUNNING, progress_of
from steadyset.serve.run_store import (
    HELD,
    JOB,
    PAUSED,
    STARTED,
    STOPPED,
    WAITING,
    Order,
    RunStore,
    read_order,
    write_order,
)

# In place of the command: waits for a file that is called like the run and ends with .go, then ends.
WAITS = """
import json, pathlib, sys, time
job = json.load(sys.stdin)
pathlib.Path(job["options"]["out"] + ".given").write_text(json.dumps(job))
go = pathlib.Path(job["options"]["out"] + ".go")
while not go.exists():
    time.sleep(0.02)
"""
PROGRAM = (sys.executable, "-S", "-c", WAITS)


@pytest.fixture
def store(folder):
    found = RunStore(folder)
    yield found
    for run in found.runs():  # nothing is left behind
        (folder / f"{run.name}.go").touch()
    until(lambda: not any(is_held(run.path) for run in found.runs()))


def queue_of(store, cores=2):
    return Queue(store, cores, PROGRAM)


def ordered(queue, name, cores=1, state=WAITING):
    queue.submit(name, Order("assess", {"out": name}, cores=cores, state=state))


def running(store):
    return sorted(run.name for run in store.runs() if is_held(run.path))


def go(store, name):
    (store.path / f"{name}.go").touch()


def test_orders_start_as_cores_get_free_and_in_their_sequence(store):
    queue = queue_of(store)
    for name, cores in (("a", 1), ("b", 2), ("c", 1)):
        ordered(queue, name, cores)
    assert running(store) == ["a"]  # b needs both cores, and c does not overtake it
    go(store, "a")
    until(lambda: running(store) == ["b"])
    go(store, "b")
    until(lambda: running(store) == ["c"])


def test_small_orders_run_at_once(store):
    queue = queue_of(store)
    for name in "abc":
        ordered(queue, name)
    assert running(store) == ["a", "b"]


def test_an_order_that_wants_more_cores_than_there_are_gets_all(store):
    ordered(queue_of(store), "a", cores=64)
    assert running(store) == ["a"]


def test_a_later_server_finds_what_runs_and_goes_on_with_what_waits(store):
    first = queue_of(store, cores=1)
    ordered(first, "a")
    ordered(first, "b")
    later = queue_of(store, cores=1)
    later.begin()
    assert running(store) == ["a"]
    first._running["b"] = 1  # a server that is gone starts nothing
    go(store, "a")
    until(lambda: running(store) == ["b"] and read_order(store.path / "b").state == STARTED)


def test_a_killed_server_leaves_its_runs_alone(store, folder):
    script = (
        "import sys, time; sys.path[:0] = sys.argv[1:2]\n"
        "from tests.serve.test_queue import *\n"
        "ordered(queue_of(RunStore(pathlib.Path(sys.argv[2]))), 'a'); print('started', flush=True); time.sleep(600)"
    ).replace("import sys, time;", "import pathlib, sys, time;")
    server = subprocess.Popen(
        [sys.executable, "-c", script, os.getcwd(), str(folder)], stdout=subprocess.PIPE, start_new_session=True
    )
    assert server.stdout.readline() == b"started\n"
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    server.stdout.close()
    assert progress_of(store.run("a")).state == RUNNING
    later = queue_of(store)
    later.begin()
    later.end(store.run("a"), PAUSED)
    until(lambda: progress_of(store.run("a")).state == PAUSED)


def test_pause_and_stop_end_the_process_and_resume_starts_it_again(store):
    queue = queue_of(store)
    ordered(queue, "a")
    queue.end(store.run("a"), PAUSED)
    until(lambda: progress_of(store.run("a")).state == PAUSED)
    queue.submit("a", store.run("a").order)
    assert progress_of(store.run("a")).state == RUNNING
    with pytest.raises(InputError, match="is running"):
        queue.submit("a", store.run("a").order)
    queue.end(store.run("a"), STOPPED)
    until(lambda: progress_of(store.run("a")).state == STOPPED)


def test_what_waits_can_be_paused_and_is_not_started_then(store):
    queue = queue_of(store, cores=1)
    for name in "abc":
        ordered(queue, name)
    queue.end(store.run("b"), PAUSED)
    go(store, "a")
    until(lambda: running(store) == ["c"])
    assert progress_of(store.run("b")).state == PAUSED


def test_a_process_that_dies_is_interrupted_and_one_that_complains_has_failed(store):
    queue = queue_of(store)
    ordered(queue, "a")
    os.kill(store.run("a").order.pid, signal.SIGKILL)
    until(lambda: progress_of(store.run("a")).state == INTERRUPTED)
    (store.path / "a" / "said.txt").write_text("42 rows\nsteadyset: The disk is full.\n", encoding="utf-8")
    found = progress_of(store.run("a"))
    assert (found.state, found.complaint) == (FAILED, "The disk is full.")


def test_what_a_failed_run_says_names_its_files_without_their_folder(store):
    options = {"files": ["data/Leeds 2019.csv", "data/Turin.csv"], "samples": "data/who.csv", "out": "a"}
    write_order(store.path / "a", Order("replicate", options, state="started"))
    said = "data/Turin.csv has no column 'data/x'; data/who.csv and data/Leeds 2019.csv have one."
    (store.path / "a" / "said.txt").write_text(f"steadyset: {said}\n", encoding="utf-8")
    found = progress_of(store.run("a"))
    assert found.complaint == "Turin.csv has no column 'data/x'; who.csv and Leeds 2019.csv have one."


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"command": "rm", "options": {}, "page": {}}',
        '{"command": "assess", "options": {}}',
        '{"command": "assess", "options": [], "page": {}}',
        '{"command": "assess", "options": {}, "page": {"cores": "x"}}',
        '{"command": "assess", "options": {}, "page": {"pid": -1}}',
    ],
)
def test_a_damaged_order_is_no_order(folder, content):
    place = folder / "a"
    write_order(place, Order("assess"))
    assert read_order(place) == Order("assess")
    (place / JOB).write_text(content, encoding="utf-8")
    assert read_order(place) is None


def test_an_order_is_plain_json(folder):
    write_order(folder / "a", Order("assess", {"out": "a", "drop": ["x", "y"]}, cores=2))
    assert json.loads((folder / "a" / JOB).read_text(encoding="utf-8"))["options"] == {"out": "a", "drop": ["x", "y"]}


def test_an_order_that_cannot_be_started_says_why_and_is_in_the_way_of_no_other(store):
    queue = queue_of(store, cores=1)
    for name in "ab":
        write_order(store.path / name, Order("assess", {"out": name}, number=ord(name)))
    (store.path / "a" / HELD).mkdir()  # where the lock would be
    queue.begin()
    assert running(store) == ["b"]
    found = progress_of(store.run("a"))
    assert (found.state, "cannot be written" in found.complaint) == (FAILED, True)


def test_what_was_started_since_it_was_looked_at_is_ended_too(store):
    queue = queue_of(store, cores=1)
    ordered(queue, "a")
    ordered(queue, "b")
    seen = store.run("b")  # it waits
    go(store, "a")
    until(lambda: running(store) == ["b"])
    queue.end(seen, STOPPED)
    until(lambda: progress_of(store.run("b")).state == STOPPED)


def test_an_order_writes_into_its_own_folder_whatever_its_file_says(store):
    write_order(store.path / "a", Order("assess", {"out": "/elsewhere"}))
    queue_of(store).begin()
    given = store.path / "a.given"
    until(lambda: given.exists() and given.read_text(encoding="utf-8"))
    assert json.loads(given.read_text(encoding="utf-8")) == {"command": "assess", "options": {"out": "a"}}


def test_what_has_begun_is_continued(store):
    write_order(store.path / "a", Order("assess", {"out": "a"}))
    (store.path / "a" / "assessment.json").touch()
    queue_of(store).begin()
    given = store.path / "a.given"
    until(lambda: given.exists() and given.read_text(encoding="utf-8"))
    assert json.loads(given.read_text(encoding="utf-8"))["options"]["resume"] is True


def test_a_job_that_the_command_refuses_says_why(store):
    Queue(store, 1).submit("a", Order("assess", {"out": "a", "colour": "red"}))
    until(lambda: progress_of(store.run("a")).state == FAILED)
    assert progress_of(store.run("a")).complaint == "steadyset assess has no option 'colour'."
