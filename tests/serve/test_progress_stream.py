"""Progress is looked at once for all who listen, while they listen; slow and lost listeners cost the others nothing."""

import asyncio
import json
import socket
import threading
from types import SimpleNamespace

from tests.serve.test_queue import go, ordered, queue_of, until
from tests.serve.test_safety import listening

from steadyset.serve import create_application
from steadyset.serve.access import Access
from steadyset.serve.job_queue import is_held
from steadyset.serve.progress import EVERY, Progress, Step, Watches, progress_of
from steadyset.serve.run_store import Order, RunStore, write_order

LISTENERS = 50


class Counted:
    """Shows a number that goes up at each look, until it is told to end."""

    def __init__(self, last):
        self.looks, self.last = 0, last

    def revision(self, name):
        return self.looks

    async def show(self, run):
        self.looks += 1
        return f"look {self.looks}", self.looks < self.last


def shown(folder, last):
    write_order(folder / "a", Order("assess"))
    store = RunStore(folder)
    show = Counted(last)
    return store, show, Watches(store, show)


def test_fifty_listeners_see_the_same_and_cost_one_look_each_time(folder):
    store, show, watches = shown(folder, 4)

    async def followed():
        return [event async for event in watches.follow(store.run("a"))]

    async def all_of_them():
        return await asyncio.gather(*(followed() for _ in range(LISTENERS)))

    found = asyncio.run(all_of_them())
    assert show.looks == 4
    assert len({tuple(events) for events in found}) == 1
    assert found[0][-2:] == ["event: progress\ndata: look 4\n\n", "event: ended\ndata: \n\n"]
    assert watches._watches == {}


def test_a_slow_listener_holds_up_nobody_and_still_sees_the_end(folder):
    store, _, watches = shown(folder, 5)

    async def both():
        async def slow():
            seen = []
            async for event in watches.follow(store.run("a")):
                seen.append(event)
                await asyncio.sleep(3 * EVERY)
            return seen

        reading = asyncio.create_task(slow())
        quick = [event async for event in watches.follow(store.run("a"))]
        return quick, await reading

    quick, late = asyncio.run(both())
    assert len(quick) == 6  # five looks and the end
    assert len(late) < len(quick)
    assert late[-2:] == quick[-2:]


def test_nobody_looks_when_the_last_listener_has_left(folder):
    store, show, watches = shown(folder, 1000)

    async def left():
        stream = watches.follow(store.run("a"))
        await anext(stream)
        await stream.aclose()
        before = show.looks
        await asyncio.sleep(4 * EVERY)
        assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
        return show.looks - before

    assert asyncio.run(left()) == 0
    assert watches._watches == {}


def test_a_run_that_is_deleted_ends_its_stream(folder):
    store, _, watches = shown(folder, 1000)

    async def deleted():
        stream = watches.follow(store.run("a"))
        await anext(stream)
        (folder / "a" / "job.json").unlink()
        return [event async for event in stream]

    assert asyncio.run(deleted())[-1].startswith("event: ended")


def streamed(port, cookie, answers):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(
            f"GET /runs/a/progress HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n".encode()
        )
        answer = b""
        while b"event: ended" not in answer and (part := connection.recv(65536)):
            answer += part
    answers.append(answer.decode())


def test_fifty_browsers_on_a_real_server_see_a_run_end_and_lost_ones_are_forgotten(folder):
    sock = socket.create_server(("127.0.0.1", 0))
    port = sock.getsockname()[1]
    access = Access("127.0.0.1", port)
    store = RunStore(folder)
    queue = queue_of(store)
    ordered(queue, "a")
    application = create_application(folder, access)
    answers = []
    with listening(application, sock):
        cookie = f"{access.cookie}={access.new_session()}"
        until(lambda: _answers(port))
        for _ in range(10):  # opened and closed at once
            with socket.create_connection(("127.0.0.1", port)) as lost:
                head = f"GET /runs/a/progress HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n"
                lost.sendall(head.encode())
        browsers = [threading.Thread(target=streamed, args=(port, cookie, answers)) for _ in range(LISTENERS)]
        for one in browsers:
            one.start()
        watches = application.app.state.site.watches
        until(lambda: "a" in watches._watches and watches._watches["a"].listeners == LISTENERS)
        go(store, "a")
        for one in browsers:
            one.join(60)
        until(lambda: watches._watches == {})
    assert len(answers) == LISTENERS
    assert all("Running" in answer and "Interrupted" in answer for answer in answers)


def _answers(port):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


def test_progress_counts_runs_and_not_fits_on_all_rows(folder):
    place = folder / "a"
    (place / "finished").mkdir(parents=True)
    settings = {"selectors": {"x": "", "y": ""}, "details": {"n_runs": 5}}
    (place / "assessment.json").write_text(json.dumps(settings), encoding="utf-8")
    for name in ("0-0", "0-1", "1-0", "0--1", "1--1"):
        (place / "finished" / f"{name}.json").write_text("{}", encoding="utf-8")
    (place / "finished" / ".2-0.json.77.part").write_text("{", encoding="utf-8")
    found = progress_of(RunStore(folder).run("a"))
    assert (found.done, found.total, found.lives) == (3, 10, False)
    assert not is_held(place)


def rendered(application, progress, **content):
    site = application.app.state.site
    common = {"run": SimpleNamespace(name="x", order=None), "left": "", "ahead": [], "interim": None, "cores": 1}
    return site.text("progress.html.j2", progress=progress, **common, **content)


def test_a_run_whose_steps_are_done_is_nearly_done(application):
    text = rendered(application, Progress("running", 2, 2, steps=(Step("Runs", 2, 2),)))
    assert "Nearly done" in text
    assert "time left" not in text


def test_what_is_stopped_before_its_first_repeat_says_how_far_it_came(application):
    progress = Progress("stopped", 0, 0, steps=(Step("Halves", 3, 21), Step("Repeats", 0, 10)))
    text = rendered(application, progress, unreported=True)
    assert "3 of 21" in text
    assert "The report comes once it has gone on to its end." in text


def test_a_list_of_results_says_how_far_a_shortlist_came_before_its_first_repeat(application):
    progress = Progress("stopped", 0, 0, steps=(Step("Halves", 3, 21), Step("Repeats", 0, 10)))
    listed = {"run": SimpleNamespace(name="x", kind=SimpleNamespace(name="Shortlist", unit="repeats"))}
    one = {**listed, "progress": progress, "told": False}
    parts = application.app.state.site._templates.get_template("parts.html.j2").module
    assert "Halves: 3 of 21" in parts.result(one)
    assert "Repeats" not in parts.result(one)
