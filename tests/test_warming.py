"""Kernels compiled ahead: every selector is among what is called."""

from steadyset import warming
from steadyset.selectors.catalogue import selector_names


def test_every_selector_is_fitted_by_one_part(monkeypatch):
    fitted = []
    monkeypatch.setattr(warming, "_fit", lambda names, copies=False: None if copies else fitted.extend(names))
    for part in (warming._paths, warming._models, warming._filters, warming._trees):
        part()
    assert sorted(fitted) == sorted(selector_names())


def test_data_for_warming_up_fit_every_kind_of_measure(monkeypatch):
    """One table of measures for each kind of selections, none of which is refused."""
    from steadyset import inference

    tables = []
    real = inference.stability_table
    monkeypatch.setattr(inference, "stability_table", lambda *a, **k: tables.append(real(*a, **k)))
    warming._measures()
    kinds = set().union(*(set(table.index) for table in tables))
    assert {"nogueira", "jaccard", "yu", "spearman", "intersection_count"} <= kinds
