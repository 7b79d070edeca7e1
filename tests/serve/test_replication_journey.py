"""From a table, or several, to what the next study would find: estimated, ordered, shown, reported, asked again."""

import html
import re

import numpy as np
import pandas as pd
import pytest
from tests.serve.conftest import uploaded
from tests.serve.test_queue import until

from steadyset.serve.progress import FINISHED_STATE, progress_of
from steadyset.serve.run_store import RunStore
from steadyset.serve.sandboxed import part_studies

SETTINGS = {"pairs": "10", "size": "3", "selector": "anova", "jobs": "1", "seed": "0"}


def study(seed, rows=48, genes=60):
    """A study of which the first four genes differ between the two classes."""
    random, ill = np.random.default_rng(seed), np.arange(rows) % 2
    values = random.normal(size=(rows, genes)) + 1.5 * np.outer(ill, np.arange(genes) < 4)
    frame = pd.DataFrame(values.round(4), columns=[f"g{i}" for i in range(genes)])
    return frame.assign(state=np.where(ill, "ill", "well")).to_csv(index=False).encode()


def asked(client, *studies):
    names = [uploaded(client, f"{name}.csv", content) for name, content in zip("ABC", studies, strict=False)]
    return {"kind": "replicate", "file": names, "target": "state", **SETTINGS}


def ended(folder, name):
    until(lambda: not progress_of(RunStore(folder).run(name)).lives)
    return RunStore(folder).run(name)


@pytest.mark.slow  # buys: the whole journey, with a replication that runs beside the page
def test_from_a_table_to_what_the_next_study_would_find(client, folder):
    form = asked(client, study(1)) | {"out": "next"}
    page = html.unescape(client.get("/data", params=form).text)
    assert 'type="radio" name="selector" value="anova" checked' in page
    assert "Do you have other studies?" in page
    told = html.unescape(client.post("/estimate", data=form, headers=client.change).text)
    assert re.search(r"<b>About \d", told)
    assert "st.replication(" in told
    assert client.post("/runs", data=form, headers=client.change).headers["location"] == "/runs/next"
    run = ended(folder, "next")
    found = progress_of(run)
    assert (run.kind.command, found.state, found.done) == ("replicate", FINISHED_STATE, found.total)
    (so_far,) = part_studies(str(folder / "next"), None)
    assert "g0" in so_far["most"]
    page = html.unescape(client.get("/runs/next").text)
    assert "steadyset replicate data/A.csv" in page
    assert "/data?kind=replicate&file=data%2FA.csv" in page
    assert "would the next study" in client.get("/runs/next/report").text.lower()
    frame = html.unescape(client.get("/runs/next/frame").text)
    assert "/data?kind=replicate&file=data%2FA.csv&target=state" in frame
    assert "/data?kind=assess&file=data%2FA.csv&target=state" in frame


@pytest.mark.slow  # buys: the same with three files, which make a folder of several parts
def test_from_several_studies_to_what_they_have_in_common(client, folder):
    form = asked(client, *map(study, (1, 2, 3))) | {"out": "three"}
    page = html.unescape(client.get("/data", params=form).text)
    assert "Studies that are compared" in page
    assert page.count("48 samples, 60 features, 2 values of state to tell apart: ill (24) and well (24).") >= 3
    told = html.unescape(client.post("/estimate", data=form, headers=client.change).text)
    assert "st.compare_studies(" in told
    client.post("/runs", data=form, headers=client.change)
    run = ended(folder, "three")
    found = progress_of(run)
    assert (found.state, found.done) == (FINISHED_STATE, found.total)
    assert [step.words for step in found.steps[1:]] == [f"Parts of the samples in {name}" for name in "ABC"]
    assert len(part_studies(str(folder / "three"), None)) == 3
    page = html.unescape(client.get("/runs/three").text)
    assert page.count("&file=data%2F") == 3  # asked again with all of its files
    assert "Which features do the studies select alike?" in client.get("/runs/three/report").text
    client.delete("/runs/three", headers=client.change)
    assert not (folder / "three").exists()


@pytest.mark.slow  # buys: a replication that is paused and goes on, and says what it has until then
@pytest.mark.parametrize("n_studies", [1, 2])
def test_a_replication_is_stopped_and_goes_on(client, folder, n_studies):
    form = asked(client, *map(study, range(n_studies))) | {"out": "going", "selector": "lasso", "pairs": "2000"}
    client.post("/runs", data=form, headers=client.change)
    # Several studies first predict each other.
    until(
        lambda: (
            n_studies <= len(steps := progress_of(RunStore(folder).run("going")).steps) and steps[n_studies - 1].done
        )
    )
    client.post("/runs/going/stop", headers=client.change)
    before = progress_of(ended(folder, "going"))
    assert (before.state, before.done < before.total) == ("stopped", True)
    page = html.unescape(client.get("/runs/going").text)
    assert "The report comes once it has gone on to its end." in page
    assert "Chosen most often" in page
    assert "Go on" in page
    client.post("/runs/going/resume", headers=client.change)
    until(lambda: progress_of(RunStore(folder).run("going")).done > before.done)
    client.post("/runs/going/stop", headers=client.change)
    assert progress_of(ended(folder, "going")).done > before.done


def test_studies_that_share_rows_are_refused_where_they_are_asked_for(client, folder):
    one = study(1)
    form = asked(client, one, one) | {"out": "same"}
    answer = client.post("/runs", data=form, headers={**client.change, "HX-Request": "true"})
    assert "studies that share rows agree for that reason" in html.unescape(answer.text)
    assert answer.headers["hx-retarget"] == "#complaint"
    assert not (folder / "same").exists()


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"size": "", "selector": "stability_selection"}, "methods that always choose as many"),
        ({"selector": ""}, "Choose a method."),
        ({"pairs": "3"}, "“Pairs of studies” must be a whole number of at least 10"),
        ({"groups": "g7"}, "not validated for groups of rows"),
    ],
)
def test_what_the_next_study_cannot_be_asked_for_is_refused_before_it_waits(client, folder, changed, sentence):
    form = asked(client, study(1)) | {"out": "never"} | changed
    answer = client.post("/runs", data=form, headers={**client.change, "HX-Request": "true"})
    assert sentence in html.unescape(answer.text)
    assert not (folder / "never").exists()
