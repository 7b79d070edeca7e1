"""From a table to a chosen configuration: what is estimated, ordered, shown while it goes on, and reported."""

import html
import re

import pytest
from tests.serve.conftest import uploaded
from tests.serve.test_queue import until
from tests.serve.test_serve_in_browser import table

from steadyset.serve.progress import FINISHED_STATE, progress_of
from steadyset.serve.run_store import RunStore
from steadyset.serve.sandboxed import front

pytest.importorskip("optuna")


@pytest.mark.slow  # buys: the whole journey, with a tuning that runs beside the page
def test_from_a_table_to_a_chosen_configuration(client, folder, tmp_path):
    name = uploaded(client, "my study.csv", table(tmp_path / "x.csv").read_bytes())
    asked = {"kind": "tune", "file": name, "target": "tumour"}
    page = client.get("/data", params=asked).text
    assert "2 values of tumour to tell apart: no (20) and yes (20)" in page
    assert 'hx-post="/estimate"' in page
    form = {**asked, "trials": "3", "resampling": "kfold:n_splits=10", "jobs": "1", "seed": "0", "out": "tuned"}
    told = html.unescape(client.post("/estimate", data=form, headers=client.change).text)
    assert re.search(r"About \d.*, by 3 configurations tried out", told)
    wrong = client.post("/estimate", data={**form, "trials": "many"}, headers=client.change).text
    assert "“Configurations” must be a whole number" in wrong
    assert client.post("/runs", data=form, headers=client.change).headers["location"] == "/runs/tuned"
    until(lambda: not progress_of(RunStore(folder).run("tuned")).lives)
    found = progress_of(RunStore(folder).run("tuned"))
    assert (found.state, found.done, found.total) == (FINISHED_STATE, 3, 3)
    shown = front(str(folder / "tuned"))
    assert len(shown["points"]) == 3
    assert 1 <= len(shown["rows"]) <= 3
    page = client.get("/runs/tuned").text
    assert "steadyset tune 'data/my study.csv'" in html.unescape(page)
    assert "n_trials=3" in page
    assert "configuration" in client.get("/runs/tuned/report").text
