"""What the reference makes of the code: formulas in TeX, texts in Markdown."""

import make_filters
import make_formats
import pytest
from reference_pages import catalogues
from reference_pages.formulas import FormulaError, tex
from reference_pages.markdown import plain

import steadyset as st
from steadyset.selectors.ensembles.rules import RULES
from steadyset.selectors.filters import get_filter


@pytest.mark.parametrize(
    ("written", "drawn"),
    [
        ("r / (ki + kj - r)", r"\frac{r}{k_{i} + k_{j} - r}"),
        ("ki kj / d", r"\frac{k_{i} k_{j}}{d}"),
        ("M/(M-1) p_f", r"\frac{M}{M - 1} p_{f}"),
        ("1 - 2 r / sqrt(ki kj)", r"1 - \frac{2 r}{\sqrt{k_{i} k_{j}}}"),
        ("k̄²", r"{\bar{k}}^{2}"),
        ("|s_i u s_j|", r"\left|s_{i} \cup s_{j}\right|"),
        ("min(I(Y; X), 0)", r"\min\left(I\left(Y;\,X\right),\,0\right)"),
        ("I(Y; X | W)", r"I\left(Y;\,X \mid W\right)"),
    ],
)
def test_a_formula_is_read_as_it_is_meant(written, drawn):
    assert tex(written) == drawn


def test_a_sum_runs_over_the_whole_fraction():
    """The denominator depends on W as well; were the sum above the line only, the formula would be another one."""
    assert tex("sum_W I(Y; X, W) / H(Y, X, W)").startswith(r"\sum_{W} \frac{")


@pytest.mark.parametrize("text", ["r / ", "(r", "|r", "a ? b", "r)"])
def test_what_is_no_formula_is_refused(text):
    with pytest.raises(FormulaError):
        tex(text)


@pytest.mark.parametrize("name", st.list_measures().index)
def test_the_formula_of_every_measure_can_be_drawn(name):
    assert tex(st.get_measure(name).formula)


@pytest.mark.parametrize("name", st.list_selectors().index)
def test_every_selector_has_a_formula_that_can_be_drawn(name):
    entry = st.list_selectors().loc[name]
    written = (
        [get_filter(name).formula, *(one.formula for one in get_filter(name).variants.values())]
        if entry["kind"] == "filter"
        else [entry["formula"]]
    )
    assert written[0]
    assert all(tex(formula) for formula in written if formula)


@pytest.mark.parametrize(("made", "least"), [(make_filters, 20), (make_formats, 15)])
def test_the_tables_of_filters_and_of_formats_are_those_of_the_records(made, least):
    """`python docs/make_filters.py` and `make_formats.py` write them, and add the new ones."""
    shown = made.BLOCK.search(made.PAGE.read_text(encoding="utf-8"))[0].splitlines()[1:-1]
    assert len(shown) > least
    assert [line for line in shown if line not in made.rows().splitlines()] == []


def test_every_selector_resampling_and_rule_has_its_section():
    reference = "\n".join(page for _, page in catalogues.pages())
    names = [*st.list_selectors().index, *st.list_resamplings().index, *RULES]
    assert [name for name in names if f"\n## {name}\n" not in reference] == []


def test_marks_in_a_text_stay_what_they_are():
    assert plain("a_b * [c] `d_e`") == r"a\_b \* \[c\] `d_e`"
