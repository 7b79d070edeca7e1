"""What each folder of tests costs: `python -m tests.costs RESULTS.xml ...` writes the numbers into tests/README.md.

RESULTS.xml are what `pytest --junit-xml=RESULTS.xml` leaves; `make test-costs` makes both and calls this. Seconds are
those of a processor, the processes that a test waits for included, so that a busy machine hardly changes them.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

TESTS = Path(__file__).parent
README = TESTS / "README.md"
ROOT, EXAMPLES = "`test_*.py`", "`src/`"  # rows beside those of folders
WITHOUT_TESTS = {"oracles", "__pycache__"}


@dataclass
class Cost:
    """How many tests a folder has in `make test` and in the rest, and how many seconds each part takes."""

    tests: int = 0
    seconds: float = 0.0
    slow_tests: int = 0
    slow_seconds: float = 0.0

    def add(self, seconds: float, slow: bool) -> None:
        if slow:
            self.slow_tests += 1
            self.slow_seconds += seconds
        else:
            self.tests += 1
            self.seconds += seconds

    def cells(self) -> list[str]:
        return [f"{self.tests:,}", f"{self.seconds:.0f}", f"{self.slow_tests:,}", f"{self.slow_seconds:.0f}"]


def folders() -> list[str]:
    """The rows of the table: folders of tests, the files beside them, and the examples of docstrings."""
    named = sorted(path.name for path in TESTS.iterdir() if path.is_dir() and path.name not in WITHOUT_TESTS)
    return [*(f"`{name}/`" for name in named), ROOT, EXAMPLES]


def row_of(classname: str) -> str:
    """The row that a test counts for, by the dotted name of its file as JUnit's format has it."""
    place, _, rest = classname.partition(".")
    if place != "tests":
        return EXAMPLES
    return f"`{rest.split('.')[0]}/`" if "." in rest else ROOT


def costs(results: Iterable[Path]) -> dict[str, Cost]:
    found: dict[str, Cost] = defaultdict(Cost)
    for case in (case for file in results for case in ElementTree.parse(file).iter("testcase")):
        properties = {one.get("name"): one.get("value") for one in case.iter("property")}
        seconds = float(
            properties.get("seconds") or case.get("time") or 0
        )  # examples of docstrings have the time alone
        found[row_of(case.get("classname") or "")].add(seconds, properties.get("slow") == "True")
    return found


def with_costs(text: str, found: dict[str, Cost]) -> str:
    """The page with the numbers of these folders; what a folder protects stays as it is written there."""
    lines = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `") and cells[0] in found:
            line = f"| {' | '.join([cells[0], cells[1], *found[cells[0]].cells()])} |"
        if line.startswith("| all "):
            line = f"| {' | '.join(['all', '', *total(found).cells()])} |"
        lines.append(line)
    return "\n".join(lines) + "\n"


def total(found: dict[str, Cost]) -> Cost:
    whole = Cost()
    for cost in found.values():
        whole.tests += cost.tests
        whole.seconds += cost.seconds
        whole.slow_tests += cost.slow_tests
        whole.slow_seconds += cost.slow_seconds
    return whole


if __name__ == "__main__":
    measured = costs(Path(name) for name in sys.argv[1:])
    README.write_text(with_costs(README.read_text(encoding="utf-8"), measured), encoding="utf-8")
    print(f"{README}: {total(measured).seconds:.0f} s, and {total(measured).slow_seconds:.0f} s for the slow ones")
