"""Who gets in, what a stranger's page can do, and what a file can do: nothing beyond what is meant."""

import gzip
import os
import re
import socket
import threading
from contextlib import contextmanager

import pytest
import uvicorn
from tests.serve.conftest import BASE, PORT, TestClient, uploaded

from steadyset.cli import run
from steadyset.foundation.errors import InputError
from steadyset.serve import create_application
from steadyset.serve.access import FORM_BYTES, Access
from steadyset.serve.run_store import RunStore, harmless_names

PAGES = ("/", "/measure", "/assess", "/tune", "/runs")


@pytest.mark.parametrize("page", [*PAGES, "/data?file=x.csv", "/runs/x", "/runs/x/progress", "/compare?run=a&run=b"])
def test_without_the_link_nothing_is_shown(stranger, page):
    answer = stranger.get(page)
    assert (answer.status_code, "Open the link" in answer.text) == (403, True)


def test_the_link_gives_a_cookie_that_scripts_and_other_sites_do_not_get(stranger, access):
    answer = stranger.get(f"/enter?token={access.token}")
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert access.token not in cookie
    assert [stranger.get(page).status_code for page in PAGES] == [200] * len(PAGES)


@pytest.mark.parametrize("token", ["", "x", "%00", "é"])
def test_another_token_gives_no_cookie(stranger, token):
    answer = stranger.get(f"/enter?token={token}")
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


def test_a_forged_cookie_is_that_of_a_stranger(stranger, access):
    for forged in ("x", "x.y", f"{access.token}", f".{'0' * 64}"):
        stranger.cookies.set(access.cookie, forged)
        assert stranger.get("/").status_code == 403


def test_the_cookie_of_one_server_is_none_of_another():
    first, second = Access("127.0.0.1", PORT), Access("127.0.0.1", PORT)
    assert first.knows(first.new_session())
    assert not second.knows(first.new_session())


@pytest.mark.parametrize(
    ("host", "own"),
    [
        (f"127.0.0.1:{PORT}", True),
        (f"localhost:{PORT}", True),
        (f"LOCALHOST:{PORT}", True),
        (f"[::1]:{PORT}", True),
        ("127.0.0.1", False),
        (f"127.0.0.1:{PORT + 1}", False),
        (f"evil.example:{PORT}", False),
        (f"127.0.0.1.evil.example:{PORT}", False),
        (f"localhost.evil.example:{PORT}", False),
        (f"evil.example@127.0.0.1:{PORT}", False),
        (f"127.0.0.1:{'9' * 5000}", False),
        ("", False),
    ],
)
def test_a_name_that_a_stranger_bound_to_this_machine_is_refused(client, host, own):
    assert client.get("/", headers={"Host": host}).status_code == (200 if own else 421)


def test_a_server_for_all_addresses_answers_to_addresses_and_not_to_names():
    access = Access("0.0.0.0", PORT, "long enough")
    assert access.is_own_host(f"192.168.1.7:{PORT}")
    assert not access.is_own_host(f"evil.example:{PORT}")


CHANGES = [
    ("POST", "/measure"),
    ("PUT", "/files?name=a.csv"),
    ("POST", "/runs"),
    ("DELETE", "/runs/x"),
    ("POST", "/runs/x/stop"),
]


@pytest.mark.parametrize(("method", "path"), CHANGES)
@pytest.mark.parametrize(
    "wrong",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://localhost:{PORT}"},
        {"Origin": None},
        {"X-Change-Token": None},
        {"X-Change-Token": "0" * 64},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
    ids=str,
)
def test_changes_come_from_our_own_pages_only(client, method, path, wrong, folder):
    headers = {name: value for name, value in {**client.change, **wrong}.items() if value is not None}
    assert client.request(method, path, headers=headers, content=b"a").status_code == 403
    assert list(folder.iterdir()) == []


def test_the_change_token_of_another_visitor_does_not_do(client, access):
    other = access.change_token(access.new_session())
    headers = {**client.change, "X-Change-Token": other}
    assert client.post("/measure", headers=headers).status_code == 403


@pytest.mark.parametrize("page", [*PAGES, "/static/app.js", "/nothing"])
def test_every_answer_forbids_foreign_and_inline_code(client, page):
    headers = client.get(page).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("page", PAGES)
def test_pages_hold_no_inline_script_or_style_and_nothing_from_elsewhere(client, page):
    text = client.get(page).text
    assert not re.findall(r"<script(?![^>]*\bsrc=)", text)
    assert not re.findall(r"<style|\sstyle=|\son\w+=|javascript:", text)
    assert all(place.startswith("/") for place in re.findall(r"(?:src|href|action)=\"([^\"#]+)", text))


def test_the_scripts_are_whole_and_name_no_other_machine(client):
    for name in ("htmx.min.js", "htmx-sse.js", "app.js", "app.css", "page.css", "icon.svg"):
        answer = client.get(f"/static/{name}")
        assert answer.status_code == 200
        assert not re.findall(r"https?://(?!www\.w3\.org)[\w.]+", answer.text)
    for name in ("../__init__.py", "%2e%2e/access.py", "htmx.LICENSE.txt.bak", "tasks.py"):
        assert client.get(f"/static/{name}").status_code == 404


# ---- files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    ["../../etc/x.csv", "..\\..\\x.csv", "/abs/x.csv", ".hidden.csv", "a\0b.csv", "con<|>.csv", "ü" * 300 + ".csv"],
)
def test_uploads_get_names_of_ours_within_the_folder(given):
    names = harmless_names(given)
    first, second = next(names), next(names)
    assert re.fullmatch(r"[^\W_][\w ()+-]{0,59}\.csv", first)
    assert second == first.replace(".csv", "-2.csv")
    assert len(first.encode()) < 240


@pytest.mark.parametrize(
    ("path", "heading", "sentence"),
    [
        ("/", "This link has no key", "Open the link that the command printed"),
        ("/enter?token=old", "This key no longer fits", "open the one printed last"),
        ("/login/nothing", "No such page", "There is nothing at /login/nothing"),
    ],
)
def test_whoever_has_no_key_reads_a_page_that_says_what_to_do(stranger, path, heading, sentence):
    as_text = stranger.get(path)
    assert sentence in as_text.text
    assert "<" not in as_text.text
    as_page = stranger.get(path, headers={"Accept": "text/html"})
    assert as_page.status_code == as_text.status_code >= 400
    assert f"<h1>{heading}</h1>" in as_page.text
    assert "/static/app.css" in as_page.text
    assert "<nav" not in as_page.text  # its links would lead nowhere


def test_an_unknown_address_has_a_way_home(client):
    answer = client.get("/nothing", headers={"Accept": "text/html"})
    assert answer.status_code == 404
    assert "<h1>No such page</h1>" in answer.text
    assert 'class="button" href="/"' in answer.text


def test_an_upload_keeps_its_name_and_takes_nobody_elses_place(client, folder):
    contents = {uploaded(client, "Leeds 2019 (数据).CSV.gz", content): content for content in (b"1", b"2", b"3")}
    assert list(contents) == [f"data/Leeds 2019 (数据){number}.csv.gz" for number in ("", "-2", "-3")]
    assert {name: (folder / name).read_bytes() for name in contents} == contents


@pytest.mark.parametrize("given", ["x", "x.exe", "x.csv.exe", "", ".", "x.py", "x.html"])
def test_files_that_no_reader_knows_are_refused(client, folder, given):
    answer = client.put("/files", params={"name": given}, content=b"a", headers=client.change)
    assert (answer.status_code, "unknown ending" in answer.text) == (400, True)
    assert list(folder.rglob("*.*")) == []


def test_two_uploads_of_one_name_are_two_files(client, folder):
    names = [uploaded(client, "x.csv", content) for content in (b"a", b"b")]
    assert sorted((folder / name).read_bytes() for name in names) == [b"a", b"b"]


def test_an_upload_that_is_too_large_leaves_nothing(client, folder):
    def parts():
        for _ in range(20):
            yield b"0" * 100_000

    declared = client.put("/files?name=x.csv", content=b"0" * 2_000_000, headers=client.change)
    streamed = client.put("/files?name=x.csv", content=parts(), headers=client.change)
    assert [declared.status_code, streamed.status_code] == [413, 413]
    assert "at most 1 MB" in streamed.text
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_a_form_that_is_too_large_is_refused(client):
    answer = client.post("/measure", content=b"a" * (FORM_BYTES + 1), headers=client.change)
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "name", ["..", ".", "a/b", "../x", "/etc", "a\\b", "x\0", ".hidden", "data", "", "x ", "-x", "a" * 81]
)
def test_names_that_could_leave_the_folder_are_refused(folder, name):
    with pytest.raises(InputError, match="cannot be the name of a run"):
        RunStore(folder).place(name)


@pytest.mark.parametrize("path", ["/runs/..%2f..%2fetc", "/runs/%2e%2e", "/runs/..%5c..", "/runs/%00"])
def test_paths_that_leave_the_folder_show_nothing(client, path):
    answer = client.get(path)
    assert answer.status_code in (400, 404)
    assert "root:" not in answer.text


@pytest.mark.parametrize("file", ["../secret.csv", "/etc/passwd", "data/../../secret.csv", ".hidden.csv", "link.csv"])
def test_tables_outside_of_the_folder_cannot_be_named(client, folder, file):
    (folder.parent / "secret.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    (folder / ".hidden.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    os.symlink(folder.parent / "secret.csv", folder / "link.csv")
    answer = client.get("/data", params={"file": file})
    assert (answer.status_code, "There is no data file" in answer.text) == (400, True)
    samples = client.get(
        "/data", params={"file": uploaded(client, "x.csv", b"a,b\n1,2\n"), "samples": file, "target": "a"}
    )
    assert "There is no data file" in samples.text


def test_a_run_folder_that_is_a_link_is_none(client, folder, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "assessment.json").write_text("{}", encoding="utf-8")
    os.symlink(outside, folder / "inside")
    assert client.get("/runs/inside").status_code == 400
    assert client.delete("/runs/inside", headers=client.change).status_code == 400
    assert (outside / "assessment.json").exists()


def test_deleting_keeps_what_is_not_of_a_run(client, folder):
    place = folder / "mine"
    (place / "finished").mkdir(parents=True)
    (place / "assessment.json").write_text("{}", encoding="utf-8")
    (place / "thesis.docx").write_text("years of work", encoding="utf-8")
    answer = client.delete("/runs/mine", headers=client.change)
    assert "stay: thesis.docx" in answer.text
    assert [path.name for path in place.iterdir()] == ["thesis.docx"]


@pytest.mark.slow  # buys: every kind of hostile file through the page; each reader is in make test
def test_hostile_files_give_a_sentence(client, folder):
    bomb = gzip.compress(b"1," * 5_000_000)  # 10 MB of one line
    for name, content in (
        ("bomb.csv.gz", bomb),
        ("broken.xlsx", b"PK\x03\x04" + b"\0" * 100),
        ("broken.parquet", b"PAR1" + b"\xff" * 100 + b"PAR1"),
        ("broken.h5ad", b"\x89HDF\r\n\x1a\n" + b"\xff" * 200),
        ("empty.json", b"["),
    ):
        file = uploaded(client, name, content)
        answer = client.get("/data", params={"file": file})
        assert answer.status_code == 200
        told = re.search(r'<div class="complaint"[^>]*>(.*?)</div>', answer.text, re.S)
        assert told, name
        assert str(folder) not in told[1]
        assert "Traceback" not in answer.text


def test_names_from_files_are_text_on_the_page(client):
    hostile = "<img src=x onerror=alert(1)>"
    file = uploaded(client, "x.csv", f'"{hostile}",y\n1,a\n2,b\n3,a\n4,b\n'.encode())
    text = client.get("/data", params={"file": file, "target": "y"}).text
    assert hostile not in text
    assert "&lt;img src=x" in text


# ---- a real server -------------------------------------------------------------------------------------------------


@contextmanager
def listening(application, sock):
    server = uvicorn.Server(uvicorn.Config(application, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(20)


def asked(port, text):
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(text.encode())
        answer = b""
        while part := connection.recv(65536):
            answer += part
    return answer.decode("latin-1")


def test_a_real_socket_refuses_foreign_and_missing_hosts(folder):
    sock = socket.create_server(("127.0.0.1", 0))
    port = sock.getsockname()[1]
    access = Access("127.0.0.1", port)
    with listening(create_application(folder, access), sock):
        for lines, code in (
            (f"Host: 127.0.0.1:{port}\r\n", "200"),
            (f"Host: evil.example:{port}\r\n", "421"),
            (f"Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n", "4"),
            ("", "4"),
        ):
            answer = asked(port, f"GET /enter?token={access.token} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n")
            assert answer.split()[1].startswith(code)
            assert ("set-cookie" in answer.lower()) == (code == "200")


# ---- other machines ---------------------------------------------------------------------------------------------


def test_other_machines_get_in_by_the_password_alone(folder):
    access = Access("0.0.0.0", PORT, "correct horse")
    app = create_application(folder, access)
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        assert client.get("/").headers["location"] == "/login"
        assert client.get(f"/enter?token={access.token}").status_code == 403
        origin = {"Origin": BASE}
        assert client.post("/login", data={"password": "wrong"}, headers=origin).status_code == 403
        assert client.post("/login", data={"password": "correct horse"}).status_code == 403  # from nowhere
        assert client.get("/").status_code == 303
        assert client.post("/login", data={"password": "correct horse"}, headers=origin).status_code == 303
        assert client.get("/").status_code == 200


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--host", "0.0.0.0"], "give a password"),
        (["--host", "192.0.2.1"], "not encrypted"),
        (["--host", "0.0.0.0", "--password-file", "short"], "at least 8 characters"),
        (["--host", "192.0.2.1", "--password-file", "long enough"], "cannot listen"),
        (["--password-file", "nowhere/at all"], "cannot be read"),
        (["--password"], "no terminal to type a password in"),
    ],
)
def test_other_machines_are_let_in_by_an_explicit_password_alone(tmp_path, capsys, monkeypatch, options, told):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STEADYSET_PASSWORD", raising=False)
    for text in ("short", "long enough"):
        (tmp_path / text).write_text(f"{text}\nsecond line", encoding="utf-8")
    assert run(["serve", str(tmp_path), "--no-open", *options]) == 2
    assert told in capsys.readouterr().err
