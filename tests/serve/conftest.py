"""A server on an empty folder, with a client who has come in by the printed link."""

import warnings

import pytest

from steadyset.serve import create_application
from steadyset.serve.access import Access

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # newer versions prefer another client than httpx
    from starlette.testclient import TestClient

PORT = 8351
BASE = f"http://127.0.0.1:{PORT}"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "page"
    place.mkdir()
    return place


@pytest.fixture(autouse=True)
def own_state(tmp_path, monkeypatch):
    """The key that seals orders lies in the state folder of the user, which is another one here."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def access():
    return Access("127.0.0.1", PORT)


@pytest.fixture
def application(folder, access):
    return create_application(folder, access, cores=2, upload_bytes=1 << 20)


@pytest.fixture
def stranger(application):
    """A client without a cookie."""
    with TestClient(application, base_url=BASE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(stranger, access):
    """The same once it has opened the printed link; `change` are the headers of its pages."""
    assert stranger.get(f"/enter?token={access.token}").status_code == 200
    stranger.change = change_headers(stranger, access)
    return stranger


def change_headers(client, access):
    session = client.cookies[access.cookie]
    return {"Origin": BASE, "X-Change-Token": access.change_token(session)}


def uploaded(client, name, content):
    """The name that an upload got."""
    answer = client.put(f"/files?name={name}", content=content, headers=client.change)
    assert answer.status_code == 200, answer.text
    return answer.json()["name"]
