"""One version of steadyset, which times a kernel whenever it is its turn: `python -m benchmarks.turns MODULE`.

Each line of the input asks one thing, and one line answers it: {"prepare": name} with the numbers that the kernel
computes, {"times": n} with the processor seconds of n calls.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.timing import seconds


def main(module: str) -> None:
    import steadyset

    tracked = importlib.import_module(module).TRACKED
    call: Any = None
    with threadpool_limits(limits=1):
        for line in sys.stdin:
            asked = json.loads(line)
            if "prepare" in asked:
                call, answer = _prepared(tracked[asked["prepare"]], steadyset)
            else:
                answer = {"seconds": seconds(lambda call=call, n=asked["times"]: [call() for _ in range(n)])}
            print(json.dumps(answer), flush=True)


def _prepared(kernel: Any, package: Any) -> tuple[Any, dict[str, Any]]:
    """The call to be timed, made once so that it is compiled, and its numbers; or why this version cannot."""
    try:
        call = kernel(package)
        return call, {"numbers": np.asarray(call(), dtype=float).tolist()}
    except (AttributeError, ImportError, TypeError) as error:
        return None, {"missing": str(error)}


if __name__ == "__main__":
    main(sys.argv[1])
