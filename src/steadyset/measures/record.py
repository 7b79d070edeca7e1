"""A measure is one declarative record; the registry holds them all, also those that users add."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np

from steadyset.foundation.arguments import check_finite, check_flag, is_number, shown, wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry
from steadyset.foundation.text import headed_line, meanings
from steadyset.io.labels import name_and_params
from steadyset.kernels.arrays import Floats

if TYPE_CHECKING:
    import pandas as pd

    from steadyset.measures.evaluate import Family


ExactBy = Literal["", "means", "means_given_shared", "matching", "similar"]
Need = Literal["similarity", "weights", "rankings"]
INFINITY = float("inf")


@dataclass(frozen=True, kw_only=True)
class Measure:
    """What the shared machinery has to know about a measure. Its formula is `score`; nothing else computes.

    Parameters
    ----------
    name : str
        The name, in lower case.
    family : str
        What the formula is computed from; see the notes.
    score : Callable
        The formula. Its arguments follow from the family, and it returns nan where it is undefined.
    aliases : tuple of str, default=()
        Other names, such as the codes that a paper uses.
    bounds : tuple of float, default=(-inf, inf)
        The least and the largest value.
    corrected : bool, default=False
        Whether the measure is published with a correction for chance.
    equal_sizes_only : bool, default=False
        Whether random sets have one mean value for equal sizes only.
    adjusted : bool, default=False
        Whether similar features count as agreement.
    linear : bool, default=False
        Whether for given sizes a frequency score is linear in `levels`, or an effective score in `scatter`; its
        expectation under random selection is then exact.
    batched : bool, default=False
        Whether a frequency score also takes sizes[..., i] with the leading axes of `levels`; it then gets the
        leave-one-out values in one call, otherwise in one per distinct size.
    symmetric : bool, default=True
        Whether score(a, b) = score(b, a); otherwise the mean is over ordered pairs.
    constant_size : bool, default=False
        Whether the measure is defined for runs of one size only.
    higher_is_steadier : bool, default=True
        Whether larger values are steadier.
    needs : tuple of str, default=()
        What the measure needs besides the sets: "similarity", "weights", "rankings".
    floor : float or None, default=None
        The least value that infinitely many independent runs can have, where that is above the lower bound; intervals
        end there.
    params : Mapping, default={}
        The parameters of the score, with their values unless given.
    maximum : Callable or None, default=None
        The largest score of two sets of sizes ki and kj, which corrected adjusted measures are scaled by.
    intersection : Callable or None, default=None
        What two sets share when similar features count, unless that is the score.
    uses : tuple of str, default=()
        The quantities of pairs that are computed on request: "greedy", "matched".
    exact_by : {"", "means", "means_given_shared", "matching", "similar"}, default=""
        What makes the expectation of an adjusted score exact; see the notes.
    by_convention : Callable or None, default=None
        The values that the source of the measure states where its score is undefined, from the arguments of the score;
        nan where the source states none. They count with ``undefined="paper"``.
    claims : Mapping, default={}
        Which properties papers claim, by paper; `certify` holds them against what it computes.
    formula : str, default=""
        The formula in words; empty takes the line of the score's docstring that starts with Formula:.
    undefined : str, default=""
        When the measure is undefined; empty takes the line that starts with Undefined:.
    convention : str, default=""
        `by_convention` in words, with its place in the source; empty takes the line that starts with Convention:.
    reference : str, default=""
        Where the measure comes from; empty takes the line that starts with Reference:.

    Notes
    -----
    The families and the arguments of their scores:

    - "pairwise": score(r, ki, kj, d) for arrays of pairs, r = how many features both sets hold; the measure is the
      mean over pairs (over ordered pairs when `symmetric` is False);
    - "frequency": score(levels, sizes, d), levels[..., h] = number of features that exactly h runs selected;
    - "patterns": score(multiplicities, sizes, d), how many runs selected each of the distinct sets;
    - "effective": score(scatter, own, others, sizes, d), own = sum_f c(f,f), others = sum_{f!=g} c(f,g), scatter =
      sum_fg c(f,g) (M n_fg - h_f h_g), where n_fg runs select both features;
    - "adjusted": score(pairs) for `SimilarPairs`; the measure is the mean over pairs, or over ordered pairs. When
      `corrected`, it is the mean of (score - E) / (maximum(ki, kj) - E), E = E[score] under random selection. E is
      exact by "means" where the score is linear in quantities with known expectations, by "means_given_shared" where
      it is so once r is known, by "matching" where score - r is the size of a matching of similar features that cannot
      be extended, and by "similar" where score - r depends on the selected features that have similar ones only;
    - "weights", "rankings": score(rows) of the absolute weights or the ranks of all runs (`Rows`), with similarity=
      when the measure needs it, gives a runs x runs table or `Correlations`; the measure is the mean over pairs.

    Examples
    --------
    >>> import steadyset as st
    >>> kuncheva = st.get_measure("kuncheva")
    >>> kuncheva.family, kuncheva.bounds, kuncheva.constant_size
    ('pairwise', (-1, 1), True)
    """

    name: str
    family: str
    score: Callable[..., Any]
    aliases: tuple[str, ...] = ()
    bounds: tuple[float, float] = (-INFINITY, INFINITY)
    corrected: bool = False
    equal_sizes_only: bool = False
    adjusted: bool = False
    linear: bool = False
    batched: bool = False
    symmetric: bool = True
    constant_size: bool = False
    higher_is_steadier: bool = True
    needs: tuple[Need, ...] = ()
    floor: float | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    maximum: Callable[..., Any] | None = None
    intersection: Callable[..., Any] | None = None
    uses: tuple[str, ...] = ()
    exact_by: ExactBy = ""
    by_convention: Callable[..., Any] | None = None
    claims: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    formula: str = ""
    undefined: str = ""
    convention: str = ""
    reference: str = ""

    def __post_init__(self) -> None:
        for part in ("formula", "undefined", "convention", "reference"):
            if not getattr(self, part):
                object.__setattr__(self, part, headed_line(self.score, part.capitalize()))

    def with_params(self, params: Mapping[str, Any]) -> Measure:
        """The measure with some of its parameters set.

        Parameters
        ----------
        params : Mapping
            Values by name of the parameter.

        Returns
        -------
        Measure
            The record with these values.

        Raises
        ------
        InputError
            Where the measure has no such parameter.
        """
        if not params:
            return self
        unknown = set(params) - set(self.params)
        if unknown:
            known = f"it takes {', '.join(self.params)}" if self.params else "it takes none"
            raise InputError(f"{self.name} has no parameter {sorted(unknown)[0]!r}; {known}.")
        for name, value in params.items():  # what a parameter is by default says what it may be
            if isinstance(self.params[name], bool):
                check_flag(name, value)
            elif is_number(self.params[name]):
                check_finite(name, value)
        return replace(self, params={**self.params, **params})

    @property
    def specification(self) -> str:
        """The name as it is typed: with the parameters that differ from their defaults, such as "davis:alpha=1"."""
        defaults = MEASURES[self.name].params if self.name in MEASURES else self.params
        changed = [
            f"{name}={_typed(value)}"
            for name, value in self.params.items()
            if name not in defaults or value != defaults[name]
        ]
        return f"{self.name}:{','.join(changed)}" if changed else self.name

    @property
    def correction(self) -> str:
        """Whether random selection has one mean value, in the words of the catalogue and of the certificates."""
        return "for equal sizes" if self.equal_sizes_only else "yes" if self.corrected else "no"

    def largest(self, n_runs: int, n_features: int) -> float:
        """The largest value that the measure can take, which a correction for chance scales to.

        Parameters
        ----------
        n_runs : int
            How many runs there are.
        n_features : int
            How many features there are.

        Returns
        -------
        float
            The largest value.
        """
        return self.bounds[1] if self.maximum is None else float(self.maximum(n_runs, n_features, **self.params))


def _typed(value: Any) -> str:
    """A value as it is typed after a colon; 1 and 1.0 are one value."""
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value)


_families: dict[str, Family] = {}
MEASURES: Registry[Measure] = Registry(
    "measure",
    Measure,
    adopt=lambda name, measure: _adopt(name, measure),
    aliases=lambda measure: measure.aliases,
    listing="list_measures()",
)


Score = TypeVar("Score", bound=Callable[..., Any])


def measure_of(family: str, *aliases: str, **fields: Any) -> Callable[[Score], Score]:
    """Register a measure of the family, with these aliases and fields of its record; NAME_score is its formula."""

    def register(score: Score) -> Score:
        name = score.__name__.removesuffix("_score")
        MEASURES.add(Measure(name=name, family=family, score=score, aliases=aliases, **fields))
        return score

    return register


def register_measure(
    name: str, score: Callable[..., Any], *, family: str = "pairwise", replace: bool = False, **fields: Any
) -> Measure:
    """Register a measure of your own; it is then known to `stability`, the tables, the intervals and the command.

    Parameters
    ----------
    name : str
        The name of the measure.
    score : Callable
        The formula; `Measure` says which arguments each family hands over. It returns nan where it is undefined.
    family : str, default="pairwise"
        What the formula is computed from: "pairwise", "frequency", "patterns", "effective", "adjusted", "weights" or
        "rankings".
    replace : bool, default=False
        Whether another one of this name gives way; otherwise a taken name is refused.
    **fields : Any
        Other fields of `Measure`, such as `bounds`, `corrected` or `params`.

    Returns
    -------
    Measure
        The record that was registered.

    Raises
    ------
    InputError
        Where the name is taken or a field makes no sense.

    Examples
    --------
    >>> import numpy as np, steadyset as st
    >>> def overlap(r, ki, kj, d):
    ...     "Overlap coefficient: r / min(ki, kj)."
    ...     return np.where(np.minimum(ki, kj) > 0, r / np.maximum(np.minimum(ki, kj), 1), np.nan)
    >>> _ = st.register_measure("overlap", overlap, bounds=(0, 1))
    >>> st.stability(st.Selections.from_sets([[0, 1], [1]], n_features=3), "overlap")
    1.0
    >>> st.unregister_measure("overlap")
    """
    if not (isinstance(name, str) and name):
        raise wrong_argument("name", "text", name)
    if not callable(score):
        raise wrong_argument("score", "a function", score)
    get_family(family)
    unknown = sorted(set(fields) - set(Measure.__dataclass_fields__))
    if unknown:
        raise InputError(f"A measure has no field {unknown[0]!r}; it has {', '.join(Measure.__dataclass_fields__)}.")
    for field_name in ("aliases", "needs", "uses"):
        if field_name in fields:
            fields[field_name] = _texts(field_name, fields[field_name])
    for need in fields.get("needs", ()):
        if need not in get_args(Need):
            raise InputError(f"needs holds {shown(need)}; expected some of {', '.join(get_args(Need))}.")
    _check_fields(fields)
    return MEASURES.add(Measure(name=name, score=score, family=family, **fields), replace=replace)


def _texts(name: str, values: Any) -> tuple[str, ...]:
    """A list of texts as a tuple; one text is a list of one."""
    if isinstance(values, str) and values:
        return (values,)
    if not (isinstance(values, list | tuple) and all(isinstance(value, str) and value for value in values)):
        raise wrong_argument(name, "a list of texts", values)
    return tuple(values)


def _check_fields(fields: Mapping[str, Any]) -> None:
    """Refuse what a record cannot hold."""
    for name, field_of in Measure.__dataclass_fields__.items():
        if field_of.type == "bool":
            check_flag(name, fields.get(name, field_of.default))
    bounds = fields.get("bounds", (0.0, 1.0))
    ends = list(bounds) if isinstance(bounds, list | tuple) else []
    if len(ends) != 2 or not all(is_number(end) or end in (INFINITY, -INFINITY) for end in ends) or ends[0] >= ends[1]:
        raise wrong_argument("bounds", "two numbers, the lower one first", bounds)
    if fields.get("floor") is not None:
        check_finite("floor", fields["floor"])
    for name in ("maximum", "intersection", "by_convention"):
        if fields.get(name) is not None and not callable(fields[name]):
            raise wrong_argument(name, "a function", fields[name])
    for name in ("params", "claims"):
        if not isinstance(fields.get(name, {}), Mapping):
            raise wrong_argument(name, "a mapping by name", fields[name])


def unregister_measure(name: str) -> None:
    """Take a registered measure out again.

    Parameters
    ----------
    name : str
        The name under which it was registered.

    Raises
    ------
    InputError
        Where no measure has this name.

    Examples
    --------
    >>> import steadyset as st
    >>> _ = st.register_measure("shared", lambda r, ki, kj, d: 1.0 * r)
    >>> st.unregister_measure("shared")
    >>> "shared" in st.list_measures().index
    False
    """
    MEASURES.remove(get_measure(name).name)


def get_measure(name: str | Measure) -> Measure:
    """The record of a measure by its name or an alias.

    Parameters
    ----------
    name : str or Measure
        The name or an alias; capitals do not matter. Parameters follow a colon, such as "davis:alpha=1". A record is
        given back as it is.

    Returns
    -------
    Measure
        What is known of the measure, with these parameters.

    Raises
    ------
    InputError
        Where no measure has this name or a parameter; the message proposes similar names.

    Examples
    --------
    >>> import steadyset as st
    >>> st.get_measure("SMJ").name
    'jaccard'
    >>> st.get_measure("nogueira").reference
    'Nogueira, Sechidis and Brown 2018'
    >>> st.get_measure("davis:alpha=1").params
    {'alpha': 1}
    """
    if isinstance(name, Measure):
        return name
    if not isinstance(name, str) or ":" not in name:
        return MEASURES.find(name, "measure")
    called, params = name_and_params(name)
    return MEASURES.find(called, "measure").with_params(params)


def register_family(family: Family) -> Family:
    """Register a family of your own, so that measures can name it; see `steadyset.measures.Family`."""
    from steadyset.measures.evaluate import Family as Base

    if not isinstance(family, Base):
        raise InputError(f"family must be an object of a class derived from Family (got {type(family).__name__}).")
    if not (isinstance(getattr(family, "name", None), str) and family.name):
        raise InputError("family must have a name: a text that its measures say as their family.")
    if family.name in _families:
        raise InputError(f"A family called {family.name!r} exists already; choose a new name.")
    _families[family.name] = family
    return family


def unregister_family(name: str) -> None:
    """Take a registered family out again; its measures must be taken out before."""
    family = get_family(name)
    left = [measure.name for measure in MEASURES.values() if measure.family == family.name]
    if left:
        raise InputError(f"The family {family.name!r} still has the measure {left[0]!r}; unregister that first.")
    del _families[family.name]


def get_family(of: str | Measure) -> Family:
    """The family of a measure, or by its name."""
    name = of.family if isinstance(of, Measure) else of
    if not (isinstance(name, str) and name in _families):
        raise wrong_argument("family", f"one of {', '.join(_families)}", name)
    return _families[name]


def all_measures() -> list[Measure]:
    """Every registered measure: family by family, in the order of registration within each."""
    place = {family: i for i, family in enumerate(_families)}
    return sorted(MEASURES.every(), key=lambda measure: place[measure.family])


def _adopt(name: str, measure: Any) -> None:
    """Add the measure of an entry point, whose family must be known by now."""
    if isinstance(measure, Measure):
        get_family(measure)
    MEASURES.adopt_record(name, measure)


CATALOGUE = (
    *("name", "aliases", "family", "bounds", "corrected", "adjusted", "needs", "higher_is_steadier"),
    *("formula", "undefined", "convention", "reference"),
)
WITHOUT_MEANING = "a parameter of the formula"


def catalogue_entry(measure: Measure) -> dict[str, Any]:
    """What the catalogue tells of a measure."""
    told = meanings(measure.score)
    parameters = {"parameters": dict(measure.params)}
    explained = {"meanings": {name: told.get(name) or WITHOUT_MEANING for name in measure.params}}
    return {name: getattr(measure, name) for name in CATALOGUE} | {
        "corrected": measure.correction,
        **parameters,
        **explained,
    }


def list_measures() -> pd.DataFrame:
    """The catalogue of measures.

    Returns
    -------
    pandas.DataFrame
        One row per measure: its aliases, properties, formula, reference, and its parameters with their defaults and
        meanings. The column corrected is "yes" (random sets have one mean value, whatever their sizes), "for equal
        sizes" or "no".

    Examples
    --------
    Which measures know of similar features and are corrected for chance?

    >>> import steadyset as st
    >>> known = st.list_measures()
    >>> known[known["adjusted"] & (known["corrected"] == "yes")].index.tolist()
    ['yu', 'intersection_mbm', 'intersection_greedy', 'intersection_count', 'intersection_mean', 'npogr']
    """
    import pandas as pd

    return pd.DataFrame([catalogue_entry(measure) for measure in all_measures()]).set_index("name")


def ratio(numerator: Any, denominator: Any) -> Floats:
    """The quotient, nan where the denominator is not positive."""
    defined = np.asarray(denominator > 0)
    if defined.all():
        return np.asarray(numerator / denominator, dtype=np.float64)
    return np.where(defined, numerator / np.where(defined, denominator, 1), np.nan).astype(np.float64, copy=False)
