"""How a table is understood is shown, and what stands in the way can be mended with a click."""

import html
import re

import numpy as np
import pandas as pd
import pytest
from tests.serve.conftest import BASE, TestClient, change_headers, uploaded

ROWS = 30


def frame(**more):
    random = np.random.default_rng(0)
    columns = {f"gene {i}": random.normal(size=ROWS) for i in range(10)}
    return pd.DataFrame({**columns, **more})


def shown(client, data, **fields):
    file = uploaded(client, "table.csv", data.to_csv(index=False).encode())
    return html.unescape(client.get("/data", params={"kind": "assess", "file": file, **fields}).text)


def test_the_last_column_is_shown_since_it_often_is_the_target(client):
    page = shown(client, frame(price=np.linspace(0, 1, ROWS)))
    heads = re.findall(r'class="cn" title="([^"]*)"', page)
    assert heads == [*(f"gene {i}" for i in range(6)), "price"]
    assert "Click the heading of the column with the number to predict" in page
    assert '<option value="price">' in page


@pytest.mark.parametrize(
    ("data", "button"),
    [
        (frame(id=range(1000, 1000 + ROWS), sick=np.arange(ROWS) % 2), 'name="role" value="drop id">Leave out: id<'),
        (frame(id=range(1000, 1000 + ROWS), sick=np.arange(ROWS) % 2), 'name="role" value="keep id">Keep: id<'),
        (
            frame(gap=[np.nan, *range(1, ROWS)], sick=np.arange(ROWS) % 2),
            'name="role" value="impute median">Fill missing values by medians<',
        ),
    ],
)
def test_what_an_error_proposes_is_a_button(client, data, button):
    assert button in shown(client, data, target="sick")
    field, _, value = button.split('"')[3].partition(" ")
    assert "30 samples, 1" in shown(client, data, target="sick", **{field: value})


def test_a_button_adds_to_the_columns_that_are_left_out_already(client):
    data = frame(id=range(1000, 1000 + ROWS), sick=np.arange(ROWS) % 2)
    assert 'name="role" value="drop gene 1\nid">' in shown(client, data, target="sick", drop="gene 1")


def test_a_time_and_an_event_are_chosen_in_the_form(client):
    data = frame(days=np.arange(1.0, ROWS + 1), dead=np.arange(ROWS) % 2)
    assert 'name="time"' in shown(client, data)
    page = shown(client, data, time="days", event="dead")
    assert "days and dead to predict: time to event, 15 events in 30 rows" in page
    assert 'name="event" value="dead"' in page
    assert [name in page for name in ('value="cox_lr"', 'value="harrell"')] == [True, True]
    assert "“Time” is given without “Event”" in shown(client, data, time="days")


def test_a_column_with_a_telling_name_is_taken_for_the_target_and_said_so(client):
    data = frame(Target=np.arange(ROWS) % 2, grade=np.arange(ROWS) % 3)
    page = shown(client, data)
    assert "<b>Target</b> is taken as what to predict, because of its name." in page
    assert "2 values of Target to tell apart" in page
    assert 'name="role" value="target ">Predict something else<' in page
    page = shown(client, data, target="")  # which that button leads to
    assert "what should be predicted?" in page
    assert "because of its name" not in page


def test_a_time_with_a_status_is_taken_for_a_time_to_an_event_where_it_is_one(client):
    days, dead = np.arange(1.0, ROWS + 1), np.arange(ROWS) % 2
    page = shown(client, frame(time=days, status=dead))
    assert "<b>time and status</b> are taken as what to predict, because of their names." in page
    assert "15 events in 30 rows" in page
    two = frame(time=days, status=np.where(dead, "lost", "found"))
    assert 'name="role" value="event status=lost">' in shown(client, two)
    assert "15 events in 30 rows" in shown(client, two, time="time", event="status=lost")
    unread = shown(client, frame(time=days, status=np.array(["lost", "found", "sold"])[np.arange(ROWS) % 3]))
    assert "because of" not in unread
    assert "what should be predicted?" in unread


def test_two_columns_with_telling_names_are_both_offered(client):
    page = shown(client, frame(target=np.arange(ROWS) % 2, label=np.arange(ROWS) % 3))
    assert "because of its name" not in page
    assert "what should be predicted?" in page


def test_a_table_without_rows_says_so(client):
    assert "names of columns and no rows" in shown(client, pd.DataFrame(columns=["a", "b"]))


def test_the_process_that_read_a_table_answers_further_questions_and_ends_with_the_page(application, access):
    sandbox = application.app.state.site.sandbox
    with TestClient(application, base_url=BASE) as client:
        client.get(f"/enter?token={access.token}")
        client.change = change_headers(client, access)
        table = frame(sick=np.arange(ROWS) % 2).to_csv(index=False).encode()
        asked = {"kind": "assess", "file": uploaded(client, "table.csv", table), "target": "sick"}
        client.get("/data", params=asked)
        (first,) = sandbox._kept.values()
        form = {**asked, "selector": "anova", "resampling": "bootstrap", "runs": "4", "jobs": "1", "seed": "0"}
        assert "one run: anova" in client.post("/estimate", data=form, headers=client.change).text
        assert list(sandbox._kept.values()) == [first]
        client.get("/data", params={**asked, "file": uploaded(client, "other.csv", table)})
        (second,) = sandbox._kept.values()
        assert second is not first
    assert sandbox._kept == {}


def test_a_text_that_repeats_is_offered_as_a_covariate_where_covariates_can_stay(client):
    data = frame(sex=np.where(np.arange(ROWS) % 3, "F", "M"), sick=np.arange(ROWS) % 2)
    page = shown(client, data, target="sick")
    assert 'name="role" value="drop sex">Leave out: sex<' in page
    assert 'name="role" value="force sex">Covariate: sex<' in page
    heading = page[page.index('title="sex"') :]
    assert 'name="role" value="force sex" aria-pressed="false"' in heading  # a click on the heading offers it too
    assert "30 samples, 10 features" in shown(client, data, target="sick", force="sex")
    assert 'value="force sex">Covariate: sex<' not in shown(client, data, target="sick", kind="replicate")


def test_what_a_target_cannot_support_is_said_and_not_offered(client):
    few = frame(days=np.arange(1.0, ROWS + 1), dead=(np.arange(ROWS) < 2).astype(int))
    page = shown(client, few, time="days", event="dead")
    why = "The target has 2 events; a shortlist needs at least 4, two for each half."
    assert re.search(rf'value="shortlist" disabled data-read>.*{re.escape(why)}', page)
    assert 'disabled="disabled"' not in page
    asked = shown(client, few, time="days", event="dead", kind="shortlist")
    assert re.search(r"disabled>Find the shortlist</button>", asked)
    more = frame(days=np.arange(1.0, ROWS + 1), dead=np.arange(ROWS) % 2)
    assert why not in shown(client, more, time="days", event="dead")


def test_the_page_measures_by_the_measures_that_are_asked_for(client):
    lists = {"first_text": "one: a, b, c\ntwo: a, b, d\nthree: a, b, c", "features": "10"}
    answer = client.post("/measure", data=lists | {"measure": "davis:alpha=1\njaccard"}, headers=client.change)
    assert answer.status_code == 200
    assert "2 measures" in answer.text
    assert "<td>davis:alpha=1</td><td>0.4500</td>" in answer.text  # 9/12 less 3/10
    assert "<td>dice</td>" not in answer.text
    refused = client.post("/measure", data=lists | {"measure": "davis:beta=1"}, headers=client.change)
    assert "davis has no parameter" in refused.text
