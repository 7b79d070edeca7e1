"""Where people used to get stuck: each way out is tried in a real browser, on one server."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from tests.serve.test_queue import go, ordered, queue_of
from tests.serve.test_serve_in_browser import no_wider_than_the_window, opened, server, table  # noqa: F401 - fixtures
from tests.waiting import until

from steadyset.io.disk import LIST, TARGETS
from steadyset.serve.job_queue import is_held
from steadyset.serve.run_store import STARTED, Order, RunStore, write_order

ROWS = 60


@pytest.fixture(scope="module")
def wide(server):  # noqa: F811
    """An array with an age, a centre and two targets among its 400 genes; rows 1 to 3 have no second target."""
    folder, _ = server
    random, y = np.random.default_rng(0), np.arange(ROWS) % 2
    genes = random.normal(7, 1, size=(ROWS, 400)).round(3)
    genes[y == 1, :5] += 1.5
    frame = pd.DataFrame(genes, columns=[f"g{i}" for i in range(400)])
    frame.insert(0, "sample", [f"S{i:02}" for i in range(ROWS)])
    known = np.where(np.arange(ROWS) < 3, "", np.where(y, "ill", "well"))
    frame = frame.assign(age=random.integers(20, 80, ROWS), centre=random.integers(1, 5, ROWS), sick=y, state=known)
    frame.to_csv(folder / "wide.csv", index=False)
    return "wide.csv"


@pytest.fixture(scope="module")
def first_files(server):  # noqa: F811
    """What people bring first: times with a vital status, an array with its samples apart, a workbook with notes."""
    folder, _ = server
    random, y = np.random.default_rng(0), np.arange(ROWS) % 2
    samples, genes = [f"S{i:02}" for i in range(ROWS)], [f"GENE{i}" for i in range(20)]
    values = pd.DataFrame(random.normal(size=(ROWS, 20)).round(3), samples, ["TP53", "MYC", "C1orf112", *genes[3:]])
    times, states = random.exponential(30, ROWS).round(1) + 0.5, np.where(y, "deceased", "alive")
    patients = values.assign(**{"Sex ": y, "OS_months": times, "vital_status": states})
    patients.to_csv(folder / "patients.csv", index=False)
    values.T.to_csv(folder / "array.csv")
    known = pd.DataFrame({"id": samples, "tumor": np.where(y, "yes", "no")})
    known.to_csv(folder / "about.csv", index=False)
    with pd.ExcelWriter(folder / "study.xlsx") as book:
        pd.DataFrame({"Notes": ["made by Ann", "in 2019"]}).to_excel(book, sheet_name="Read me", index=False)
        values.assign(tumor=y).to_excel(book, sheet_name="Values", index=False)
        known.to_excel(book, sheet_name="About", index=False)


def test_a_time_beside_a_status_is_asked_about_and_predicted_by_a_click(opened, first_files):  # noqa: F811
    page = opened("/data?file=patients.csv&target=vital_status")
    page.get_by_text("'OS_months' seems to hold a time to an event").wait_for()
    page.get_by_role("button", name="Time to event: OS_months until vital_status = deceased").click()
    page.get_by_role("heading", name="time to event, 30 events in 60 rows").wait_for()
    page.get_by_text("'vital_status': deceased = event, alive = censored.").wait_for()
    assert page.locator("th", has_text="OS_months").locator("summary").inner_text().startswith("Time")
    assert page.locator("th", has_text="vital_status").locator("summary").inner_text().startswith("Event")
    states = page.locator("table.preview tbody tr td:nth-child(2)").all_inner_texts()
    assert states == ["censored", "event"] * 3
    page.goto(page.url.replace("time=", "drop=Sex&time="))
    page.get_by_role("heading", name="60 samples, 20 features").wait_for()
    page.get_by_role("listitem").filter(has_text="Leave out: Sex").wait_for()


def test_a_time_with_its_status_is_guessed_with_the_coding_of_its_event(opened, first_files):  # noqa: F811
    page = opened("/data?file=patients.csv")
    page.get_by_text("OS_months and vital_status=deceased are taken as what to predict").wait_for()
    page.get_by_role("button", name="Predict something else").click()
    page.get_by_role("button", name="Time to event: OS_months until vital_status = deceased").wait_for()


def test_genes_in_rows_ask_for_the_file_of_samples_which_is_read_at_once(opened, first_files):  # noqa: F811
    page = opened("/data?file=array.csv")
    page.get_by_text("array.csv seems to have genes in rows").wait_for()
    page.select_option("#samples", "about.csv")
    page.get_by_role("button", name="tumor (2 values)").click()
    page.get_by_role("heading", name="60 samples, 20 features, 2 values of tumor to tell apart").wait_for()


def test_a_workbook_offers_its_tables_best_first_and_not_its_notes(opened, first_files):  # noqa: F811
    page = opened("/data?file=study.xlsx")
    page.get_by_role("button", name="Sheet: Values").wait_for()
    assert page.get_by_role("button", name="Sheet: ").all_inner_texts() == ["Sheet: Values", "Sheet: About"]
    page.get_by_role("button", name="Sheet: Values").click()
    page.get_by_role("button", name="tumor (2 values)").click()
    page.get_by_role("heading", name="60 samples, 20 features").wait_for()


def test_classes_that_are_numbers_are_offered_and_columns_get_their_part_by_a_click(opened, wide):  # noqa: F811
    page = opened(f"/data?file={wide}&drop=state")
    page.get_by_role("button", name="sick (2 values)").click()
    page.get_by_text("the column 'centre' seems to say where or in which batch rows were measured").wait_for()
    page.get_by_role("button", name="Keep: centre").click()
    page.get_by_role(
        "heading", name="60 samples, 402 features, 2 values of sick to tell apart: 0 (30) and 1 (30)."
    ).wait_for()
    page.get_by_text("age, centre are unlike the other columns").wait_for()
    page.locator("summary", has_text="Feature").first.click()
    page.get_by_role("button", name="Leave out not used at all").first.click()
    page.get_by_role("heading", name="60 samples, 401 features").wait_for()
    page.get_by_role("listitem").filter(has_text="Leave out: age").get_by_role("button").click()
    page.get_by_role("heading", name="60 samples, 402 features").wait_for()
    page.locator("th", has_text="centre").locator("summary").click()
    page.locator("th", has_text="centre").get_by_role("button", name="Group").click()
    page.get_by_role("heading", name="60 samples, 401 features").wait_for()
    assert "groups=centre" in page.url
    page.get_by_text("Lists of methods that I choose, compared").click()
    page.locator("th", has_text="age").locator("summary").click()
    page.locator("th", has_text="age").get_by_role("button", name="Covariate stays in every model").click()
    page.get_by_role("heading", name="60 samples, 400 features").wait_for()
    page.get_by_role("listitem").filter(has_text="Covariate: age").wait_for()
    page.get_by_text("The same in a terminal").click()
    page.get_by_text("--force age").wait_for()


def test_rows_without_a_target_are_left_out_by_a_button(opened, wide):  # noqa: F811
    page = opened(f"/data?file={wide}&keep=centre&target=state")
    page.get_by_text("is missing in 3 rows").wait_for()
    page.get_by_role("button", name="Leave out rows without a target").click()
    page.get_by_role("heading", name="57 samples").wait_for()


def test_what_cannot_run_is_refused_before_it_waits_and_back_finds_every_field(opened, wide, server):  # noqa: F811
    folder, _ = server
    page = opened(f"/data?file={wide}&keep=centre&drop=state&drop=sick&target=sample")
    page.get_by_text("needs a decision").wait_for()
    page.goto(page.url.partition("/data")[0] + f"/data?file={wide}&keep=centre&drop=state&target=sick&kind=assess")
    page.get_by_text("All 3").click()
    page.get_by_label("With parameters").fill("lassso")
    page.get_by_role("button", name="20", exact=True).click()
    page.get_by_text("More settings").click()
    page.get_by_label("Name").fill("never")
    page.get_by_role("button", name="Compare the methods").click()
    page.get_by_text("did you mean 'lasso'?").first.wait_for()
    assert not (folder / "never").exists()
    page.get_by_role("link", name="Results").first.click()
    page.go_back()
    assert page.get_by_label("With parameters").input_value() == "lassso"
    assert page.get_by_label("Number of features").input_value() == "20"
    assert page.get_by_label("Name").input_value() == "never"


def test_the_form_says_what_each_method_is_good_for_and_how_thorough_a_run_is(opened, server):  # noqa: F811
    folder, _ = server
    table(folder / "asked.csv")
    page = opened("/data?kind=assess&file=asked.csv&target=tumour")
    offered = page.locator("[aria-labelledby=meth] .choices2").first.locator("label")
    said = [one.inner_text().split("\n") for one in offered.all()]
    assert len(said) >= 4
    assert all(len(lines) == 2 and lines[1].endswith(".") for lines in said), said  # its name, and one line
    assert "A small set lasso" in [lines[0] for lines in said]
    page.get_by_role("button", name="20", exact=True).click()
    assert page.get_by_label("Number of features").input_value() == "20"
    assert page.get_by_label("For a paper").is_checked()
    page.get_by_label("Quick look").check()
    assert page.locator("#runs").input_value() == "20"
    page.get_by_label("For a paper").check()
    assert page.locator("#runs").input_value() == "100"


def test_lists_show_the_names_in_most_of_them_first_and_ask_from_how_many(opened):  # noqa: F811
    page = opened("/measure?example=signatures")
    answer = page.frame_locator("#result iframe.report")
    answer.get_by_role("heading", name="BIRC5 is in 4 of 5 lists, 3 more are in 3; no name is in all.").wait_for()
    told = answer.locator("body").inner_text()
    assert told.index("In 4 of 5") < told.index("stability") < told.index("Who is in which list")
    assert page.get_by_text("All 22 measures").is_visible()
    page.get_by_role("button", name="one panel: 1,000").click()
    assert page.get_by_label("Number of features").input_value() == "1000"
    page.get_by_role("button", name="Compare the lists").click()
    answer.get_by_text("In 4 of 5", exact=True).wait_for()


def test_home_asks_what_one_has_and_leads_to_help(opened, compared):  # noqa: F811
    page = opened()
    for question in ("I have data", "I have lists", "Find the best method", "Earlier results"):
        page.get_by_role("heading", name=question).wait_for()
    page.get_by_role("link", name="Help").first.click()
    page.get_by_role("heading", level=1).wait_for()
    assert page.url.endswith("/help")


def test_a_run_that_failed_leads_back_to_its_filled_form(opened, server):  # noqa: F811
    folder, _ = server
    table(folder / "failing.csv")
    options = {"file": "failing.csv", "target": "tumour", "false": 2.0, "jobs": 1, "out": "failed"}
    write_order(folder / "failed", Order("shortlist", options, state=STARTED))
    said = "steadyset: The target is missing in 3 rows; leave out with --known-only.\n"
    (folder / "failed" / "said.txt").write_text(said, encoding="utf-8")
    page = opened("/runs/failed")
    assert "leave out with “Leave out rows without a target”." in page.locator(".note.bad").inner_text()
    assert page.get_by_text("It could not run").count() == 1
    page.get_by_role("link", name="Change settings").click()
    assert page.get_by_label("False features").input_value() == "2.0"


def test_a_list_with_a_heading_is_read_either_way_by_a_button(opened):  # noqa: F811
    page = opened("/measure")
    page.get_by_label("Your lists").fill("ABC1,XYZ2\nTP53,EGFR\nEGFR,TP53\nMYC,MYC\n")
    page.get_by_role("button", name="Compare the lists").click()
    both = page.locator("#complaint button")
    both.first.wait_for()
    assert both.count() == 2
    both.last.click()
    page.frame_locator("#result iframe.report").get_by_text("In all 2", exact=True).wait_for()


@pytest.mark.posix
def test_a_run_says_how_long_it_takes_whom_it_waits_for_and_when_the_connection_is_lost(opened, server):  # noqa: F811
    folder, _ = server
    store = RunStore(folder)
    queue = queue_of(store, cores=1)
    ordered(queue, "long")
    ordered(queue, "next")
    order = store.run("long").order
    (folder / "long" / LIST).write_text("{}", encoding="utf-8")
    (folder / "long" / TARGETS).mkdir()
    write_order(
        folder / "long", order.but(command="shortlist", options={"permutations": 20, "outer": 0, "out": "long"})
    )
    for number in range(7):
        (folder / "long" / TARGETS / f"{number:04}").touch()
    page = opened("/runs/next", refused=True)
    page.get_by_text("Waiting for long").wait_for()
    page.get_by_text("it uses 1 core of 2, which are taken").wait_for()
    page.route("**/runs/long/progress", lambda asked: asked.abort())
    page.goto(page.url.replace("next", "long"))
    page.get_by_text("Connection lost").wait_for()
    page.unroute("**/runs/long/progress")
    page.locator("#lost").wait_for(state="hidden")
    page.get_by_text("7 of 21").wait_for()
    assert page.locator(".left").inner_text().startswith("About ")
    page.get_by_text("You may close this tab.").wait_for()
    for name in ("long", "next"):
        go(store, name)
        until(lambda name=name: not is_held(folder / name))


@pytest.fixture(scope="module")
def compared(server):  # noqa: F811
    """The run folder of two methods that the command has compared."""
    from steadyset.cli import run

    folder, _ = server
    table(folder / "two.csv")
    words = "assess two.csv --target=tumour --selector=anova:k=2 --selector=lasso:k=1 --runs=6 --jobs=1 --out=two"
    with contextlib.chdir(folder):
        assert run([*words.split(), "--format=json"]) == 0
    return folder / "two"


def test_a_report_never_scrolls_inside_the_page_and_its_links_go_where_they_say(opened, compared):  # noqa: F811
    page = opened("/runs/two")
    report = page.frame_locator("iframe.report")
    report.get_by_role("heading", level=1).wait_for()
    whole = "(html) => html.scrollHeight <= html.clientHeight && getComputedStyle(html).overflowY === 'hidden'"
    for width in (390, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        for is_open in ("true", "false"):
            report.locator("body").evaluate(f"(b) => b.querySelectorAll('details').forEach(d => d.open = {is_open})")
            until(lambda: report.locator("html").evaluate(whole))
            assert no_wider_than_the_window(page)
    report.locator("#search").fill("gene")
    until(lambda: report.locator("html").evaluate(whole))
    to = "#picture-convergence"
    link = f"(one) => one.insertAdjacentHTML('beforeend', '<a href=\"{to}\">enough?</a>')"
    report.locator(".answer").evaluate(link)
    report.get_by_role("link", name="enough?").click()
    until(lambda: page.evaluate("scrollY") > 900 and 0 <= report.locator(to).bounding_box()["y"] < 900)
    assert report.locator(to).evaluate("(part) => part.open")


def test_the_answer_has_the_next_steps_as_buttons_that_lead_to_the_filled_form(opened, compared):  # noqa: F811
    page = opened("/runs/two")
    report = page.frame_locator("iframe.report")
    report.get_by_role("button", name="List the features of which about 1 may be false").click()
    page.get_by_role("button", name="Find the shortlist").wait_for()
    assert "kind=shortlist&file=two.csv&target=tumour" in page.url
    page.go_back()
    report.get_by_role("button", name="Twice as many features of each method").click()
    page.get_by_role("button", name="Compare the methods").wait_for()
    assert page.get_by_label("With parameters").input_value() == "anova:k=4\nlasso:k=2"
    page.go_back()
    report.get_by_role("button", name="6 more repeats").click()
    page.get_by_text("More settings").wait_for()
    assert page.locator("#runs").input_value() == "12"
    page.go_back()
    page.get_by_role("link", name="Would the next study find the same?").click()
    page.get_by_role("button", name="See what the next study would find").wait_for()
    assert page.get_by_role("radio", name="One at a time anova").is_checked()
    assert page.get_by_label("Number of features").input_value() == "2"
    page.go_back()
    with page.expect_popup() as alone:
        page.get_by_role("link", name="Report in a tab").click()
    alone.value.get_by_text("Next: 6 more repeats").wait_for()  # without the page: words and the command
    assert alone.value.get_by_role("button", name="6 more repeats").count() == 0


def test_the_report_is_the_page_at_every_width_and_when_its_folded_parts_open(opened, compared):  # noqa: F811
    page = opened("/runs/two")
    page.frame_locator("iframe.report").get_by_role("heading", level=1).wait_for()
    report = page.frames[1]
    whole = "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"
    for width in (390, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        until(lambda: report.evaluate(whole))
        assert no_wider_than_the_window(page)
    assert report.evaluate("document.body.offsetHeight") < 4000
    report.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    until(lambda: report.evaluate(f"document.body.offsetHeight > 4000 && {whole}"))
    assert not page.get_by_text("steadyset assess two.csv").is_visible()


def test_the_report_and_the_paragraphs_are_taken_along_as_pdf_and_word(opened, compared):  # noqa: F811
    page = opened("/runs/two")
    for name, begins in (("PDF", b"%PDF"), ("Word", b"PK"), ("Paragraphs as Word", b"PK"), ("as PDF", b"%PDF")):
        with page.expect_download() as taken:
            page.get_by_role("link", name=name, exact=True).click()
        assert taken.value.path().read_bytes().startswith(begins)


def test_the_list_is_copied_and_taken_along_as_csv_and_excel(opened, compared):  # noqa: F811
    page = opened("/runs/two")
    report = page.frame_locator("iframe.report")
    report.get_by_role("button", name="Copy the").click()
    report.get_by_text("Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()").split("\n")
    assert set(copied) <= {f"gene {i}" for i in range(6)}
    for name, begins in (("CSV", b"feature,"), ("Excel", b"PK")):
        with page.expect_download() as taken:
            report.get_by_role("link", name=name, exact=True).click()
        assert taken.value.path().read_bytes().startswith(begins)


def test_a_reload_while_the_report_is_written_recovers(opened, compared):  # noqa: F811
    (compared / "report.html").unlink(missing_ok=True)
    page = opened("/runs/two")
    page.get_by_text("Writing the report").wait_for()
    page.reload()
    page.get_by_text("Writing the report").wait_for()
    page.frame_locator("iframe.report").get_by_role("heading", level=1).wait_for()
    assert (compared / "report.html").exists()


def test_a_search_is_limited_to_methods_and_a_size_and_asks_for_it_again(opened, server):  # noqa: F811
    pytest.importorskip("optuna")
    folder, _ = server
    table(folder / "searched.csv")
    page = opened(
        "/data?kind=tune&file=searched.csv&target=tumour&trials=1&resampling=kfold&resampling_parameters=n_splits=3"
    )
    page.get_by_role("checkbox", name="A small set lasso").check()
    page.get_by_role("checkbox", name="Information mim").check()
    page.get_by_label("Size limit").fill("2")
    page.get_by_role("button", name="Find the best method").click()
    page.get_by_role("heading", name="searched", level=1).wait_for()
    order = json.loads((folder / "searched" / "job.json").read_text(encoding="utf-8"))
    assert order["options"]["space"] == "bommert:model=lasso,filter=mim,most=2"
    page.get_by_role("link", name="Run again with changes").click()
    assert page.get_by_role("checkbox", name="A small set lasso").is_checked()
    assert not page.get_by_role("checkbox", name="Neighbours knn").is_checked()
    assert page.get_by_label("Size limit").input_value() == "2"


def test_a_stopped_tuning_keeps_its_picture(opened, server):  # noqa: F811
    pytest.importorskip("optuna")
    from tests.serve.test_resuming import tuned_in_part

    folder, _ = server
    tuned_in_part(folder, "tuned", configurations=2)
    before = time.time() - 60
    os.utime(folder / "tuned" / "trials.db", (before, before))
    page = opened("/runs/tuned")
    page.locator("svg.front").wait_for()
    page.get_by_text("no other is better than in everything").wait_for()
    page.set_viewport_size({"width": 390, "height": 900})
    assert page.evaluate("(one => one.scrollWidth <= one.parentElement.clientWidth)(document.querySelector('table'))")


FOCUSED = """() => { const one = document.activeElement; if (one === document.body) return null;
const labels = one.labels ? [...one.labels].map(label => label.innerText).join(" ") : "";
const name = one.getAttribute("aria-label") || labels || one.innerText;
return [one.outerHTML.slice(0, 120), name, getComputedStyle(one).outlineStyle]; }"""


@pytest.mark.parametrize("path", ["/", "/replicate", "/measure", "/data?kind=replicate&file=tabbed.csv&target=tumour"])
def test_every_stop_of_the_tab_key_has_a_name_and_is_seen(opened, server, path):  # noqa: F811
    folder, _ = server
    table(folder / "tabbed.csv")
    page = opened(path)
    stops = []
    for _ in range(80):
        page.keyboard.press("Tab")
        stop = page.evaluate(FOCUSED)
        if stop is None or stop in stops[:1]:
            break
        stops.append(stop)
    assert len(stops) > 10
    assert [stop for stop in stops if not stop[1].strip() or stop[2] == "none"] == []


@pytest.mark.parametrize(
    ("question", "heading"),
    [("80 samples, 2,000 made-up genes", "80 samples, 2,000 features"), ("5 signatures", "What do your lists share?")],
)
def test_home_has_an_example_of_one_click(opened, question, heading):  # noqa: F811
    page = opened()
    page.get_by_text(f"Example: {question}").click()
    page.get_by_role("heading", name=heading).wait_for()
    place = page.frame_locator("#result iframe.report") if "lists" in heading else page
    place.get_by_text("In 4 of 5" if "lists" in heading else "Find the shortlist").first.wait_for()


@pytest.mark.posix
@pytest.mark.slow  # buys: the command itself, started and closed as people do
def test_ctrl_c_closes_the_page_without_a_word(tmp_path):
    command = [sys.executable, "-m", "steadyset", "serve", str(tmp_path), "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as page:
        assert "The page is at" in page.stdout.readline()
        page.send_signal(signal.SIGINT)
        _, told = page.communicate(timeout=120)
    assert (page.returncode, told) == (0, "")


@pytest.fixture(scope="module")
def studies(server):  # noqa: F811
    """Two studies in which the same four genes differ, and a copy of the first."""
    from tests.serve.test_replication_journey import study

    folder, _ = server
    for name, seed in (("first", 1), ("second", 2), ("copy", 1)):
        (folder / f"{name}.csv").write_bytes(study(seed))
    return folder


@pytest.mark.slow  # buys: from the data to what the next study would find, by clicks alone, and back to the form
def test_from_data_to_what_the_next_study_would_find(opened, studies):  # noqa: F811
    page = opened("/data?file=first.csv&target=state")
    page.get_by_label("Would the next study find the same?").check()
    page.get_by_role("radio", name="One at a time anova").check()
    page.get_by_label("Number of features").fill("4")
    page.get_by_text("More settings").click()
    page.locator("#pairs").fill("10")
    page.get_by_label("Name").fill("following")
    page.get_by_text("About").first.wait_for()
    page.get_by_role("button", name="See what the next study would find").click()
    page.wait_for_url("**/runs/following")
    report = page.frame_locator("iframe.report")
    report.get_by_role("heading", name="Would the next study select the same features?").wait_for()
    report.get_by_text("anova:k=4 selects about").first.wait_for()
    page.get_by_text("The same without the page").press("Enter")
    assert page.inner_text("#command").startswith("steadyset replicate first.csv")
    assert "st.replication(" in page.inner_text("#python")
    page.get_by_role("link", name="Run again with changes").click()
    assert page.get_by_role("radio", name="One at a time anova").is_checked()
    assert page.get_by_label("Number of features").input_value() == "4"
    page.get_by_text("More settings").click()
    assert page.locator("#pairs").input_value() == "10"
    page = opened("/runs/following")
    page.frame_locator("iframe.report").get_by_role("button", name="See how steady anova:k=4 is").click()
    page.wait_for_url("**/data?kind=assess**")


@pytest.mark.slow  # buys: several files as one job, and the way back from what is refused
def test_from_several_files_to_what_they_have_in_common(opened, studies):  # noqa: F811
    page = opened("/replicate")
    for name in ("first.csv", "copy.csv"):
        page.get_by_role("checkbox", name=name).check()
    page.get_by_role("button", name="Use what is chosen").click()
    page.get_by_role("button", name="state (2 values)").click()
    page.get_by_label("Number of features").fill("4")
    start = page.get_by_role("button", name="See what the next study would find")
    start.click()
    refusal = "studies that share rows agree for that reason"
    page.locator("#complaint").get_by_text(refusal).wait_for()
    page.locator("#estimate").get_by_text(refusal).wait_for(state="attached")
    assert page.get_by_text(refusal).filter(visible=True).count() == 1  # each fact once
    page.get_by_role("checkbox", name="first.csv").click()  # it is no longer a study
    page.get_by_text("Do you have other studies?").wait_for()
    assert page.get_by_label("Number of features").input_value() == "4"
    page.get_by_label("Add a study").select_option("second.csv")
    page.get_by_role("heading", name="Studies that are compared").wait_for()
    page.set_input_files("#study_upload", studies / "first.csv")
    page.get_by_role("checkbox", name="first-2").click()  # uploaded, and left out again
    page.get_by_role("checkbox", name="first-2").wait_for(state="detached")
    page.get_by_role("radio", name="One at a time anova").check()
    page.get_by_text("More settings").click()
    page.locator("#pairs").fill("10")
    page.get_by_label("Name").fill("both")
    start.click()
    page.wait_for_url("**/runs/both")
    report = page.frame_locator("iframe.report")
    report.get_by_role("heading", name="Which features do the studies select alike?").wait_for()
    report.get_by_text("come back").first.wait_for()
    order = json.loads((studies / "both" / "job.json").read_text(encoding="utf-8"))
    assert order["options"]["files"] == ["copy.csv", "second.csv"]
    page.get_by_role("link", name="Run again with changes").click()
    assert page.get_by_role("checkbox", name="second.csv").is_checked()
