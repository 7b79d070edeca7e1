"""Every run computes with one thread, and Ctrl-C reaches it at any moment."""

import ctypes
import os
import signal
import sys
import time

import pytest
import threadpoolctl
from threadpoolctl import ThreadpoolController, threadpool_info

from steadyset.foundation import threads as arithmetic
from steadyset.runner.conditions import one_line, same_conditions


def threads():
    import scipy.linalg  # noqa: F401

    return [library["num_threads"] for library in threadpool_info()]


@pytest.fixture
def _two_threads():
    with ThreadpoolController().limit(limits=2):
        assert 2 in threads()
        yield


@pytest.mark.usefixtures("_two_threads")
def test_libraries_of_arithmetic_have_one_thread_during_a_run_and_what_they_had_after_it():
    before = threads()
    for _ in range(2):
        with same_conditions():
            assert set(threads()) == {1}
        assert threads() == before


def test_libraries_are_looked_for_again_only_when_something_was_imported(monkeypatch):
    searches = []

    class Counting(ThreadpoolController):
        def __init__(self):
            searches.append(1)
            super().__init__()

    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", Counting)
    monkeypatch.setattr(arithmetic, "_controller", None)
    for _ in range(3):
        with same_conditions():
            pass
    assert len(searches) == 1
    monkeypatch.setitem(sys.modules, "a_module_that_was_not_there", sys)
    with same_conditions():
        pass
    assert len(searches) == 2


@pytest.mark.posix
def test_ctrl_c_during_the_search_for_libraries_is_not_lost(monkeypatch):
    class Interrupted(ThreadpoolController):
        def __init__(self):
            def called_by_c():
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(0.2)

            ctypes.CFUNCTYPE(None)(called_by_c)()
            super().__init__()

    monkeypatch.setattr(threadpoolctl, "ThreadpoolController", Interrupted)
    monkeypatch.setattr(arithmetic, "_controller", None)
    before = threads()
    with pytest.raises(KeyboardInterrupt), same_conditions():
        pass
    monkeypatch.undo()
    with same_conditions():
        assert set(threads()) == {1}
    assert threads() == before


def test_halves_of_characters_are_written_out_in_what_is_told():
    """Names of files may have them, and no file takes them."""
    assert one_line("OSError", "no file caf\udce9.csv\nat all") == "OSError: no file caf\\udce9.csv"
