"""One version of steadyset, which times a kernel whenever it is its turn: `python -m benchmarks.turns MODULE`.

Each line of the input asks one thing, and one line answers it: {"prepare": name} with the numbers that the kernel
computes, {"times": n} with the seconds of n calls by the CLOCK of the module.
"""

from __future__ import annotations

import importlib
import json
import sys
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.timing import seconds


def main(module: str) -> None:
    import steadyset

    kernels = importlib.import_module(module)
    call: Any = None
    with threadpool_limits(limits=1):
        for line in sys.stdin:
            asked = json.loads(line)
            if "prepare" in asked:
                call, answer = _prepared(kernels.TRACKED[asked["prepare"]], steadyset)
            else:
                answer = {"seconds": seconds(partial(_repeat, call, asked["times"]), kernels.CLOCK)}
            print(json.dumps(answer), flush=True)


def _prepared(kernel: Any, package: Any) -> tuple[Any, dict[str, Any]]:
    """The call to be timed, made once so that it is compiled, and its numbers; or why this version cannot."""
    try:
        call = kernel(package)
        return call, {"numbers": np.asarray(call(), dtype=float).tolist()}
    except (AttributeError, ImportError, TypeError) as error:
        return None, {"missing": str(error)}


def _repeat(call: Any, times: int) -> None:
    for _ in range(times):
        call()


if __name__ == "__main__":
    main(sys.argv[1])
