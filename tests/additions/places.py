"""Where the added things show up, told by the copy of steadyset that has them: `python -m tests.additions.places`."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from tests.additions import added

import steadyset as st
from steadyset.cli import run

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs"))  # where the generators of the reference are


def command(*words: str) -> str:
    """What the command prints and tells."""
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as told:
        code = run([*words])
    assert code == 0, (words, told.getvalue())
    return out.getvalue() + told.getvalue()


@cache
def reference() -> dict[str, str]:
    """The pages of the reference by their names, as the site has them."""
    from reference_pages import PARTS

    return {name: text for part in PARTS for name, text in part()}


@cache
def data() -> tuple[Any, Any]:
    X = np.random.default_rng(0).normal(size=(40, 6))
    return X, np.where(X[:, 0] + X[:, 2] > 0, "ill", "well")


@cache
def form() -> str:
    """The form of an assessment in the page, for a small table."""
    from tests.serve.conftest import BASE, PORT, TestClient, change_headers, uploaded

    from steadyset.serve import create_application
    from steadyset.serve.access import Access

    with TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = f"{folder}/state"
        access = Access("127.0.0.1", PORT)
        (Path(folder) / "page").mkdir()
        application = create_application(Path(folder) / "page", access, cores=2, upload_bytes=1 << 20)
        with TestClient(application, base_url=BASE) as client:
            client.get(f"/enter?token={access.token}")
            client.change = change_headers(client, access)
            file = uploaded(client, "table.csv", table().encode())
            page = client.get("/data", params={"kind": "assess", "file": file, "target": "state"})
    assert page.status_code == 200, page.text
    return str(page.text)


def table() -> str:
    """A small table as csv: two classes, and a count."""
    X, y = data()
    rows = zip(X.round(3).tolist(), y, range(len(y)), strict=True)
    lines = [",".join(map(str, (*row, state, n % 7))) for row, state, n in rows]
    return "\n".join(["a,b,c,d,e,f,state,n", *lines])


def measure() -> Iterator[tuple[str, bool]]:
    runs = st.Selections.from_sets([["a"], ["a", "b"], ["b", "c"]], features=list("abcd"))
    name = added.MEASURE.name
    yield "stability", st.stability(runs, name) == np.mean([1 / 2, 0, 1 / 2])
    yield "table", name in st.stability_table(runs).index
    yield "catalogue", name in st.list_measures().index
    yield "certificate", st.certify(name).properties["bounded"].holds is True
    yield "command", name in command("measures", name)
    yield "reference", any(name in page for page in reference())


def selected(name: str) -> Iterator[tuple[str, bool]]:
    """A filter and a model: what both show up in."""
    X, y = data()
    result = st.assess(
        [f"{name}:k=2"], X, y, resampling=st.KFold(3), scoring=[], execution=st.Execution(engine="serial")
    )
    yield "assessment", result.failures.empty and result.selections[f"{name}:k=2"].sizes.tolist() == [2, 2, 2]
    yield "catalogue", name in st.list_selectors().index
    yield "command", name in command("selectors", name)
    yield "page", name in form()


def filter() -> Iterator[tuple[str, bool]]:
    yield from selected(added.FILTER.name)
    yield "reference", f"## {added.FILTER.name}\n" in reference()["filters/index.md"]


def model() -> Iterator[tuple[str, bool]]:
    yield from selected(added.MODEL.name)
    yield "reference", f"## {added.MODEL.name}\n" in reference()["selectors/index.md"]


def rule() -> Iterator[tuple[str, bool]]:
    name = added.RULE.name
    yield "error control", st.error_control(100, q=5, threshold=0.8, rule=name).pfer == 25 / (0.8 * 100)
    fitted = st.StabilitySelection(rule=name, q=2, threshold=0.6, n_runs=6, n_lambdas=10, random_state=0).fit(*data())
    yield "stability selection", fitted.pfer_ == 2**2 / (0.6 * 6)
    yield "reference", f"## {name}\n" in reference()["rules/index.md"]


def resampling() -> Iterator[tuple[str, bool]]:
    name = added.RESAMPLING.name
    yield "catalogue", name in st.list_resamplings().index
    yield "command", name in command("resamplings", name)
    yield "page", name in form()
    yield "reference", f"## {name}\n" in reference()["resamplings/index.md"]


def picture() -> Iterator[tuple[str, bool]]:
    name = added.PICTURE.name
    runs = st.Selections.from_sets([["a"], ["a", "b"], ["b", "c"]], features=list("abcd"))
    yield "plot", getattr(st.plot, name)(runs).data["size"].tolist() == [1, 2, 2]
    yield "catalogue", name in st.plot.list_pictures().index
    with TemporaryDirectory() as folder:
        st.report(runs, Path(folder) / "report.html")
        yield "report", "Sizes of the runs" in (Path(folder) / "report.html").read_text(encoding="utf-8")
    yield "reference", f"api/steadyset.plot.{name}.rst" in reference()


def score() -> Iterator[tuple[str, bool]]:
    X, y = data()
    name = added.SCORE.name
    result = st.assess(
        ["anova:k=2"], X, y, resampling=st.KFold(3), scoring=name, execution=st.Execution(engine="serial")
    )
    accuracy = st.assess(
        ["anova:k=2"], X, y, resampling=st.KFold(3), scoring="accuracy", execution=st.Execution(engine="serial")
    )
    yield "assessment", result.scores[name].tolist() == accuracy.scores["accuracy"].tolist()
    yield "sentence", name in refusal(st.assess, ["anova"], X, y, scoring="exact_shares")
    yield "command", name in assessed("--score", name)
    yield "help", name in command("assess", "--help")
    yield "page", name in form()
    yield "reference", f"## {name}\n" in reference()["scores/index.md"]


def task() -> Iterator[tuple[str, bool]]:
    X, _ = data()
    name = added.TASK.name
    counts = np.random.default_rng(1).poisson(np.exp(1 + X[:, 0]))
    result = st.assess(
        None, st.Data(X, counts, task=name), resampling=st.KFold(3), execution=st.Execution(engine="serial")
    )
    yield "assessment", result.failures.empty and result.settings["scoring"] == [added.SCORE.name]
    yield "findings", "Poisson regression" in str(st.findings_of(result).to_dict())
    yield (
        "refusal of selectors",
        "cannot run on a tally" in refusal(st.assess, ["lasso"], st.Data(X, counts, task=name)),
    )
    yield "sentence", name in refusal(st.assess, ["anova"], st.Data(X, counts, task="tallies"))
    yield "command", "a tally" in assessed("--task", name, target="n")
    yield "help", "survival or tally" in " ".join(command("assess", "--help").replace("│", " ").split())
    yield "page", ">a tally<" in form()
    yield "reference", f"## {name}\n" in reference()["tasks/index.md"]


def format() -> Iterator[tuple[str, bool]]:
    from pyarrow import csv, orc

    from steadyset.serve.run_store import harmless_names

    with TemporaryDirectory() as folder:
        file = Path(folder) / "table.orc"
        orc.write_table(csv.read_csv(io.BytesIO(table().encode())), file)
        yield "reader", st.load_data(file, "state").X.shape == (40, 7)
        yield "inspection", st.inspect(file).format == added.FORMAT.name
        words = ("assess", str(file), "-t", "state", "-s", "variance:k=2", "--runs", "3", "--out", f"{folder}/runs")
        yield "command", "variance" in command(*words)
        (Path(folder) / "table.docx").write_text("?", encoding="utf-8")
        yield "sentence", ".orc" in refusal(st.load_data, Path(folder) / "table.docx", "state")
    yield "uploads", next(harmless_names("table.orc")).endswith(".orc")
    yield "reference", f"## {added.FORMAT.name}\n" in reference()["formats/index.md"]


def option() -> Iterator[tuple[str, bool]]:
    from starlette.datastructures import QueryParams

    from steadyset.foundation.job import Job
    from steadyset.options import as_shell_line
    from steadyset.serve.forms import fields, options_given, python_lines

    name = added.OPTION.name
    job = Job("assess", {"file": "table.csv", "target": "y", name: 2})
    yield "help", f"--{name} " in command("assess", "--help")
    yield "command", "Run folder: " in assessed(f"--{name}", "2")
    yield "recorded command", as_shell_line(job._asdict()) == f"steadyset assess table.csv --target y --{name} 2"
    yield "lines of Python", f"    cut=st.Cut({name}=2),\n" in python_lines(job)
    yield "form", name in [one.name for one in fields("assess", "runs")]
    yield "page", "Most features" in form()
    yield "filled form", options_given("assess", QueryParams({name: "2"}), "runs") == {name: 2}
    yield "reference", f"--{name} K" in reference()["commands/assess.md"]


def refusal(function: Any, *arguments: Any, **options: Any) -> str:
    """The sentence by which a call is refused."""
    try:
        function(*arguments, **options)
    except st.InputError as error:
        return str(error)
    return ""


def assessed(*options: str, target: str = "state") -> str:
    """What the command prints of an assessment of a small table."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "table.csv"
        file.write_text(table(), encoding="utf-8")
        dropped = "n" if target == "state" else "state"
        words = ["assess", str(file), "-t", target, "--drop", dropped, "-s", "variance:k=2", "--runs", "3"]
        return command(*words, "--out", f"{folder}/runs", *options)


def section() -> Iterator[tuple[str, bool]]:
    title, brief, sentence = "How many runs there are", "Numbers of runs", "has 3 runs."
    found = st.findings_of({"mine": st.Selections.from_sets([["a"], ["a", "b"], ["b", "c"]], features=list("abcd"))})
    yield "terminal", brief in str(found) and sentence in str(found)
    yield "notebook", brief in found._repr_html_() and sentence in found._repr_html_()
    with TemporaryDirectory() as folder:
        for ending in ("html", "md", "json"):
            text = st.report(found, Path(folder) / f"report.{ending}").read_text(encoding="utf-8")
            yield ending, title in text and sentence in text
        yield "pdf", title in _text_of_pdf(st.report(found, Path(folder) / "report.pdf"))


def _text_of_pdf(file: Path) -> str:
    from pypdf import PdfReader

    return " ".join(" ".join(page.extract_text() for page in PdfReader(file).pages).split())


def paper() -> Iterator[tuple[str, bool]]:
    from papers.__main__ import main

    name = added.PAPER.name
    with contextlib.redirect_stdout(io.StringIO()) as listed:
        main([])
    yield "list", name in listed.getvalue()
    with TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        code = main([name, "--out", f"{folder}/out", "--summary", f"{folder}/page.md"])
        page = (Path(folder) / "page.md").read_text(encoding="utf-8")
    yield "command", code == 0 and "reproduced" in out.getvalue()
    yield "page of the documentation", "Roe (2026)" in page


if __name__ == "__main__":
    kinds = [one.kind for one in added.ADDED]
    print(json.dumps({kind: dict(globals()[kind]()) for kind in kinds}, default=bool))
