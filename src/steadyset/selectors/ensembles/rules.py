"""Rules of stability selection: one object per rule says how far paths go and which features of the runs are stable.

`register_rule` adds one; `BoundRule` makes one of a bound on the expected number of false selections.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

from scipy import sparse

from steadyset.foundation.arguments import shown
from steadyset.foundation.errors import InputError
from steadyset.foundation.registry import Registry
from steadyset.kernels.arrays import Bools, Ints
from steadyset.selectors.ensembles.clusters import merge_columns
from steadyset.selectors.ensembles.levels import Paths

ROUNDING = 1e-9  # thresholds and frequencies are compared up to this, so that ties do not hang on rounding
NO_SIZE = "q is given, but the base has no parameter for the number of features that it selects."


@dataclass(frozen=True)
class Limits:
    """What the user gives of the threshold, the bound on false selections and the number of features of a run."""

    threshold: float | None = None
    pfer: float | None = None
    q: int | None = None


@dataclass(frozen=True)
class Runs:
    """The fitted runs as a rule reads them; has_size is false where the base decides how many features it selects.

    possible tells which clusters a run can select: those with a feature that varies.
    """

    paths: Paths
    clusters: Ints
    has_size: bool
    possible: Bools

    @property
    def n_runs(self) -> int:
        return self.paths.n_runs

    @property
    def n_clusters(self) -> int:
        """How many clusters there are to choose from: as many as features that vary where these are not clustered."""
        return int(self.possible.sum())

    @cached_property
    def counts(self) -> Ints:
        """levels x clusters to choose from: how many runs selected each cluster at each level of the path."""
        alone = self.possible.size == self.clusters.size  # each feature is a cluster, and these are counted once
        counts = self.paths.feature_counts if alone else self.paths.counts(self.clusters)
        return counts if self.possible.all() else counts[:, self.possible]

    def rows(self, level: float | None, q: float) -> sparse.csr_array:
        """runs x features at a level of the path (nan: the only one), or the first q features of each run."""
        return self.paths.first(int(q)) if level is None else self.paths.at(level)

    def mean_size(self, level: float | None, q: float) -> float:
        """How many clusters a run selects there on average."""
        return float(merge_columns(self.rows(level, q), self.clusters).nnz / self.n_runs)


@dataclass(frozen=True)
class Reading:
    """What a rule decides: the frequency from which a feature is stable, and which selections of the runs count.

    level is a level of the path, nan where the base has none, None where the first q features of each run are read;
    pfer is the bound, and score whatever else the rule went by.
    """

    threshold: float
    pfer: float
    q: float
    level: float | None = None
    score: float | None = None


@runtime_checkable
class Rule(Protocol):
    """How to read the runs. Each method raises InputError, in one sentence, for limits that the rule cannot take."""

    @property
    def name(self) -> str: ...

    @property
    def reference(self) -> str: ...

    def path_limits(self, limits: Limits) -> Limits:
        """The limits that say how far to follow a path: these, unless the rule reads some in another way."""
        ...

    def size(self, n_clusters: int, n_runs: int, limits: Limits) -> int:
        """How many features a run selects, before any run is known."""
        ...

    def read(self, runs: Runs, limits: Limits) -> Reading:
        """Decide what is stable."""
        ...


def _check(rule: Any) -> None:
    if not isinstance(rule, Rule):
        raise InputError(f"rule must have a name, a reference, path_limits, size and read (got {rule!r}).")


RULES: Registry[Rule] = Registry("rule", check=_check, in_runs=True)


def register_rule(rule: Rule, *, replace: bool = False) -> Rule:
    """Make a rule known by its name to `StabilitySelection`, and a BoundRule to `error_control` too.

    Parameters
    ----------
    rule : Rule
        A `BoundRule`, or any object with a name, a reference and the methods path_limits, size and read.
    replace : bool, default=False
        Whether another one of this name gives way; otherwise a taken name is refused.

    Returns
    -------
    Rule
        The rule.

    Raises
    ------
    InputError
        Where the name is taken, or the object is no rule.

    Examples
    --------
    >>> import steadyset as st
    >>> careful = st.BoundRule("careful", lambda q, threshold, d, n_pairs: 2 * q * q / (d * (2 * threshold - 1)))
    >>> st.register_rule(careful).name
    'careful'
    >>> st.error_control(500, q=10, threshold=0.75, rule="careful").pfer
    0.8
    """
    return RULES.add(rule, replace=replace)


def get_rule(name: Any) -> Rule:
    """The rule of that name."""
    if not isinstance(name, str):
        raise InputError(f"rule must be the name of a rule (got {shown(name)}); register_rule names one of your own.")
    return RULES.find(name)
