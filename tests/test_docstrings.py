"""Every public name explains itself in numpydoc form, and what it says agrees with its signature."""

from __future__ import annotations

import ast
import inspect
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
from tests.cases import each

import steadyset as st
from steadyset.foundation.text import first_paragraph, meanings, reference

numpydoc_of = pytest.importorskip("numpydoc.docscrape", reason="numpydoc is in the extra docs")
validate = pytest.importorskip("numpydoc.validate", reason="numpydoc is in the extra docs")

# GL: layout, SS: summary, PR: parameters, RT and YD: what comes back; what they mean is in numpydoc's documentation.
HELD = {
    *("GL01", "GL02", "GL03", "GL05", "GL06", "GL07", "GL08", "GL10", "SS01", "SS02", "SS03", "SS04", "SS06"),
    *("PR01", "PR02", "PR03", "PR04", "PR05", "PR06", "PR07", "PR08", "PR09", "PR10"),
    *("RT01", "RT02", "RT03", "RT04", "RT05", "YD01"),
}
PARAMETERS_OF_A_CLASS = {"PR01", "PR02", "PR03"}
ATOMS = {int: "int", float: "float", bool: "bool", str: "str"}
NOT_A_LITERAL = object()
NOT_NAMED = {"None", "Any", "Iterator", "tuple", "Floats", "Ints", "Bools", "NDArray"}  # each part, or "array of int"
COLLECTED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
GIVEN_BACK = (st.Assessment, st.Tuning)  # results that are no plain records: users never build them


@dataclass(frozen=True)
class Public:
    """One public thing: a function, a class, or a method or property of a public class."""

    name: str
    thing: Any
    owner: type | None = None

    @property
    def is_property(self) -> bool:
        return not callable(self.thing)

    @property
    def is_result(self) -> bool:
        """Whether it is a record that functions return: its fields are attributes, nobody calls the constructor."""
        if not isinstance(self.thing, type) or self.doc["Parameters"]:
            return False
        given_back = is_dataclass(self.thing) or issubclass(self.thing, tuple) or self.thing in GIVEN_BACK
        return given_back or all(name.startswith("_") for name in self.parameters)

    @cached_property
    def doc(self) -> Any:
        return numpydoc_of.get_doc_object(self.thing)

    @property
    def parameters(self) -> dict[str, inspect.Parameter]:
        taken = inspect.signature(self.thing).parameters
        return {name: one for name, one in taken.items() if name not in ("self", "cls")}


@cache
def public() -> tuple[Public, ...]:
    things = [Public(f"{space}.{name}", thing) for space, name, thing in _names()]
    classes = {each.thing for each in things if isinstance(each.thing, type)}
    methods = [one for each in things if isinstance(each.thing, type) for one in _methods(each, classes)]
    return (*things, *methods)


def _names() -> Iterator[tuple[str, str, Any]]:
    seen: set[int] = set()
    modules = {name: getattr(st, name) for name in st.__all__ if inspect.ismodule(getattr(st, name))}
    spaces = {"st": st} | {f"st.{name}": module for name, module in modules.items()}
    for space, module in spaces.items():
        for name in dir(module) if space == "st.plot" else module.__all__:
            thing = getattr(module, name)
            if callable(thing) and id(thing) not in seen:
                seen.add(id(thing))
                yield space, name, thing


def _methods(of: Public, classes: set[type]) -> Iterator[Public]:
    """The methods and properties of a class and of what it inherits from this package; inherited ones come once."""
    seen = {field.name for field in fields(of.thing)} if is_dataclass(of.thing) else set()
    for kind in of.thing.__mro__:
        for name, member in vars(kind).items() if kind.__module__.startswith("steadyset") else ():
            taken = inspect.isroutine(member) or isinstance(member, property | classmethod | staticmethod)
            if not taken or name.startswith("_") or name in seen or name.endswith("_request"):
                continue
            seen.add(name)
            told = bool(member.__doc__) or not inspect.getdoc(getattr(of.thing, name))  # else the base tells it
            if told and (kind is of.thing or kind not in classes):
                yield Public(f"{kind.__name__}.{name}", getattr(of.thing, name), kind)


def each_public(kept: Callable[[Public], bool]) -> Any:
    """The test holds for every public thing of a kind; one that fails is named."""
    return each("one", lambda: {one.name: one for one in public() if kept(one)}.values(), ids=lambda one: one.name)


def has_parameters(one: Public) -> bool:
    return not one.is_property and not one.is_result


@each_public(lambda one: True)
def test_docstrings_have_numpydoc_form(one: Public) -> None:
    held = HELD - PARAMETERS_OF_A_CLASS if one.is_result else HELD
    errors = validate.validate(one.doc)["errors"]
    assert [text for code, text in errors if code in held] == []


@each_public(lambda one: one.owner is None)
def test_functions_and_classes_have_an_example(one: Public) -> None:
    assert ">>> " in "\n".join(one.doc["Examples"])


@each_public(has_parameters)
def test_defaults_that_are_named_are_those_of_the_signature(one: Public) -> None:
    named = {entry.name.lstrip("*"): _named_default(entry.type) for entry in one.doc["Parameters"]}
    for name, parameter in one.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        given = parameter.default is not parameter.empty
        assert (name, given) == (name, named[name] is not None)
        if given and _literal(repr(parameter.default)) is not NOT_A_LITERAL:
            assert (name, _ends(_literal(named[name]), named[name])) == (name, _ends(parameter.default, named[name]))


@each_public(has_parameters)
def test_types_that_are_named_agree_with_the_annotations(one: Public) -> None:
    annotated = _annotations(one.thing)
    for entry in one.doc["Parameters"]:
        told = entry.type.partition(", default=")[0]
        for missing in _untold(annotated.get(entry.name, Any), told):
            pytest.fail(f"{entry.name} is annotated {annotated[entry.name]} but its type says {told!r}: no {missing}")


@each_public(has_parameters)
def test_arguments_have_types_that_an_editor_can_use(one: Public) -> None:
    named = [parameter for parameter in one.parameters.values() if parameter.kind not in COLLECTED]
    assert [
        parameter.name for parameter in named if parameter.annotation in ("Any", Any, inspect.Parameter.empty)
    ] == []


@each_public(lambda one: not one.is_property and not isinstance(one.thing, type))
def test_the_type_that_comes_back_is_named(one: Public) -> None:
    annotated = str(inspect.signature(one.thing).return_annotation).strip("'")
    kind = annotated.partition("[")[0].rpartition(".")[2]
    told = ", ".join(entry.type for entry in (*one.doc["Returns"], *one.doc["Yields"]))
    if kind.isidentifier() and kind not in NOT_NAMED:
        assert kind.lower() in told.lower()


@each_public(lambda one: one.owner is None and is_dataclass(one.thing))
def test_fields_of_a_record_are_documented_in_their_order(one: Public) -> None:
    told = [entry.name for entry in one.doc["Attributes" if one.is_result else "Parameters"]]
    known = [field.name for field in fields(one.thing) if field.init and not field.name.startswith("_")]
    assert [name for name in told if name in known] == known
    assert all(hasattr(one.thing, name) for name in told if name not in known)


@each_public(lambda one: isinstance(one.thing, type) and hasattr(one.thing, "fit"))
def test_what_fitting_leaves_behind_is_documented(one: Public) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 8))
    y = (X[:, 0] + 0.5 * X[:, 1] + 0.1 * rng.normal(size=60) > 0).astype(int)
    model = _made(one.thing).fit(X, st.Survival(1 + np.arange(60), y) if one.thing is st.CoxModel else y)
    read = {name for name in dir(one.thing) if isinstance(getattr(one.thing, name), property)}
    left = {name for name in {*vars(model), *read} if name.endswith("_") and not name.startswith("_")}
    told = {entry.name for entry in one.doc["Attributes"]} - {"feature_names_in_"}
    assert told == {name for name in left if hasattr(model, name)}


def test_the_catalogues_read_what_parameters_mean_without_their_types() -> None:
    read = meanings(st.Bootstrap)
    assert set(read) == set(inspect.signature(st.Bootstrap).parameters)
    assert not any("default=" in text for text in read.values())


def test_the_catalogues_read_references_and_first_sentences() -> None:
    assert "Efron" in reference(st.Bootstrap)
    assert first_paragraph(st.Bootstrap) == st.Bootstrap.__doc__.splitlines()[0].rstrip(".")


def _made(kind: type) -> Any:
    return kind()


def _named_default(told: str) -> str | None:
    found = re.search(r"default=(.*)$", told)
    return found and found[1]


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return NOT_A_LITERAL


def _ends(value: Any, told: str) -> Any:
    """A long tuple that is told by its first numbers, "..." and its last one is compared by its ends."""
    return (value[0], value[-1]) if isinstance(value, tuple) and "..." in told and value else value


def _annotations(thing: Any) -> dict[str, Any]:
    """The annotations as types; those that name what is imported for type checkers alone stay away."""
    function = thing.__init__ if isinstance(thing, type) else thing
    module = inspect.getmodule(inspect.unwrap(function))
    found = {}
    for name, text in inspect.get_annotations(inspect.unwrap(function)).items():
        try:
            found[name] = eval(text, vars(module) | {"ArrayLike": Any}) if isinstance(text, str) else text
        except (NameError, AttributeError, TypeError):
            found[name] = type(None) | Any if isinstance(text, str) and text.endswith("| None") else Any
    return found


def _untold(annotated: Any, told: str) -> Iterator[str]:
    parts = typing.get_args(annotated) if typing.get_origin(annotated) not in (None, Literal) else (annotated,)
    union = "UnionType" in type(annotated).__name__ or typing.get_origin(annotated) is typing.Union
    arrays = typing.get_args(npt.ArrayLike)  # text and single numbers among them, which "array-like" does not name
    if union and set(arrays) <= set(parts):
        parts = tuple(part for part in parts if part not in arrays)
    for part in parts if union else (annotated,):
        if part is type(None) and "None" not in told and "optional" not in told:
            yield "None"
        elif part in ATOMS and not _tells(told, ATOMS[part]):
            yield ATOMS[part]
        elif typing.get_origin(part) is Literal:
            yield from (repr(choice) for choice in typing.get_args(part) if str(choice) not in told)


def _tells(told: str, atom: str) -> bool:
    return bool(re.search(rf"\b{atom}\b", told)) or (atom == "str" and "{" in told) or "path" in told


# What other tools have fitted, and what makes a selector, can be of many kinds.
OF_ANY_KIND = {"cv_results", "fitted", "importances", "model", "rfecv", "selector", "classes", "number"}


@each_public(lambda one: one.owner is None and not isinstance(one.thing, type))
def test_arguments_of_functions_have_types(one: Public) -> None:
    texts = inspect.get_annotations(inspect.unwrap(one.thing))
    named = [name for name, told in one.parameters.items() if told.kind is not told.VAR_KEYWORD]
    pictures = inspect.getmodule(one.thing).__name__.startswith("steadyset.plots")  # which draw any result
    assert pictures or {name for name in named if texts.get(name) == "Any"} <= OF_ANY_KIND
