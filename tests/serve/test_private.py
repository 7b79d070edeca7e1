"""What only this user may know or read: keys, passwords, uploads, runs; and guard that say nothing."""

import asyncio
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import uvicorn
from tests.serve.conftest import BASE, TestClient, uploaded

import steadyset.cli.runs as command
from steadyset.cli import run
from steadyset.serve import access as guard
from steadyset.serve import create_application, run_views, site
from steadyset.serve.access import Access

pytestmark = pytest.mark.posix


def test_wrong_passwords_wait_for_each_other(folder, monkeypatch):
    monkeypatch.setattr(run_views, "WRONG_PASSWORD_SECONDS", 0.2)
    application = create_application(folder, Access("127.0.0.1", 8351, "correct horse"))
    with TestClient(application, base_url=BASE) as client:
        guesses = [
            threading.Thread(
                target=client.post, args=("/login",), kwargs={"data": {"password": "x"}, "headers": {"Origin": BASE}}
            )
            for _ in range(4)
        ]
        begin = time.monotonic()
        for guess in guesses:
            guess.start()
        for guess in guesses:
            guess.join()
        assert time.monotonic() - begin >= 0.8


def test_the_link_with_the_key_is_no_argument_of_the_browser(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    page = command._open_browser("http://127.0.0.1:1/enter?token=secret&x")
    try:
        while not opened:
            time.sleep(0.01)
        assert "secret" not in opened[0]
        assert Path(opened[0].removeprefix("file://")) == page
        assert page.stat().st_mode & 0o777 == 0o600
        assert "token=secret&amp;x" in page.read_text(encoding="utf-8")
    finally:
        page.unlink()


def test_the_password_comes_from_the_environment_or_a_file(tmp_path, monkeypatch):
    monkeypatch.setenv(command.PASSWORD, "from outside")
    assert command._password(False, None) == command._password(True, None) == "from outside"
    (tmp_path / "secret").write_text("of a file\r\nmore\n", encoding="utf-8")
    assert command._password(False, tmp_path / "secret") == "of a file"


def test_the_help_of_load_says_that_it_runs_code(capsys):
    run(["assess", "--help"])
    assert "Run the code of a Python file" in " ".join(capsys.readouterr().out.replace("│", " ").split())


def test_what_a_killed_server_left_is_removed_and_what_a_living_one_has_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(site.tempfile, "tempdir", str(tmp_path))
    script = "from steadyset.serve.site import Temporary; import os; print(Temporary().path); os._exit(9)"
    left = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True
    )
    assert Path(left.stdout.decode().strip()).is_dir()
    opening = tmp_path / f"{site.PREFIX}x.html"  # what led a browser to the killed server
    opening.touch()
    os.utime(opening, (time.time() - 2 * site.OPENING,) * 2)
    with site.Temporary() as living, site.Temporary() as other:
        assert sorted(tmp_path.iterdir()) == sorted([living.path, other.path])
        assert living.path.stat().st_mode & 0o777 == 0o700
    assert list(tmp_path.iterdir()) == []


def test_an_upload_that_was_interrupted_with_its_server_is_removed_later(folder):
    data = folder / "data"
    data.mkdir()
    for name, age in ((".old.csv.12345678.part", 7200), (".new.csv.12345678.part", 60)):
        (data / name).touch()
        os.utime(data / name, (time.time() - age,) * 2)
    site.remove_unfinished(data)
    assert [path.name for path in data.iterdir()] == [".new.csv.12345678.part"]


def test_a_body_that_does_not_arrive_is_given_up(monkeypatch):
    monkeypatch.setattr(guard, "PATIENCE", 0.05)

    async def never():
        await asyncio.sleep(60)

    async def read():
        with pytest.raises(guard.TooSlowError):
            await guard.Body(never, 100).receive()

    asyncio.run(read())


def test_a_body_that_arrives_byte_by_byte_is_given_up(monkeypatch):
    monkeypatch.setattr(guard, "PATIENCE", 0.3)

    async def slowly():
        await asyncio.sleep(0.05)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def read():
        body = guard.Body(slowly, 1 << 20)
        for _ in range(100):
            await body.receive()

    with pytest.raises(guard.TooSlowError):
        asyncio.run(read())


@pytest.mark.parametrize("path", ["/runs", "/login"])
def test_the_rest_of_a_refused_request_is_not_waited_for(folder, path, monkeypatch):
    monkeypatch.setattr(guard, "PATIENCE", 0.3)
    headers = {"Content-Length": "100000", "Origin": BASE}
    with TestClient(create_application(folder, Access("127.0.0.1", 8351)), base_url=BASE) as client:
        answer = client.post(path, content=iter([b"x"]), headers={**headers, "Origin": "http://elsewhere"})
        assert (answer.status_code, answer.headers["connection"]) == (403, "close")
        assert "connection" not in client.get("/static/app.css").headers


def test_half_open_requests_are_closed_and_whole_ones_answered(folder, monkeypatch):
    monkeypatch.setattr(guard, "PATIENCE", 0.3)
    sock = socket.create_server(("127.0.0.1", 0))
    access = Access("127.0.0.1", sock.getsockname()[1])
    application = create_application(folder, access)
    server = uvicorn.Server(uvicorn.Config(application, log_level="error", http=guard.Impatient))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    try:
        whole = f"GET /static/app.css HTTP/1.1\r\nHost: 127.0.0.1:{access.port}\r\n\r\n".encode()
        for sent, closed in (
            (b"", b""),
            (b"GET / HT", b""),
            (whole, b"HTTP/1.1 200"),
            (whole + b"GET /", b"HTTP/1.1 200"),
        ):
            with socket.create_connection(("127.0.0.1", access.port), timeout=20) as client:
                client.sendall(sent)
                answer = b""
                while len(answer) < len(closed) and (part := client.recv(1 << 16)):
                    answer += part
                assert answer.startswith(closed)
                if not closed or sent != whole:
                    while client.recv(1 << 16):
                        pass  # the server closes it
    finally:
        server.should_exit = True
        thread.join(timeout=30)


def test_what_the_page_writes_is_readable_by_its_user_alone(client, folder):
    before = os.umask(0o077)  # as `serve` sets it
    try:
        name = uploaded(client, "x.csv", b"a,b\n1,2\n")
    finally:
        os.umask(before)
    assert (folder / name).stat().st_mode & 0o777 == 0o600
    assert (folder / "data").stat().st_mode & 0o777 == 0o700
