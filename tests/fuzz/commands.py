"""Hostile words for every command: sound command lines with words spoilt, left out, repeated or put in."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import random
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from tests.fuzz.contract import Example
from tests.fuzz.hostile import TEXTS, short

import steadyset as st
from steadyset.cli import run

SOUND = (
    (
        "measure",
        "runs.csv",
        "-m",
        "jaccard",
        "-m",
        "yu",
        "--level",
        "0.9",
        "--similarity",
        "alike.csv",
        "--draws",
        "20",
    ),
    ("measure", "runs.csv", "--data", "table.csv", "--target", "class", "--threshold", "0.5", "--format", "json"),
    ("measure", "lists.csv", "--layout", "columns", "--header", "--top", "2", "--features", "20", "--format", "json"),
    ("measure", "lists.csv", "--runs", "Smith", "--sheet", "1", "--no-transpose", "--universe", "names.txt"),
    ("consensus", "runs.csv", "other.json", "--aggregate", "borda", "--backing", "0.4", "--draws", "20"),
    ("compare", "runs.csv", "other.json", "-m", "dice", "--level", "0.9", "--draws", "20", "--format", "csv"),
    ("measures", "jaccard", "--format", "json"),
    ("certify", "jaccard", "--format", "csv"),
    (
        *(
            "assess",
            "table.csv",
            "-t",
            "class",
            "-s",
            "anova:k=2",
            "--resampling",
            "kfold:n_splits=3",
            "--score",
            "auc",
        ),
        *("--jobs", "1", "--out", "folder", "--seed", "3", "--core", "0.8", "--level", "0.9", "--drop", "s"),
    ),
    ("report", "done", "--out", "page.html", "--core", "0.8", "--level", "0.9"),
    (
        *(
            "tune",
            "table.csv",
            "-t",
            "class",
            "--space",
            "space.json",
            "--trials",
            "1",
            "--jobs",
            "1",
            "--out",
            "tuned",
        ),
        *("--resampling", "kfold:n_splits=2", "--objectives", "accuracy,stability", "--choose", "best", "--seed", "1"),
    ),
)
OPTIONS = (
    "--runs",
    "--groups",
    "--keep",
    "--impute",
    "--delimiter",
    "--sheet",
    "--samples",
    "--transpose",
    "--layer",
    "--sheet",
    "--load",
    "--undefined",
    "--expectation",
    "--seed",
)
LIMITED = {"--jobs", "--trials", "--draws", "--runs"}  # what may be as large as somebody wishes
CODES = (0, 1, 2)


def examples(seed: int, count: int) -> Iterator[Example]:
    """Commands in turn, in a folder with sound files."""
    random_ = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        _files()
        for words, _ in zip(itertools.cycle(SOUND), range(count), strict=False):
            spoilt = _spoilt(list(words), random_)
            yield Example(f"steadyset {' '.join(map(short, spoilt))}", partial(_run, spoilt))
        os.chdir("/")


def _run(words: list[str]) -> None:
    out, told = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
        code = run(words)
    assert code in CODES, f"exit code {code}"
    if code == 2:
        assert told.getvalue().startswith("steadyset: "), f"no sentence: {told.getvalue()[:200]!r}"
        assert "Traceback" not in told.getvalue()


def _spoilt(words: list[str], random_: random.Random) -> list[str]:
    place = random_.randrange(1, len(words))
    limited = words[place - 1] in LIMITED
    kind = random_.randrange(4)
    if kind == 0 and not limited:
        words[place] = random_.choice(TEXTS)
    elif kind == 1:
        del words[place]
    elif kind == 2:
        words.insert(place, random_.choice((*TEXTS, *OPTIONS)))
    else:
        words += [random_.choice(OPTIONS), random_.choice(TEXTS)]
    return words


def _files() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 4)).round(3)
    frame = pd.DataFrame(rows, columns=["p", "q", "r", "s"])
    frame.assign(**{"class": ["ill", "well"] * 10}).to_csv("table.csv", index=False)
    sel = st.Selections.from_sets([["p"], ["p", "q"], ["q", "r"]], features=list("pqrs"))
    sel.write("runs.csv")
    sel.write("other.json")
    Path("lists.csv").write_text("Smith,Jones\np,q\nq,r\nr,\n", encoding="utf-8")
    Path("names.txt").write_text("p\nq\nr\ns\n", encoding="utf-8")
    pd.DataFrame(np.eye(4), columns=list("pqrs")).to_csv("alike.csv", index=False)
    Path("space.json").write_text(
        '{"filter": ["anova"], "fraction": [0.5], "model": {"ridge": {"penalty": [0.1]}}}', encoding="utf-8"
    )
    st.assess(["anova:k=1"], frame, [0, 1] * 10, resampling=st.KFold(3), out="done")
