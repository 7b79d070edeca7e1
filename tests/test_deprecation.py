"""What is retired keeps working until the version it was promised for, and says what to use instead."""

import importlib
import pkgutil
import re
import sys
import types
import warnings

import pytest
from sklearn.base import BaseEstimator, clone

import steadyset
from steadyset.foundation import deprecation
from steadyset.foundation.deprecation import deprecated, old_names, renamed, renamed_argument, retirements
from steadyset.foundation.errors import InputError

SOON = {"since": "0.3", "removed_in": "0.5"}


@pytest.fixture
def own_retirements(monkeypatch):
    """What a test retires is forgotten after it."""
    monkeypatch.setattr(deprecation, "_known", [])


def numbers(version):
    return [int(number) for number in re.findall(r"\d+", version)]


def test_nothing_is_kept_longer_than_promised_and_everything_warns_for_two_minor_versions():
    for module in pkgutil.walk_packages(steadyset.__path__, "steadyset."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    assert "n_trees" in {found.name for found in retirements()}
    for found in retirements():
        assert numbers(steadyset.__version__) < numbers(found.removed_in), f"{found.name} was to be removed"
        (since, first), (gone, last) = numbers(found.since), numbers(found.removed_in)
        assert gone > since or last >= first + 2, f"{found.name} warns for less than two minor versions"


@pytest.mark.usefixtures("own_retirements")
def test_a_deprecated_function_works_warns_its_caller_and_says_so_in_its_docstring():
    @deprecated(instead="stability", **SOON)
    def steadiness(value):
        """How steady it is."""
        return 2 * value

    with pytest.warns(FutureWarning) as heard:
        assert steadiness(3) == 6
    assert str(heard[0].message) == "steadiness is deprecated, use stability; it will be removed in version 0.5."
    assert heard[0].filename == __file__
    assert steadiness.__doc__.startswith("How steady it is.\n\n.. deprecated:: 0.3\n   steadiness is deprecated")


@pytest.mark.usefixtures("own_retirements")
def test_a_deprecated_class_stays_a_class_that_scikit_learn_can_copy():
    @deprecated(instead="Newer", **SOON)
    class Older(BaseEstimator):
        def __init__(self, k=3):
            self.k = k

    with pytest.warns(FutureWarning, match="Older is deprecated, use Newer"):
        copied = clone(Older(k=5))
    assert isinstance(copied, Older)
    assert copied.get_params() == {"k": 5}


@pytest.mark.usefixtures("own_retirements")
def test_an_argument_with_another_name_is_still_understood_by_its_old_one():
    @renamed_argument("top", "k", **SOON)
    def first(values, k=1):
        return values[:k]

    with pytest.warns(FutureWarning, match=r"top is now called k; the old name will be removed in version 0\.5\."):
        assert first("abc", top=2) == "ab"
    with warnings.catch_warnings(action="error"):
        assert first("abc", 2) == first("abc", k=2) == "ab"
    for given in (lambda: first("abc", k=1, top=2), lambda: first("abc", 1, top=2)):
        with pytest.raises(InputError, match="top is the old name of k; give only the new one"):
            given()


def test_a_module_still_understands_names_that_it_had_before(own_retirements, monkeypatch):
    module = types.ModuleType("house")
    module.stability = 7
    module.__getattr__ = old_names("house", renamed("steadiness", "stability", kind=DeprecationWarning, **SOON))
    monkeypatch.setitem(sys.modules, "house", module)
    with pytest.warns(DeprecationWarning, match="steadiness is now called stability") as heard:
        assert module.steadiness == 7
    assert heard[0].filename == __file__
    with pytest.raises(AttributeError, match="module 'house' has no attribute 'other'"):
        _ = module.other
