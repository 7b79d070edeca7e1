"""Run folders that the library or the command made are seen, compared and protected like those of the page."""

import os
import re
import time

import numpy as np
import pytest
from starlette.datastructures import QueryParams

import steadyset as st
from steadyset.assessment.folder import RunFolder
from steadyset.serve.forms import options_given
from steadyset.serve.run_store import RunStore
from steadyset.serve.run_views import _is_fresh


def assessed(place, seed=0, n_features=6):
    random = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = random.normal(size=(40, n_features))
    X[:, 0] += 2 * y
    return st.assess(
        ["anova:k=2"],
        X,
        y,
        resampling=st.Bootstrap(6),
        out=place,
        random_state=seed,
        execution=st.Execution(progress=False),
    )


@pytest.fixture
def two(folder):
    return [assessed(folder / name, seed) for seed, name in enumerate(("one", "other"))]


def test_runs_of_the_library_are_listed_answered_and_compared(client, two):
    listed = client.get("/runs").text
    assert listed.count("6 of 6 runs") == 2
    assert st.findings_of(two[0]).answer[0] in client.get("/runs/one/answer").text
    report = client.get("/compare/report", params={"run": ["one", "other"]})
    assert "one: anova:k=2" in report.text
    assert "other: anova:k=2" in report.text
    assert "sandbox" in report.headers["content-security-policy"]
    assert client.get("/compare", params={"run": ["one", "one"]}).status_code == 400


def test_runs_on_other_features_are_not_compared_and_the_page_says_so_in_its_own_words(client, two, folder):
    assessed(folder / "wider", n_features=7)
    answer = client.get("/compare", params={"run": ["one", "wider"]}, headers={"Accept": "text/html"})
    assert "one and wider were chosen from different features" in answer.text
    assert not any(word in answer.text for word in ("paired=", "Selections"))


def test_a_run_that_another_process_works_on_is_seen_and_cannot_be_deleted(client, two, folder):
    with RunFolder(folder / "one").locked():
        assert "Nearly done" in client.get("/runs/one").text  # all of its runs are there
        assert "pause or stop it first" in client.delete("/runs/one", headers=client.change).text
        assert "pause or stop it first" in client.post("/runs/one/name", data={"name": "x"}, headers=client.change).text
    assert client.delete("/runs/one", headers=client.change).headers["location"] == "/runs"
    assert sorted(path.name for path in folder.iterdir()) == ["other"]


def test_runs_may_have_names_in_any_alphabet(client, two):
    headers = {**client.change, "HX-Request": "true"}
    answer = client.post("/runs/one/name", data={"name": "数据 (1)"}, headers=headers)
    place = answer.headers["hx-redirect"]
    assert place.isascii()
    assert "数据 (1)" in client.get(place).text


def test_a_report_that_was_written_while_a_run_ended_is_made_again(client, application, two, folder, monkeypatch):
    sandbox, table = application.app.state.site.sandbox, folder / "one" / "features.csv"
    written = sandbox.call

    async def while_a_run_ends(*arguments, **options):
        now = time.time_ns()
        os.utime(table, ns=(now, now))
        return await written(*arguments, **options)

    monkeypatch.setattr(sandbox, "call", while_a_run_ends)
    assert client.get("/runs/one/report").status_code == 200
    assert not _is_fresh(folder / "one")
    monkeypatch.setattr(sandbox, "call", written)
    assert client.get("/runs/one/report").status_code == 200
    assert _is_fresh(folder / "one")


@pytest.mark.parametrize("name", ["data.csv", "_.csv", "数据.csv", f"{'x' * 90}.csv"])
def test_a_table_beside_the_runs_gives_a_run_a_name_that_it_may_have(client, folder, name):
    (folder / name).write_text("x,y\n" + "1,a\n2,b\n3,a\n4,b\n" * 5, encoding="utf-8")
    answer = client.get("/data", params={"file": name, "target": "y"})
    assert answer.status_code == 200
    (proposed,) = re.findall(r'id="out" name="out" value="([^"]*)"', answer.text)
    assert not RunStore(folder).place(proposed).exists()


@pytest.mark.parametrize(
    "settings", ["", "[]", '{"details": [], "selectors": 3}', '{"details": {"n_runs": "x"}, "selectors": {"a": ""}}']
)
def test_a_damaged_run_folder_keeps_no_other_from_being_shown(client, two, folder, settings):
    (folder / "one" / "assessment.json").write_text(settings, encoding="utf-8")
    assert "other" in client.get("/runs").text
    assert client.get("/runs/one").status_code == 200


@pytest.mark.parametrize(("typed", "sent"), [("\t", "\t"), (" ; ", ";"), (" ", " ")])
def test_a_separator_may_be_a_tab_or_a_space(typed, sent):
    assert options_given("assess", QueryParams({"delimiter": typed}), "reading") == {"delimiter": sent}
