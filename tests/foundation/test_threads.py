"""While steadyset computes, the arithmetic libraries have one thread, whatever the environment says."""

import os
import subprocess
import sys
import threading

import pytest
import scipy.linalg  # noqa: F401 - its BLAS is limited too
import sklearn  # noqa: F401 - its OpenMP is limited too
from threadpoolctl import ThreadpoolController, threadpool_info

from steadyset.foundation.threads import one_arithmetic_thread

# Each line computes with the data of PREPARATION; the program counts the processor time of threads that Python does
# not know, which are those of the arithmetic libraries.
PREPARATION = """
import os, threading, time
import numpy as np
import steadyset as st

random = np.random.default_rng(0)
X = random.normal(size=(160, 1500))
y = np.arange(160) % 2
X[y == 1, :5] += 1.0
halves = (random.random((100, 160)) < 0.5).astype(float)
similarity = st.FeatureSimilarity.from_data(X, threshold=0.9)

def seconds_of_foreign_threads():
    python = {thread.native_id for thread in threading.enumerate()}
    total = 0
    for task in os.listdir("/proc/self/task"):
        if int(task) not in python:
            with open(f"/proc/self/task/{task}/stat") as file:
                total += sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    return total / os.sysconf("SC_CLK_TCK")

def count(compute):
    compute()
    foreign, everything = seconds_of_foreign_threads(), time.process_time()
    compute()
    return seconds_of_foreign_threads() - foreign, time.process_time() - everything
"""
COMPUTATIONS = {
    "products of matrices, which do use them": "[X.T @ X for _ in range(60)]",
    "shortlist": "st.shortlist(X, y, permutations=20, splits=10, outer=0)",
    "assess": 'st.assess(["lasso:k=5", "anova:k=5"], X, y, resampling=st.Bootstrap(4))',
    "replication": 'st.replication("anova:k=5", X, y, pairs=10)',
    "stability selection": 'st.StabilitySelection("lasso", q=5, threshold=0.9).fit(X, y)',
    "similarity": "st.FeatureSimilarity.from_data(X, threshold=0.9)",
    "a filter": "st.FilterSelector('anova', k=5).fit(X, y)",
    "l0": "st.selectors.L0Selector(k=5).fit(X, y)",
    "paths": "st.selectors.elastic_net_paths(X, y, halves, max_features=20)",
    "a block of similarities": "similarity.block(range(1500), range(1500))",
}


def seconds(computation, threads):
    """Return the seconds of foreign threads and of all threads of a computation in a process of its own."""
    program = f"{PREPARATION}\nprint(*count(lambda: {computation}))"
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(names, str(threads))
    result = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    return map(float, result.stdout.split()[-2:])


@pytest.mark.slow
@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="counts threads by the files of Linux")
@pytest.mark.parametrize("name", COMPUTATIONS)
def test_threads_of_the_arithmetic_libraries_do_nothing_while_we_compute(name):
    foreign, everything = seconds(COMPUTATIONS[name], 4)
    if name.startswith("products"):
        assert foreign > 0  # or the count would show nothing
    else:
        assert foreign <= 0.03 + 0.02 * everything


def limits():
    return [(library["internal_api"], library["num_threads"]) for library in threadpool_info()]


def test_blocks_that_overlap_in_threads_leave_the_limits_as_they_were():
    with ThreadpoolController().limit(limits=2):
        before = limits()
        entered, leave = threading.Event(), threading.Event()

        def other():
            with one_arithmetic_thread():
                entered.set()
                leave.wait(10)

        thread = threading.Thread(target=other)
        with one_arithmetic_thread():
            thread.start()
            assert entered.wait(10)
        assert ("openblas", 2) not in limits()  # the other thread is still computing
        leave.set()
        thread.join()
        assert limits() == before


def test_each_thread_limits_its_own_openmp():
    controller = ThreadpoolController().select(user_api="openmp")
    if not controller.lib_controllers:
        pytest.skip("no library of OpenMP is loaded")
    seen = []

    def compute():
        with controller.limit(limits=3):
            with one_arithmetic_thread():
                seen.append(controller.lib_controllers[0].num_threads)
            seen.append(controller.lib_controllers[0].num_threads)

    with one_arithmetic_thread():
        thread = threading.Thread(target=compute)
        thread.start()
        thread.join()
    assert seen == [1, 3]
