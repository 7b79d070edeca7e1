"""Data sets from OpenML: a server here stands in for it; what it gives is verified, converted and kept."""

import hashlib
import json
import threading
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.request import urlopen

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import _openml

from papers.framework import all_items, data_folder, downloads
from papers.framework.data_sets import MissingDataError, downloads_folder, known_sets, numbers_checksum
from papers.framework.published_numbers import FOLDER
from steadyset import InputError

ARFF = """@relation votes
@attribute first {n,y}
@attribute second {n,y}
@attribute third numeric
@attribute Class {red,blue}
@data
n,y,1.5,red
?,y,2.5,blue
y,y,3.5,blue
"""
RECORD = {"openml": 7, "codes": {"n": -1, "?": 0, "y": 1}, "rows": 3, "features": 3}


class OpenML:
    """Serves one data set as OpenML does, and counts the requests."""

    def __init__(self, arff=ARFF, checksum=None):
        self.asked = []
        columns = [("first", "nominal"), ("second", "nominal"), ("third", "numeric"), ("Class", "nominal")]
        self.pages = {
            "/api/v1/json/data/7": {
                "data_set_description": {
                    "id": "7",
                    "name": "votes",
                    "version": "1",
                    "format": "ARFF",
                    "status": "active",
                    "description": "votes",
                    "url": "https://www.openml.org/data/v1/download/70/votes.arff",
                    "file_id": "70",
                    "md5_checksum": checksum or hashlib.md5(arff.encode()).hexdigest(),
                }
            },
            "/api/v1/json/data/features/7": {
                "data_features": {
                    "feature": [
                        {
                            "index": str(index),
                            "name": name,
                            "data_type": kind,
                            "is_target": str(name == "Class").lower(),
                            "is_ignore": "false",
                            "is_row_identifier": "false",
                            "number_of_missing_values": "0",
                            **({"nominal_value": ["red", "blue"]} if name == "Class" else {}),
                            **({"nominal_value": ["n", "y"]} if name in ("first", "second") else {}),
                        }
                        for index, (name, kind) in enumerate(columns)
                    ]
                }
            },
            "/api/v1/json/data/qualities/7": {
                "data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "3"}]}
            },
            "/data/v1/download/70/votes.arff": arff,
        }

    @contextmanager
    def serving(self):
        pages, asked = self.pages, self.asked

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append(self.path)
                page = pages.get(self.path)
                body = (page if isinstance(page, str) else json.dumps(page)).encode()
                self.send_response(200 if page else 412)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    monkeypatch.delenv("STEADYSET_DATA", raising=False)


@contextmanager
def served(monkeypatch, server, **record):
    monkeypatch.setattr(downloads, "known_sets", lambda: {"votes": RECORD | record})
    with server.serving() as address:
        monkeypatch.setattr(_openml, "urlopen", partial(_instead, address))
        yield


def _instead(address, request):
    assert request.full_url.startswith("https://www.openml.org/")
    return urlopen(address + request.selector)


def test_a_set_is_downloaded_once_converted_and_found(monkeypatch):
    server = OpenML()
    with served(monkeypatch, server):
        file = downloads.download("votes")
        asked = len(server.asked)
        assert downloads.download("votes") == file
    assert len(server.asked) == asked
    found = data_folder().read("votes")
    assert found.X["first"].tolist() == [-1, 0, 1]
    assert found.X["third"].tolist() == [1.5, 2.5, 3.5]
    assert found.y.tolist() == ["red", "blue", "blue"]


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"features": 2}, "it has 3 rows and 3 features"),
        ({"sha256": "0" * 64}, "its numbers are others"),
        ({"largest_share": 0.5}, "its largest class has the share 0.67"),
        ({"codes": {"n": -1, "y": 1}}, "it has missing values"),
    ],
)
def test_another_set_than_that_of_the_papers_is_refused_and_not_kept(monkeypatch, record, sentence):
    with served(monkeypatch, OpenML(), **record), pytest.raises(MissingDataError, match=sentence):
        downloads.download("votes")
    assert not (downloads_folder() / "votes.parquet").exists()


def test_a_file_that_was_changed_on_its_way_is_refused(monkeypatch):
    with served(monkeypatch, OpenML(checksum="0" * 32)), pytest.raises(MissingDataError, match="md5 checksum"):
        downloads.download("votes")


def test_without_a_network_one_sentence_says_so(monkeypatch):
    def unreachable(request):
        raise downloads.URLError("Name or service not known")

    monkeypatch.setattr(_openml, "urlopen", unreachable)
    monkeypatch.setattr(downloads, "PAUSE", 0.01)
    with pytest.raises(InputError) as error:
        downloads.download("sonar")
    assert str(error.value) == (
        "OpenML cannot be reached for the data of sonar: Name or service not known; give a folder with --data."
    )


def test_a_set_that_openml_does_not_have_says_where_to_put_it():
    with pytest.raises(MissingDataError, match=r"put alon\.parquet into a folder"):
        downloads.download("alon")


def test_words_become_numbers_and_constant_columns_go():
    raw = pd.DataFrame(
        {"word": ["b", "a", "c"], "same": [1, 1, 1], "text": ["1.5", "2", "3"], "target": ["x", "y", "y"]}
    )
    frame = downloads.as_published(raw, {"drop_constant": True})
    assert frame.columns.tolist() == ["word", "text", "target"]
    assert frame["word"].tolist() == [1, 0, 2]
    assert frame["text"].tolist() == [1.5, 2, 3]


def test_classes_and_rows_can_be_chosen():
    raw = pd.DataFrame({"x": np.arange(6.0), "target": ["a", "a", "b", "b", "b", "c"]})
    assert downloads.as_published(raw, {"classes": ["a", "c"]})["x"].tolist() == [0, 1, 5]
    assert downloads.as_published(raw, {"largest_classes": 2})["x"].tolist() == [0, 1, 2, 3, 4]
    assert downloads.as_published(raw, {"first_rows": 2})["x"].tolist() == [0, 1]


def test_the_checksum_of_numbers_knows_neither_order_nor_names_and_sees_every_number():
    frame = pd.DataFrame({"x": [1.0, 2.0, 3.0], "z": [0.1, 0.2, 0.3], "target": ["m", "r", "r"]})
    same = frame.iloc[[2, 0, 1]].rename(columns={"x": "V1"}).replace({"m": "Mine", "r": "Rock"})
    assert numbers_checksum(frame) == numbers_checksum(same)
    assert numbers_checksum(frame) != numbers_checksum(frame.replace(0.2, 0.20001))
    assert numbers_checksum(frame) != numbers_checksum(frame.assign(target=["r", "m", "r"]))


@pytest.mark.data
def test_the_recorded_checksums_are_those_of_the_sets_here(monkeypatch):
    monkeypatch.undo()
    here = data_folder()
    if not here.paths[1:]:
        pytest.skip("STEADYSET_DATA names no folder")
    small = [name for name, one in known_sets().items() if "sha256" in one and one["rows"] * one["features"] < 20_000]
    assert [name for name in small if not here.holds(name)] == []


def test_every_set_of_the_papers_is_recognised_before_it_is_used():
    needed = {name for one in all_items() if (FOLDER / f"{one.paper}.json").exists() for name in one.data}
    assert needed <= set(known_sets())
