"""Kernels compiled ahead: every selector is among what is called."""

import re
from pathlib import Path

from steadyset import warming
from steadyset.selectors.catalogue import selector_names


def test_every_selector_is_fitted_by_one_part(monkeypatch):
    fitted = []
    monkeypatch.setattr(warming, "_fit", fitted.extend)
    monkeypatch.setattr(warming, "_shortlist", lambda: None)
    monkeypatch.setattr(warming, "_measures", lambda: None)
    monkeypatch.setattr(warming.compileall, "compile_dir", lambda *_, **__: None)
    warming.warm_up(1)
    assert sorted(fitted) == sorted(selector_names())


def test_data_for_warming_up_fit_every_kind_of_measure(monkeypatch):
    """One table of measures for each kind of selections, none of which is refused."""
    from steadyset.inference import table

    tables = []
    real = table.stability_table
    monkeypatch.setattr(table, "stability_table", lambda *a, **k: tables.append(real(*a, **k)))
    warming._measures()
    kinds = set().union(*(set(found.index) for found in tables))
    assert {"nogueira", "jaccard", "yu", "spearman", "intersection_count"} <= kinds


def test_only_what_some_selectors_need_is_compiled_where_they_are_named(monkeypatch):
    called = []
    monkeypatch.setattr(warming, "_fit", lambda names, tasks: called.append((*names, *tasks)))
    monkeypatch.setattr(warming, "_shortlist", lambda: called.append("shortlist"))
    warming.warm_up(1, ["lasso", "jmi"], ["classes"])
    assert called == [("lasso", "classes"), ("jmi", "classes"), "shortlist"]


def test_the_demonstration_installs_a_part_of_what_the_tests_run_with():
    """The same versions and files: whatever works in the tests works there."""
    whole, part = (
        dict(re.findall(r"^([a-z].*?) \\\n((?:    --hash=.*\n?)+)", path.read_text(encoding="utf-8"), re.M))
        for path in (Path(__file__).parents[1] / name for name in ("requirements.lock", "requirements-demo.lock"))
    )
    assert len(part) < len(whole) / 3
    assert {name: files.strip() for name, files in part.items()}.items() <= {
        name: files.strip() for name, files in whole.items()
    }.items()
