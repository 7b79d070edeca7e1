"""Is a kernel slower than before? `make performance BASE=main`, or `python -m benchmarks.compare BASE [HEAD]`.

Each version lives in a process of its own, and the two take turns, so that whatever else the machine does meets both
alike. (One process cannot hold both: numba takes kernels and types of the same name for the same.) HEAD is the working
tree unless a commit is given. A ratio above 1 means that HEAD takes longer. Exit status 1 says that a kernel is slower
beyond doubt: the whole interval of its ratio lies above the limit.
"""

from __future__ import annotations

import argparse
import importlib
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import binom

ROOT = Path(__file__).parents[1]
LIMIT, LEVEL = 1.15, 0.99
ROUNDS, FEWEST, SHORTEST, BOX = 41, 11, 0.02, 8.0  # of a kernel; seconds of one timing, and of all together


def main(words: list[str], root: Path = ROOT, kernels: str = "benchmarks.tracked") -> int:
    """Compare two versions and print a line per kernel; 1 if one is slower beyond doubt."""
    tracked = importlib.import_module(kernels).TRACKED
    parser = argparse.ArgumentParser(prog="python -m benchmarks.compare", description=__doc__.partition("\n")[0])
    parser.add_argument("base", help="a commit")
    parser.add_argument("head", nargs="?", help="a commit; the working tree unless given")
    parser.add_argument("--only", action="append", choices=sorted(tracked), help="a kernel; all of them unless given")
    asked = parser.parse_args(words)
    base_name, base_source = sources_of(asked.base, root)
    head_name, head_source = sources_of(asked.head, root) if asked.head else ("the working tree", root / "src")
    print(f"{head_name} compared with {base_name}: a ratio above 1 means that {head_name} takes longer.", flush=True)
    slower = []
    with Version(base_name, base_source, kernels) as base, Version(head_name, head_source, kernels) as head:
        for name in asked.only or tracked:
            result = compared(name, base, head)
            print(f"{name:<12} {result}", flush=True)
            slower += [name] if isinstance(result, Ratio) and result.low > LIMIT else []
    if slower:
        print(f"Slower than before by more than {LIMIT - 1:.0%}: {', '.join(slower)}.")
    return 1 if slower else 0


@dataclass(frozen=True)
class Ratio:
    """How many times as long HEAD takes: the median over rounds, an interval, and whether the numbers are the same."""

    estimate: float
    low: float
    high: float
    milliseconds: float
    same: bool

    def __str__(self) -> str:
        said = "slower" if self.low > LIMIT else "faster" if self.high < 1 / LIMIT else ""
        told = f"{self.estimate:5.2f} ({self.low:.2f} to {self.high:.2f}) of {self.milliseconds:.3g} ms"
        return "  ".join([told, *([said] if said else []), *([] if self.same else ["other numbers"])])


class Version:
    """A version of the package at work in a process of its own."""

    def __init__(self, name: str, source: Path, kernels: str) -> None:
        self.name = name
        path = os.pathsep.join([str(source), str(ROOT), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.turns", kernels],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Version:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def prepare(self, kernel: str) -> dict[str, Any]:
        """Its numbers, or what this version does not have; the first time, kernels are compiled."""
        return self._ask(prepare=kernel)

    def seconds(self, times: int) -> float:
        return float(self._ask(times=times)["seconds"])

    def _ask(self, **asked: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(asked), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.name} stopped while it was timed; the error is above.")
        return dict(json.loads(answer))


def sources_of(commit: str, root: Path) -> tuple[str, Path]:
    """The sources of a commit, in a folder of their own that is kept, so that kernels are compiled once."""
    known = _git(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    if known.returncode:
        raise SystemExit(f"There is no commit {commit!r}.")
    sha = known.stdout.decode().strip()
    folder = root / "build" / "performance" / sha[:12]
    if not folder.exists():
        beside = folder.with_name(f"{folder.name}.part")  # what was interrupted is no version
        with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", sha, "src").stdout)) as archive:
            archive.extractall(beside, filter="data")
        beside.rename(folder)
    return commit if sha.startswith(commit) else f"{commit} ({sha[:7]})", folder / "src"


def compared(kernel: str, base: Version, head: Version) -> Ratio | str:
    """The two versions in turns; words if one of them does not have what is timed."""
    answers = []
    for version in (base, head):
        answer = version.prepare(kernel)
        if "missing" in answer:
            return f"cannot be timed in {version.name}: {answer['missing']}"
        answers.append(np.asarray(answer["numbers"], dtype=float))
    times = max(1, round(SHORTEST / max(base.seconds(2) / 2, 1e-6)))
    pairs = list(in_turns(lambda: base.seconds(times), lambda: head.seconds(times)))
    estimate, low, high = median_interval([after / before for before, after in pairs])
    milliseconds = 1000 * statistics.median(before for before, _ in pairs) / times
    same = answers[0].shape == answers[1].shape and np.allclose(*answers, rtol=1e-9, atol=0, equal_nan=True)
    return Ratio(estimate, low, high, milliseconds, bool(same))


def in_turns(
    first: Callable[[], float], second: Callable[[], float], clock: Callable[[], float] = time.monotonic
) -> Iterator[tuple[float, float]]:
    """Pairs of timings, the one and the other first by turns; fewer where they take long."""
    end = clock() + BOX
    for number in range(ROUNDS):
        if number >= FEWEST and clock() > end:
            return
        if number % 2:
            after = second()
            yield first(), after
        else:
            yield first(), second()


def median_interval(values: list[float], level: float = LEVEL) -> tuple[float, float, float]:
    """The median and an interval for it: two of the ordered values, whatever their distribution."""
    ordered = sorted(values)
    outside = max(int(binom.ppf((1 - level) / 2, len(values), 0.5)) - 1, 0)
    return statistics.median(ordered), ordered[outside], ordered[-1 - outside]


def _git(root: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, check=False)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
