"""Tables that R packages write: golden files in their layouts, what is read from them, and what is refused."""

from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

import steadyset as st
from steadyset.cli import app
from steadyset.foundation.errors import InputError

FILES = Path(__file__).parent / "r_files"
AGE_HDL_DOSE = [{"age", "hdl", "dose"}, {"age", "hdl", "gene a"}, {"age", "hdl"}]


def read(name, **options):
    return st.Selections.read(FILES / name, **options)


def test_the_variables_of_caret_rfe_are_compared_at_one_size():
    found = read("rfe_variables.csv")
    assert found.sets() == [{"age", "hdl"}, {"hdl", "gene a"}]
    assert found.labels == ("Fold1", "Fold2")
    assert set(found.features) == {"age", "hdl", "gene a", "dose"}
    weights = found.to_frame().set_index("run")
    assert weights.loc["Fold2", ["hdl", "gene a", "age"]].tolist() == [4.4, 3.0, 0.0]
    assert found.notes == ("caret rfe: 2 runs from the column Resample, 2 variables in each; universe: 4 features",)
    assert set(read("rfe_variables.csv", top=4).sizes) == {4}


def test_several_sizes_of_rfe_are_asked_about(tmp_path):
    lines = (FILES / "rfe_variables.csv").read_text(encoding="utf-8")
    (tmp_path / "rfe.csv").write_text(
        lines + '"13",4.4,4.4,4.4,"hdl",1,"Fold1"\n"14",4.4,4.4,4.4,"hdl",1,"Fold2"\n', encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"recorded subsets of the sizes 1, 2, 4; say which to compare, such as top=2"):
        st.Selections.read(tmp_path / "rfe.csv")
    assert st.Selections.read(tmp_path / "rfe.csv", top=1).sets() == [{"hdl"}, {"hdl"}]


def test_a_universe_that_is_given_is_larger_than_that_of_the_table():
    assert read("rfe_variables.csv", n_features=10).n_features == 10
    everything = ["zinc", "age", "hdl", "gene a", "dose"]
    assert read("rfe_variables.csv", features=everything).features == tuple(everything)
    with pytest.raises(InputError, match="select 'age', 'gene a', 'hdl', which the universe of 1 features"):
        read("rfe_variables.csv", features=["zinc"])


@pytest.mark.parametrize("name", ["glmnet_columns.csv", "glmnet_rows.csv", "glmnet_table.txt"])
def test_coefficients_of_glmnet_are_weights_without_the_intercept(name):
    found = read(name)
    assert [set(chosen) for chosen in found.sets()] == AGE_HDL_DOSE
    assert found.features == ("age", "dose", "gene a", "hdl")
    assert found.labels == ("boot1", "boot2", "boot3")
    assert found.weights.tolist() == [3.1, -0.2, 2.6, 8.5, -1.8, 11.1, 2.7, 2.1]
    assert "the intercept is left out" in found.notes[0]
    assert read(name, top=1).sets() == [{"age"}, {"hdl"}, {"age"}]


def test_a_path_of_penalties_is_not_taken_for_runs():
    with pytest.raises(InputError, match=r"columns s0 to s2 are a path of penalties of one glmnet fit, not runs"):
        read("glmnet_path.csv")
    assert read("glmnet_path.csv", layout="glmnet").sizes.tolist() == [0, 1, 2]


def test_coefficients_without_an_intercept_are_read_when_asked_for(tmp_path):
    (tmp_path / "cox.csv").write_text('"","a1","a2"\n"age",0.5,0\n"dose",0,-0.1\n', encoding="utf-8")
    found = st.Selections.read(tmp_path / "cox.csv", layout="glmnet")
    assert (found.sets(), found.labels) == ([{"age"}, {"dose"}], ("a1", "a2"))
    (tmp_path / "ridge.csv").write_text(
        '"","a1","a2"\n"(Intercept)",1,1\n"age",0.5,0.1\n"dose",0.2,-0.1\n', encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"none of the coefficients is 0, so no feature is left out; give top=10"):
        st.Selections.read(tmp_path / "ridge.csv")


def test_ensembles_of_mlr3fselect_have_a_run_per_learner_and_resample():
    found = read("ensemble.csv")
    assert [set(chosen) for chosen in found.sets()] == [{"age", "hdl"}, {"age"}, {"age", "dose", "hdl"}, set()]
    assert found.labels == ("classif.rpart 1", "classif.rpart 2", "classif.ranger 1", "classif.ranger 2")
    assert "4 runs from 4 rows of 2 learners" in found.notes[0]
    assert "universe: those names" in found.notes[0]
    assert read("ensemble.csv", n_features=60).n_features == 60


@pytest.mark.parametrize("name", ["inner_results.csv", "inner_results_base.csv"])
def test_inner_results_of_mlr3fselect_know_their_universe(name):
    found = read(name)
    assert found.sets() == [{"age", "hdl"}, {"age", "dose"}, {"hdl"}]
    assert found.features == ("age", "dose", "gene_a", "hdl")
    assert found.labels == ("1", "2", "3")


def test_an_archive_of_mlr3fselect_holds_no_runs():
    with pytest.raises(InputError, match=r"sets that a search tried, not runs; .*extract_inner_fselect_results"):
        read("archive.csv")


def test_lists_that_were_cut_off_are_noticed(tmp_path):
    (tmp_path / "ensemble.csv").write_text(
        (FILES / "ensemble.csv").read_text(encoding="utf-8").replace("age|hdl,2", "age,2"), encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"Row 2 names 1 feature \('age'\), but n_features is 2; .*fwrite"):
        st.Selections.read(tmp_path / "ensemble.csv")


def test_boruta_selects_what_it_confirms():
    assert read("boruta_attstats.csv").sets() == [{"age", "hdl"}]
    found = read("boruta_decisions.csv")
    assert found.sets() == [{"age", "hdl"}, {"age"}, {"age", "hdl"}]
    assert found.features == ("age", "dose", "hdl", "gene a")
    assert "2 tentative left out" in found.notes[0]


def test_decisions_of_boruta_may_have_runs_in_rows(tmp_path):
    table = pd.read_csv(FILES / "boruta_decisions.csv", index_col=0)
    table.T.set_axis(["fold1", "fold2", "fold3"]).to_csv(tmp_path / "rows.csv")
    found = st.Selections.read(tmp_path / "rows.csv")
    assert found.sets() == read("boruta_decisions.csv").sets()
    assert found.labels == ("fold1", "fold2", "fold3")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("stabs_max.csv", r"shares of subsamples, as max of stabs .* one row of TRUE and FALSE per subsample"),
        ("stabs_phat.csv", r"shares of subsamples, as phat of stabs"),
        ("rfe_results.csv", r"how well caret's subsets predict, not what they are; write rfe\(\)\$variables"),
        ("varimp.csv", r"caret varImp has an importance for every feature; give top=10"),
    ],
)
def test_tables_that_hold_no_selections_are_refused(name, sentence):
    with pytest.raises(InputError, match=sentence):
        read(name)


def test_a_layout_that_is_asked_for_must_fit():
    for layout in ("caret", "mlr3fselect", "boruta"):
        with pytest.raises(InputError, match=f"not in the layout {layout}, which has"):
            read("glmnet_columns.csv", layout=layout)
    with pytest.raises(InputError, match="top=2 needs ranks or importances; boruta has none"):
        read("boruta_decisions.csv", top=2)


@pytest.mark.parametrize("cells", ["1,0\n{}0,1", "TRUE,FALSE\n{}FALSE,TRUE", "0.5,0\n{}0,0.2"])
def test_a_matrix_of_sapply_has_its_features_in_rows_or_is_asked_about(tmp_path, cells):
    (tmp_path / "sapply.csv").write_text('"","V1","V2"\n"age",' + cells.format('"dose",') + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"reads as 2 runs \('age', 'dose'\) .* give transpose=True"):
        st.Selections.read(tmp_path / "sapply.csv")
    assert st.Selections.read(tmp_path / "sapply.csv", transpose=True).sets() == [{"age"}, {"dose"}]


def test_selections_that_steadyset_wrote_are_not_taken_for_those_of_r(tmp_path):
    own = st.Selections.from_sets([["s1", "s2"], ["s3"]], features=["s1", "s2", "s3"], labels=["a", "b"])
    own.write(tmp_path / "own.csv")
    assert st.Selections.read(tmp_path / "own.csv") == own


def test_the_command_says_what_it_understood():
    done = CliRunner().invoke(app, ["measure", str(FILES / "rfe_variables.csv"), "-m", "jaccard"])
    assert done.exit_code == 0, done.output
    assert "caret rfe: 2 runs from the column Resample, 2 variables in each" in " ".join(done.output.split())
    asked = CliRunner().invoke(app, ["measure", str(FILES / "varimp.csv")])
    assert asked.exit_code != 0


def test_a_heading_alone_is_no_table(tmp_path):
    (tmp_path / "max.csv").write_text('"","x"\n', encoding="utf-8")
    with pytest.raises(InputError, match="The table has no cells"):
        st.Selections.read(tmp_path / "max.csv")


@pytest.mark.parametrize(
    "header", ["logFC,AveExpr,t,P.Value,adj.P.Val,B", "baseMean,log2FoldChange,lfcSE,stat,pvalue,padj"]
)
@pytest.mark.parametrize("transpose", [None, True])
@pytest.mark.parametrize("last", ["0.5", "NA"])
def test_the_tests_of_one_analysis_are_no_runs(tmp_path, header, transpose, last):
    path = tmp_path / "results.csv"
    rows = [f"TP{i},1.5,-{i}.25,0.3,2.5,0.0{i},{last}" for i in range(1, 6)]
    path.write_text("\n".join([f",{header}", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match="holds the tests of one analysis"):
        st.Selections.read(path, transpose=transpose)
