"""The files around the code are valid and say the same: workflows, templates, hooks, citation and conda recipe."""

import re
import shlex
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from click.testing import CliRunner
from packaging.requirements import Requirement
from tests.documentation import script

import steadyset
from steadyset.cli import run as run_command

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text("utf-8")) for path in (ROOT / ".github/workflows").glob("*.yml")}
SCHEMAS = {
    ".github/workflows/*.yml": ["vendor.github-workflows", "custom.github-workflows-require-timeout"],
    ".github/dependabot.yml": ["vendor.dependabot"],
    ".github/ISSUE_TEMPLATE/[!c]*.yml": ["vendor.github-issue-forms"],
    ".github/ISSUE_TEMPLATE/config.yml": ["vendor.github-issue-config"],
    "CITATION.cff": ["vendor.citation-file-format"],
}
PUBLISHING = {("docs", "publish"): {"pages", "id-token"}, ("release", "publish"): {"id-token"}}


@pytest.mark.parametrize(("pattern", "schema"), [(files, one) for files, names in SCHEMAS.items() for one in names])
def test_files_for_other_services_are_what_these_understand(pattern, schema):
    check = pytest.importorskip("check_jsonschema", reason="needs check-jsonschema: pip install 'steadyset[dev]'")
    files = [str(path) for path in sorted(ROOT.glob(pattern))]
    assert files
    done = CliRunner().invoke(check.main, ["--builtin-schema", schema, "--force-filetype", "yaml", *files])
    assert done.exit_code == 0, done.output


def jobs():
    return [(name, key, job) for name, workflow in WORKFLOWS.items() for key, job in workflow["jobs"].items()]


def test_a_workflow_may_read_and_only_publishing_may_write():
    assert [workflow["permissions"] for workflow in WORKFLOWS.values()] == [{"contents": "read"}] * len(WORKFLOWS)
    granted = {(name, key): set(job.get("permissions", {})) for name, key, job in jobs()}
    assert {key: names for key, names in granted.items() if names} == PUBLISHING
    assert all("environment" in WORKFLOWS[name]["jobs"][key] for name, key in PUBLISHING)


def test_workflows_use_only_actions_of_github_and_of_pypi_in_a_stated_version():
    used = {step["uses"] for *_, job in jobs() for step in job["steps"] if "uses" in step}
    assert used
    assert not {one for one in used if not re.fullmatch(r"actions/[\w-]+@v\d+|pypa/[\w-]+@release/v\d+", one)}


def test_workflows_run_what_the_makefile_runs():
    """Windows has no make, so the core tests repeat its commands there; everything else calls make."""
    commands = [step["run"] for *_, job in jobs() for step in job["steps"] if "run" in step]
    pip = re.search(r"^PIP := (.*)$", MAKEFILE, re.MULTILINE)[1]
    recipes = MAKEFILE.replace("$(PIP)", pip).replace("$(BIN)/", "").replace(".venv-oldest/bin/", "")
    targets = set(re.findall(r"^([\w-]+):", MAKEFILE, re.MULTILINE))
    trying = {"python -m pip install dist/*.whl", "steadyset --version", "steadyset measures"}
    for command in commands:
        if command.startswith("make "):
            assert command.removeprefix("make ") in targets
        elif not command.startswith("test -f") and command not in trying:
            assert re.search(rf"(^\t|[ \t]){re.escape(command)}$", recipes, re.MULTILINE), command


def test_every_declared_python_is_tested_on_every_system():
    declared = [text.rpartition(" ")[2] for text in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", text)]
    matrix = WORKFLOWS["tests"]["jobs"]["core"]["strategy"]["matrix"]
    assert matrix["python"] == declared
    assert {name.partition("-")[0] for name in matrix["os"]} == {"ubuntu", "macos", "windows"}
    assert PROJECT["requires-python"] == f">={declared[0]}"


def test_hooks_need_nothing_but_the_tools_of_the_environment():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert [repository["repo"] for repository in hooks] == ["local"]
    entries = {hook["id"]: hook["entry"] for hook in hooks[0]["hooks"]}
    assert {"ruff-check", "ruff-format", "mypy", "lint-imports"} <= set(entries)
    names = {re.sub(r"\W.*", "", text) for text in PROJECT["optional-dependencies"]["dev"]}
    installed = {*names, "check-jsonschema", "lint-imports", "python", "git"}
    assert {shlex.split(entry)[0] for entry in entries.values()} <= installed
    scripts = [word for entry in entries.values() for word in shlex.split(entry) if word.endswith(".py")]
    assert all((ROOT / script).exists() for script in scripts)


def bounds(requirements):
    parsed = [Requirement(text) for text in requirements if not text.startswith("steadyset[")]
    return {f"{one.name} {one.specifier}" for one in parsed}


def test_the_conda_recipe_requires_what_pyproject_requires():
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    extras = PROJECT["optional-dependencies"]
    optional = [text for name in set(extras) - {"all", "test", "docs", "dev"} for text in extras[name]]
    python, *needed = recipe["requirements"]["run"]
    assert python == "python >=${{ python_min }}"
    assert f">={recipe['context']['python_min']}" == PROJECT["requires-python"]
    assert set(needed) == bounds(PROJECT["dependencies"])
    assert set(recipe["requirements"]["run_constraints"]) == bounds(optional)
    assert recipe["build"]["python"]["entry_points"] == [
        f"{name} = {where}" for name, where in PROJECT["scripts"].items()
    ]


def test_the_version_is_the_same_everywhere():
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == str(citation["version"]) == steadyset.__version__


def test_the_map_shows_the_import_contract_of_today():
    make_map = script("make_map")
    drawn = make_map.PICTURE.read_text(encoding="utf-8")
    assert drawn == make_map.drawn(), "the import contract changed: make map"
    names = [text.text for text in ElementTree.fromstring(drawn).iter() if text.get("class") == "name"]
    assert names == [name for names in make_map.layers() for name in names]
    assert set(make_map.WORDS) == set(names)


def test_the_counts_of_the_house_are_of_code_and_of_functions_that_run(tmp_path):
    counts = script("house_counts")
    counted = counts.lines_of('"""What."""\n\nimport os\n\n# why\nA = 1\n\n\ndef f():\n    """Says."""\n    return A\n')
    assert counted == {"code": 3, "imports": 1, "docstrings": 2, "comments": 1, "all": 11}
    walks = counts.Walks(tmp_path)
    assert walks.python("-c", "from steadyset.foundation import text, errors; text.number(1.0)") == 1


def test_the_number_of_the_walk_passes_its_ten_stops_in_order(tmp_path, monkeypatch):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    stops = re.findall(r"^\| \d+ \| `([^`]+)`, `(\w+)` \|", text, re.MULTILINE)
    assert len(stops) == 10
    source, names, passed = Path(steadyset.__file__).parent, {name for _, name in stops}, []

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_name in names:
            file = Path(frame.f_code.co_filename)
            place = (file.relative_to(source).as_posix() if file.is_relative_to(source) else "", frame.f_code.co_name)
            if place in stops and place not in passed:
                passed.append(place)

    monkeypatch.chdir(tmp_path)
    Path("lists.csv").write_text("run,feature\n0,a\n0,b\n1,a\n1,b\n2,a\n2,c\n", encoding="utf-8")
    sys.setprofile(note)
    try:
        code = run_command(["report", "lists.csv", "--features", "10", "--out", "report.html"])
    finally:
        sys.setprofile(None)
    assert code == 0
    assert passed == stops


@pytest.mark.slow  # buys: the counts of `make map` follow the forms of the page
def test_the_journey_on_the_page_is_counted(tmp_path):
    walks = script("house_counts").Walks(tmp_path)
    assert walks.page() > walks.python("-m", "steadyset", "measure", "lists.csv") > 1
