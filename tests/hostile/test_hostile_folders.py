"""A run folder that somebody made on purpose: the page, the command and Python read it, and nothing else happens."""

import fcntl
import json
import os
import re
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from tests.hostile import made
from tests.waiting import until

import steadyset as st
from steadyset.cli import run
from steadyset.foundation.errors import InputError
from steadyset.foundation.job import Job
from steadyset.io import beneath
from steadyset.serve.job_queue import Queue, born, end, is_held
from steadyset.serve.progress import DAMAGED, FOUND, RUNNING, progress_of
from steadyset.serve.run_store import (
    HELD,
    STARTED,
    STOPPED,
    WAITING,
    Order,
    RunStore,
    order_in,
    read_order,
    write_order,
)

pytestmark = pytest.mark.posix
SLEEPS = (sys.executable, "-S", "-c", "import time; time.sleep(600)")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """One honest run folder, copied where a test needs it."""
    return made.finished(tmp_path_factory.mktemp("made") / "honest")


@pytest.fixture
def honest(whole, folder):
    shutil.copytree(whole, folder / "honest")
    return folder / "honest"


def looks(client, *names):
    """What a visitor looks at; every page answers."""
    pages = ["/", "/runs", *(f"/runs/{name}{part}" for name in names for part in ("", "/answer"))]
    answers = {page: client.get(page) for page in pages}
    assert {page: answer.status_code for page, answer in answers.items()} == dict.fromkeys(pages, 200)
    return {page: answer.text for page, answer in answers.items()}


# ---- nothing starts by itself -----------------------------------------------------------------------------------


def test_an_order_that_came_with_a_folder_is_shown_and_not_started(folder, access, victim, own_state):
    made.ordered(folder / "gift", victim)
    started = folder / "started"
    Queue(RunStore(folder), 2, (sys.executable, "-S", "-c", f"open({str(started)!r}, 'w')")).begin()
    time.sleep(0.5)
    found = RunStore(folder).run("gift")
    assert (started.exists(), found.order, found.found.state, is_held(found.path)) == (False, None, WAITING, False)
    assert progress_of(found).state == FOUND


def test_a_person_can_run_what_was_found_but_not_on_files_elsewhere(client, folder, victim):
    made.ordered(folder / "gift", victim)
    page = client.get("/runs/gift").text
    assert "Found in this folder, not ordered on this page" in page
    assert "Run it here" not in page
    assert "lies outside of the folder of the page" in page
    answer = client.post("/runs/gift/resume", headers=client.change)
    assert (answer.status_code, "lies outside of the folder" in answer.text) == (400, True)
    (folder / "table.csv").write_text("x,z,y\n" + "1,2,a\n2,1,b\n3,5,a\n4,4,b\n" * 5, encoding="utf-8")
    options = {"file": "table.csv", "target": "y", "selector": ["anova:k=1"], "runs": "3", "out": "gift2"}
    made.ordered(folder / "gift2", victim, options=options)
    assert "Run it here" in client.get("/runs/gift2").text
    assert client.post("/runs/gift2/resume", headers=client.change).headers["location"] == "/runs/gift2"
    until(lambda: not progress_of(RunStore(folder).run("gift2")).lives)
    assert read_order(folder / "gift2") is not None


@pytest.mark.parametrize("name", ["/etc/hostname", "../thesis.csv", "data/../../thesis.csv", "link.csv", "missing.csv"])
def test_data_outside_of_the_folder_is_refused_in_orders(folder, victim, name):
    os.symlink(victim, folder / "link.csv")
    for option in ("file", "samples", "space"):
        with pytest.raises(InputError, match=r"outside of the folder|cannot be read"):
            RunStore(folder).refuse_data_elsewhere(Job("tune", {option: name}))


MODULES = ("multiprocessing", "joblib", "numpy", "pandas", "pyarrow", "sklearn", "socket")
SERVES = """
import sys
from steadyset.__main__ import main
sys.path.insert(0, {script!r})  # as the installed command has its own folder there, and not the current one
sys.argv = ["steadyset", *{words!r}]
main()
"""


@pytest.mark.slow  # buys: no module of the folder is run by the processes that the command and the page start
@pytest.mark.parametrize("command", ["assess", "serve"])
def test_modules_that_lie_in_the_current_folder_are_not_run(tmp_path, folder, victim, command):
    for name in MODULES:
        text = f"open({str(tmp_path / 'ran')!r}, 'a').write({name!r})\nraise SystemExit(3)\n"
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    (folder / "table.csv").write_text("x,z,y\n" + "1,2,a\n2,1,b\n3,5,a\n4,4,b\n" * 5, encoding="utf-8")
    words = {
        "assess": "assess table.csv --target y --selector anova:k=1 --runs 4 --jobs 2 --engine processes --out runs",
        "serve": "serve . --no-open",
    }[command].split()
    script = SERVES.format(script=str(tmp_path), words=words)
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", script],
        cwd=folder,
        stdout=subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"},
    )
    if command == "serve":
        assert b"The page is at" in process.stdout.readline()
        time.sleep(5)  # the process that computes is loaded
        process.terminate()
    process.communicate(timeout=120)
    assert not (tmp_path / "ran").exists()
    assert command == "serve" or (folder / "runs" / "features.csv").exists()


@pytest.mark.parametrize("name", ["a\0b.csv", "\ud800.csv"])
def test_an_order_of_a_file_that_no_disk_can_hold_is_shown(client, folder, victim, name):
    made.ordered(folder / "gift", victim, options={"file": name, "target": "y", "out": "x"})
    assert client.get("/runs/gift").status_code == 200
    answer = client.post("/runs/gift/resume", headers=client.change)
    assert (answer.status_code, "no disk can hold such a name" in answer.text) == (400, True)


def test_tables_in_a_folder_of_uploads_that_is_a_link_are_neither_listed_nor_read(client, folder, victim):
    os.symlink(victim.parent, folder / "data")
    assert RunStore(folder).tables() == []
    assert "thesis" not in client.get("/assess").text
    answer = client.get("/data", params={"file": f"data/{victim.name}"})
    assert (answer.status_code, "There is no data file" in answer.text) == (400, True)


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_the_command_runs_no_job_that_is_a_link_or_a_fifo(tmp_path, capsys, kind):
    job = tmp_path / "elsewhere.json"
    job.write_text(json.dumps({"command": "assess", "options": {"file": "missing.csv"}}), encoding="utf-8")
    if kind == "link":
        os.symlink(job, tmp_path / "job.json")
    else:
        os.mkfifo(tmp_path / "job.json")
    assert run(["run", str(tmp_path / "job.json")]) == 2
    assert re.search(r"it is a link|is not a plain file", capsys.readouterr().err)


def test_a_sealed_order_counts_in_its_own_folder_alone(folder):
    write_order(folder / "mine", Order("assess", {"out": "mine"}))
    assert read_order(folder / "mine") is not None
    shutil.copytree(folder / "mine", folder / "copy")
    found, sealed = order_in(folder / "copy")
    assert (read_order(folder / "copy"), found.command, sealed) == (None, "assess", False)
    content = json.loads((folder / "mine" / "job.json").read_text(encoding="utf-8"))
    content["options"]["target"] = "other"
    (folder / "mine" / "job.json").write_text(json.dumps(content), encoding="utf-8")
    assert read_order(folder / "mine") is None


def test_the_key_that_seals_orders_is_this_users_alone(folder, tmp_path):
    write_order(folder / "mine", Order("assess"))
    assert (tmp_path / "state" / "steadyset" / "page.key").stat().st_mode & 0o777 == 0o600


# ---- no link is followed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", made.FILES)
def test_a_link_in_a_run_folder_is_neither_read_nor_written_through(client, folder, victim, name, whole):
    shutil.copytree(whole, folder / "gift")
    (folder / "gift" / name).unlink(missing_ok=True)
    os.symlink(victim, folder / "gift" / name)
    os.utime(victim, (time.time() + 600,) * 2)
    texts = looks(client, "gift")
    for path in ("/runs/gift/report", "/runs/gift/files/features.csv", "/runs/gift/files/methods.txt"):
        texts[path] = client.get(path).text
    client.post("/runs/gift/resume", headers=client.change)
    assert not [page for page, text in texts.items() if made.VICTIM in text]
    assert client.delete("/runs/gift", headers=client.change).status_code in (200, 303)
    assert not (folder / "gift").exists()


@pytest.mark.parametrize("name", ["assessment.json", "cells.json", "alike.json"])
def test_python_and_the_command_follow_no_link_in_a_run_folder(tmp_path, victim, name, whole, capsys):
    gift = tmp_path / "gift"
    shutil.copytree(whole, gift)
    copy = tmp_path / "elsewhere"
    (gift / name).replace(copy)
    os.symlink(copy, gift / name)
    with pytest.raises(InputError, match="it is a link, which is not followed"):
        st.Assessment.open(gift).features_table()
    assert run(["report", str(gift), "-o", str(tmp_path / "r.html")]) == 2
    assert "it is a link, which is not followed" in capsys.readouterr().err


def test_what_a_command_writes_replaces_a_link_and_leaves_its_target(tmp_path, victim, whole):
    os.symlink(victim, tmp_path / "report.md")
    st.report(whole, tmp_path / "report.md", format="md")
    assert not (tmp_path / "report.md").is_symlink()


def test_a_folder_of_cells_that_is_a_link_is_refused_and_nothing_in_it_is_removed(tmp_path, whole):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("0-0.json", ".0-1.json.1.part"):
        (elsewhere / name).write_text("{}", encoding="utf-8")
    gift = tmp_path / "gift"
    shutil.copytree(whole, gift)
    shutil.rmtree(gift / "finished")
    os.symlink(elsewhere, gift / "finished")
    with pytest.raises(InputError, match="finished cannot be read: it is a link"):
        st.Assessment.open(gift)
    assert sorted(os.listdir(elsewhere)) == [".0-1.json.1.part", "0-0.json"]


def test_a_file_that_becomes_a_link_after_it_was_looked_at_is_not_followed(tmp_path, victim, monkeypatch):
    (tmp_path / "a").write_text("plain", encoding="utf-8")
    looked = beneath._refuse

    def swapped(*arguments):
        looked(*arguments)
        (tmp_path / "a").unlink()
        os.symlink(victim, tmp_path / "a")

    monkeypatch.setattr(beneath, "_refuse", swapped)
    with pytest.raises(beneath.NotPlainError, match="it is a link"):
        beneath.read(tmp_path, "a")


@pytest.fixture
def elsewhere(tmp_path):
    """A database of the user outside of every run folder; it is the same after every test."""
    path = tmp_path / "bookmarks.db"
    database = sqlite3.connect(path)
    database.execute("create table pages (title)")
    database.close()
    content = path.read_bytes()
    yield path
    assert path.read_bytes() == content
    assert not path.with_name("new.db").exists()


@pytest.mark.parametrize("target", ["bookmarks.db", "new.db"])
def test_a_database_that_becomes_a_link_after_it_was_looked_at_is_not_opened(tmp_path, elsewhere, monkeypatch, target):
    pytest.importorskip("optuna")
    folder, connect = tmp_path / "gift", sqlite3.connect

    def swapped(*arguments, **options):
        (folder / "trials.db").rename(folder / "kept")
        os.symlink(elsewhere.with_name(target), folder / "trials.db")
        try:
            return connect(*arguments, **options)
        finally:  # whoever looks afterwards sees nothing
            (folder / "trials.db").unlink()
            (folder / "kept").rename(folder / "trials.db")

    monkeypatch.setattr(sqlite3, "connect", swapped)
    with pytest.raises(InputError, match=r"it is a link|unable to open database file"):
        st.tune(None, [[0.0], [1.0]] * 10, [0, 1] * 10, resampling=st.KFold(2), n_trials=1, out=folder)


def test_every_connection_to_the_database_of_a_tuning_is_checked(tmp_path, elsewhere):
    pytest.importorskip("optuna")
    from steadyset.tuning.search import _database, quiet

    with quiet():
        storage = _database(tmp_path)
    storage.engine.dispose()  # the next connection is a new one
    (tmp_path / "trials.db").rename(tmp_path / "kept")
    os.symlink(elsewhere, tmp_path / "trials.db")
    with pytest.raises(InputError, match="it is a link"):
        storage.engine.connect()


def test_a_journal_that_names_another_file_is_refused_and_the_file_stays(tmp_path, victim):
    pytest.importorskip("optuna")
    from steadyset.tuning.search import recorded_trials

    gift = made.prepared_journal(tmp_path / "gift", victim)
    with pytest.raises(InputError, match=r"trials\.db-journal was not made by a tuning: it names another file"):
        st.tune(None, [[0.0], [1.0]] * 10, [0, 1] * 10, resampling=st.KFold(2), n_trials=1, out=gift)
    with pytest.raises(InputError, match="it names another file"):
        recorded_trials(gift)
    copy = tmp_path / "copy"
    copy.write_text(made.VICTIM, encoding="utf-8")
    attacked = made.prepared_journal(tmp_path / "attacked", copy)
    with closing(sqlite3.connect(attacked / "trials.db")) as database:
        database.execute("select * from trials")
    assert not copy.exists()  # the attack works where nobody looks


@pytest.mark.parametrize("ending", ["", "-journal", "-wal", "-shm"])
def test_a_database_with_a_second_name_elsewhere_is_refused_and_that_stays(tmp_path, victim, ending):
    pytest.importorskip("optuna")
    gift = tmp_path / "gift"
    gift.mkdir()
    os.link(victim, gift / f"trials.db{ending}")
    with pytest.raises(InputError, match="has a second name"):
        st.tune(None, [[0.0], [1.0]] * 10, [0, 1] * 10, resampling=st.KFold(2), n_trials=1, out=gift)


# ---- no process is ended by a number in a file -------------------------------------------------------------------


@pytest.fixture
def innocent():
    """A process of the user that has nothing to do with the page."""
    process = subprocess.Popen(SLEEPS)
    yield process
    assert process.poll() is None
    process.kill()
    process.wait()


def test_stop_leaves_the_process_whose_number_a_stranger_wrote(client, folder, victim, innocent):
    made.ordered(folder / "gift", victim, state=STARTED, pid=innocent.pid)
    with (folder / "gift" / HELD).open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for action in ("stop", "pause"):
            assert "was not started from this page" in client.post(f"/runs/gift/{action}", headers=client.change).text


def test_a_number_that_the_system_gave_to_another_process_is_left_alone(folder, innocent):
    write_order(folder / "mine", Order("assess", {"out": "mine"}, state=STARTED, pid=innocent.pid, born="1"))
    held = folder / "mine" / HELD
    with held.open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        queue = Queue(RunStore(folder), 1, SLEEPS)
        with pytest.raises(InputError, match="held by a process that this page did not start"):
            queue.end(RunStore(folder).run("mine"), STOPPED)
    assert not end(innocent.pid, born(innocent.pid), folder / "mine", HELD)  # it does not have the lock
    assert not end(innocent.pid, "", folder / "mine", HELD)


def test_the_process_that_began_then_and_has_the_lock_is_ended(folder):
    folder.joinpath(HELD).touch()
    with folder.joinpath(HELD).open("rb") as lock:
        process = subprocess.Popen(SLEEPS, pass_fds=[lock.fileno()])
    assert end(process.pid, born(process.pid), folder, HELD)
    assert process.wait(timeout=30) != 0


# ---- one bad folder ----------------------------------------------------------------------------------------------

BAD = {
    "nested": made.nested,
    "fifo": lambda path: made.fifo(path, "assessment.json"),
    "fifo-cells": lambda path: made.fifo(path, "cells.json"),
    "endless": made.endless_database,
    "computed": made.computed_columns,
    **{f"odd-{seed}": lambda path, seed=seed: made.of_other_kinds(path, seed) for seed in range(6)},
}


def test_bad_folders_are_shown_as_damaged_and_everything_else_works(client, folder, honest):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for name, make in BAD.items():
        make(folder / name)
    begin = time.monotonic()
    texts = looks(client, "honest")
    assert time.monotonic() - begin < 60
    states = dict(re.findall(r'href="/runs/([\w-]+)".*?<span class="tag (\w+)">', texts["/runs"], re.S))
    assert set(states) == {"honest", *BAD}
    assert states["honest"] == "finished"
    assert {states[name] for name in ("nested", "fifo", "fifo-cells", "endless", "computed")} == {"damaged"}
    for name in BAD:
        found = progress_of(RunStore(folder).run(name))
        assert found.state != RUNNING
        assert (found.state == DAMAGED) == bool(found.complaint)
        page = client.get(f"/runs/{name}")
        assert page.status_code == 200
        assert client.get(f"/runs/{name}/answer").status_code == 200
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < 1 << 20  # kilobytes; whatever unfolds does so in another process
    client.delete("/runs/honest", headers=client.change)


@pytest.mark.parametrize("name", [name for name in BAD if name not in ("endless", "computed")])
def test_python_and_the_command_give_a_bad_folder_a_sentence(tmp_path, name, capsys):
    BAD[name](tmp_path / name)
    begin = time.monotonic()
    with pytest.raises(InputError):
        st.Assessment.open(tmp_path / name)
    assert run(["report", str(tmp_path / name), "-o", str(tmp_path / "r.html")]) == 2
    assert "Traceback" not in capsys.readouterr().err
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (made.endless_database, "views or triggers"),
        (made.computed_columns, "computed columns"),
        (made.virtual_tables, "virtual tables"),
    ],
)
def test_a_tuning_does_not_go_on_in_a_database_that_is_none(tmp_path, make, what):
    pytest.importorskip("optuna")
    make(tmp_path / "gift")
    with pytest.raises(InputError, match=f"holds {what}"):
        st.tune(None, [[0.0], [1.0]] * 10, [0, 1] * 10, resampling=st.KFold(2), n_trials=1, out=tmp_path / "gift")


@pytest.mark.parametrize("name", ["n" * 300, "ü" * 200, "数" * 80, "a/../b" * 50])
def test_names_that_no_disk_holds_are_refused_in_words(client, name):
    long = client.get(f"/runs/{name}")
    assert long.status_code in (400, 404)
    assert client.get("/data", params={"file": f"{name}.csv"}).status_code == 400
    assert client.post("/measure", data={"file": f"{name}.csv"}, headers=client.change).status_code in (200, 400)
