"""The contract that hostile inputs are held to, and the process apart in which they are tried.

An example ends with a result, or with a SteadysetError whose message is a short text. Any other exception, a crash of
the process, more than DEADLINE seconds of work or more than MEMORY bytes break the contract.

`python -m tests.fuzz.contract SUITE SEED EXAMPLES SECONDS` tries the examples of one suite and prints what broke it,
one JSON object per line; the example in hand stands in the file that the environment variable FUZZ_NOW names, so that a
crash can be told too.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SUITES = ("arguments", "commands", "folders", "readers")
DEADLINE = 60  # seconds of work for one example; what takes longest is the first compilation of a kernel
PATIENCE = 600  # seconds for one example whatever else the machine does
MEMORY = 4 << 30  # bytes of data; address space is no measure, since drawing libraries reserve much of it
LONGEST = 3_000  # characters of a sentence
ENDLESS = 10**9  # examples: until the time is over
NOW = "FUZZ_NOW"


@dataclass(frozen=True)
class Example:
    """One thing to try: what is told of it, and what is done. `run` raises AssertionError where a result is unsound."""

    told: str
    run: Callable[[], object]


class Hang(BaseException):
    """An example took too long."""


def broken_by(example: Example) -> str:
    """What breaks the contract, or nothing."""
    from steadyset.foundation.errors import SteadysetError

    signal.setitimer(signal.ITIMER_PROF, DEADLINE)
    faulthandler.dump_traceback_later(PATIENCE, exit=True)  # compiled code does not heed the signal
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            example.run()
    except SteadysetError as error:
        text = str(error)
        return "" if 0 < len(text) <= LONGEST else f"a sentence of {len(text)} characters: {text[:200]}"
    except Hang:
        return f"no answer after {DEADLINE} s in {_place()}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]} in {_place()}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        faulthandler.cancel_dump_traceback_later()
    return ""


def _place() -> str:
    """The innermost place in steadyset where the exception in hand passed."""
    frames = traceback.extract_tb(sys.exc_info()[2])
    inside = [frame for frame in frames if "steadyset" in frame.filename] or frames
    return f"{Path(inside[-1].filename).name}:{inside[-1].lineno} {inside[-1].name}"


def try_apart(suite: str, *, seed: int, examples: int, seconds: float) -> list[dict[str, str]]:
    """Try the examples of a suite in a process of its own; what broke the contract, crashes included."""
    with tempfile.TemporaryDirectory() as folder:
        now = Path(folder) / "now"
        environment = {**os.environ, NOW: str(now), "TMPDIR": folder, "PYTHONFAULTHANDLER": "1"}
        command = [sys.executable, "-m", "tests.fuzz.contract", suite, str(seed), str(examples), str(seconds)]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False
        )
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"told"')]
        if done.returncode:
            told = now.read_text(encoding="utf-8") if now.exists() else "before the first example"
            found.append({"told": told, "broke": f"exit code {done.returncode}: {done.stderr[-1500:]}"})
        elif f"{suite}: 0 examples" in done.stderr:
            found.append({"told": suite, "broke": "not one example was tried"})
        return found


def main(suite: str, seed: int, examples: int, seconds: float) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, _late)
    end = time.monotonic() + seconds
    stream: Iterator[Example] = importlib.import_module(f"tests.fuzz.{suite}").examples(seed, examples)
    now = Path(os.environ[NOW])
    tried, seen = 0, set()
    for example in stream:
        now.write_text(example.told, errors="backslashreplace", encoding="utf-8")
        broke = broken_by(example)
        tried += 1
        if broke and broke not in seen:  # the same place in many examples is told once
            seen.add(broke)
            print(json.dumps({"told": example.told, "broke": broke}), flush=True)
        if time.monotonic() > end:
            if examples < ENDLESS:  # a sample that depends on the machine would find something on another one
                print(json.dumps({"told": suite, "broke": f"only {tried} examples in {seconds:.0f} s"}), flush=True)
            break
    print(f"{suite}: {tried} examples", file=sys.stderr)


def _late(*_: object) -> None:
    raise Hang


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
