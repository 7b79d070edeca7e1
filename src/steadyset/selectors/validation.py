"""Checks of features, targets, weights and options that all selectors share; each failure is one sentence."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from steadyset.foundation.arguments import check_choice as check_choice
from steadyset.foundation.arguments import check_integer as check_integer
from steadyset.foundation.arguments import check_number as check_number
from steadyset.foundation.arguments import shown, wrong_argument
from steadyset.foundation.errors import InputError, WrongTypeError
from steadyset.io.numbers import number_array, numbers, target_values
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.tasks import check_columns, columns_of, has_fractions, refuse_identifiers

SPARSE = ("csc", "csr")  # the formats that selectors of sparse features take; the first is what others become
DEFAULT_K = 10  # features that every selector keeps where nobody says how many, so that a comparison is one of equals


def check_features(X: Any, selector: Any = None, *, sparse: bool = False, missing: bool = False) -> Floats:
    """X as a finite float array; a selector remembers the number and the names of the features.

    With ``sparse`` sparse features stay so, as columns (CSC); what takes them reads a few columns at a time. With
    ``missing`` nan passes.

    scikit-learn does the checks, because its own tests of estimators ask for its sentences; what it would turn into
    numbers without a word (dates, text, what a mask hides) goes to the one way to numbers first.
    """
    if sparse and issparse(X):
        options: dict[str, Any] = {"dtype": np.float64, "accept_sparse": SPARSE[0]}
        try:
            found: Any = check_array(X, **options) if selector is None else validate_data(selector, X, **options)
        except ValueError as error:
            raise _in_one_sentence(error) from error
        return found  # type: ignore[no-any-return]
    _refuse_text_columns(X)
    X = _read_numbers(X)
    options = {"dtype": np.float64, "ensure_all_finite": False, "order": "C"}
    # scikit-learn would hand these back as they are; with little data, to find that out takes it longer than a fit.
    ready = type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 and X.size > 0
    try:
        if selector is None:
            features = X if ready else check_array(X, **options)
        else:
            features = validate_data(selector, X, **({"skip_check_array": True} if ready else options))
    except TypeError as error:
        if not hasattr(X, "columns"):
            raise WrongTypeError(f"X must be rows x features of numbers; {error}.") from error
        raise InputError(_text_found(X).replace("contains text", "contains dates or other things")) from error
    except ValueError as error:
        if "could not convert" in str(error):
            raise InputError(_text_found(X)) from error
        raise _in_one_sentence(error) from error
    if not all_finite(features) and not (missing and not np.isinf(features).any()):
        row, column = np.argwhere(np.isinf(features) if missing else ~np.isfinite(features))[0]
        found = _not_finite(features[row, column])
        raise InputError(f"X contains {found} in {_feature(X, column)}, row {row}; expected finite numbers.")
    return np.ascontiguousarray(features, dtype=np.float64)


def dense_columns(X: Any, columns: Any) -> Floats:
    """Some columns of an array, or of sparse features, as an array."""
    part = X[:, columns]
    if issparse(X):
        part = part.toarray()
    return np.asarray(part)


def varying_columns(X: Any) -> Bools:
    """Which features vary; a sparse column holds zeros besides what it stores."""
    least, largest = X.min(axis=0), X.max(axis=0)
    if issparse(X):
        least, largest = least.toarray(), largest.toarray()
    return np.asarray(least < largest).ravel()


def all_finite(values: Floats) -> bool:
    """Whether every number is finite; a finite sum tells without a second array of the same size."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(values.sum()) or np.isfinite(values).all())


def powers_of_two(sizes: Any) -> Any:
    """The largest power of two up to each size: units of features that change no digit of them."""
    return np.ldexp(1.0, np.frexp(sizes)[1] - 1)


def check_target(y: Any, n_rows: int | None, needed_by: str) -> NDArray[Any]:
    """y as a vector of known values, one for each row of X; where the number of rows is None, nobody counts them."""
    if y is None:
        raise InputError(f"{needed_by} requires y to be passed, but the target y is None.")
    check_columns(y)
    if columns_of(y) is not None:
        return target_values(y, n_rows)
    plain = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biuf" and y.flags.c_contiguous
    try:
        target: NDArray[Any] = y if plain else column_or_1d(y, warn=n_rows is not None)
    except ValueError as error:
        raise _in_one_sentence(error) from error
    if n_rows is not None and len(target) != n_rows:
        raise InputError(f"y has {len(target)} values and X has {n_rows} rows; expected one value per row.")
    if target.dtype.kind == "f" and not np.isfinite(target).all():
        found = _not_finite(target[~np.isfinite(target)][0])
        raise InputError(f"y contains {found}; expected a known and finite target in every row.")
    if _has_missing(target):
        raise InputError("y contains a missing value; expected a known target in every row.")
    return target


def _has_missing(target: NDArray[Any]) -> bool:
    """Whether a value is None, NaN, NaT or the NA of pandas; floats are known to be finite."""
    if target.dtype.kind in "biufSU" or all(isinstance(value, str) for value in target):
        return False
    import pandas as pd  # takes long to import, and few targets need it

    return bool(pd.isna(target).any())


def check_numbers(y: NDArray[Any], needed_by: str) -> Floats:
    """A checked target as finite numbers; text is refused even where it would read as numbers."""
    if _is_numbers(y):
        target = numbers(y, "y")
        if np.isfinite(target).all():
            return target
    raise InputError(
        f"Unknown label type: y has values that are not finite numbers; {needed_by} needs a number per row."
    )


def check_classes(
    y: NDArray[Any], weights: Floats, needed_by: str, *, binary: bool = False
) -> tuple[NDArray[Any], Ints]:
    """The class labels of a checked target and the number of each row's class; every row of weights needs two classes.

    The beginnings "Unknown label type" and "Only binary classification" are those that scikit-learn asks for.
    """
    if has_fractions(y):
        raise InputError(
            f"Unknown label type: y is continuous (numbers with fractions); {needed_by} needs class labels."
        )
    try:
        labels, classes = np.unique(y, return_inverse=True)
    except TypeError as error:
        raise InputError("Unknown label type: y mixes text and numbers; expected labels of one kind.") from error
    present = np.stack([np.bincount(classes, weight, labels.size) > 0 for weight in weights])
    single = np.flatnonzero(present.sum(axis=1) < 2)
    if single.size:
        only, where = labels[present[single[0]]][0], of_run(single[0], len(weights))
        raise InputError(f"y has one class only, {only!s}{where}; {needed_by} compares at least 2 classes.")
    refuse_identifiers(labels, len(y))
    if binary:
        check_two_classes(labels.size, needed_by)
    return labels, classes.astype(np.int64)


def check_two_classes(n_classes: int, needed_by: str) -> None:
    """What is for two classes only."""
    if n_classes > 2:
        raise InputError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {n_classes} classes; {needed_by} is for two classes."
        )


def check_sample_weight(sample_weight: Any, n_rows: int, *, resamples: bool = False) -> Floats:
    """Weights as an M x n array (one row for a vector; ``resamples`` allows more): finite, not negative, not all 0.

    One number stands for the weight of every row.
    """
    weights = numbers(1.0 if sample_weight is None else sample_weight, "sample_weight")
    name = "weights" if resamples and weights.ndim > 1 else "sample_weight"  # as whoever takes many calls them
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.ndim not in (1, 1 + resamples) or weights.shape[-1] != n_rows or weights.size == 0:
        raise InputError(f"{name} has shape {weights.shape}; expected one weight for each of the {n_rows} rows of X.")
    if not np.isfinite(weights).all():
        raise InputError(f"{name} contains NaN or infinity; expected finite numbers.")
    if (weights < 0).any():
        raise InputError(f"{name} contains the negative value {weights.min():g}; expected weights of at least 0.")
    weights = np.atleast_2d(weights)
    empty = np.flatnonzero(weights.sum(axis=1) <= 0)
    if empty.size:
        where = of_run(empty[0], len(weights))
        raise InputError(f"{name} sums to zero{where}; at least one row must count.")
    return np.ascontiguousarray(weights)


def one_vector(sample_weight: Any) -> Any:
    """The weights of one resample, for what takes those of many too; a matrix of them is refused."""
    if sample_weight is None:
        return None
    values = numbers(sample_weight, "sample_weight")
    if values.ndim > 1:
        single = "; weights of single values are not taken"
        raise InputError(f"sample_weight has shape {values.shape}; expected one weight for each row of X{single}.")
    return values


def check_whole(weights: Floats, needed_by: str) -> Ints:
    """Weights as whole numbers, for selectors that copy rows."""
    if (weights != np.rint(weights)).any():
        raise InputError(f"sample_weight contains a value that is not whole; {needed_by} copies rows by their weight.")
    return weights.astype(np.int64)


def check_counts(weights: Floats, needed_by: str) -> None:
    """Weights that count rows: what needs the number of rows cannot do with shares of 1."""
    totals = weights.sum(axis=-1)
    if (totals <= 1).any():
        raise InputError(
            f"sample_weight sums to {totals.min():g}; {needed_by} takes weights as numbers of rows, more than 1 in all."
        )


def size_or_default(k: int | None, n_features: int, *, what: str = "features") -> int:
    """k as a number; None asks for DEFAULT_K features, or half of them where that is fewer."""
    return min(DEFAULT_K, (n_features + 1) // 2) if k is None else check_k(k, n_features, what=what)


def check_k(k: Any, n_features: int, *, what: str = "features") -> int:
    """A number of features (or groups) between 1 and all of them."""
    check_integer("k", k, least=1)
    if k > n_features:
        raise wrong_argument("k", f"at most {n_features}, the number of {what} of X", k)
    return int(k)


def _refuse_text_columns(X: Any) -> None:
    """Text is refused by its type, even where it would read as numbers."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        for column, kind in enumerate(X.dtypes):
            if str(kind).lower() in ("str", "string"):
                raise InputError(_text_sentence(X, column))


def _read_numbers(X: Any) -> Any:
    masked = isinstance(X, np.ma.MaskedArray) and X.dtype.kind != "O"
    dates_or_text = isinstance(X, np.ndarray) and X.dtype.kind in "mMSU"
    return number_array(X, "X") if masked or dates_or_text else X


def _text_found(X: Any) -> str:
    """The sentence for categories, objects and arrays that turned out not to be numbers."""
    columns = np.asarray(X, dtype=object).T
    if columns.ndim != 2:
        return f"X must be rows x features of numbers (got {shown(X)})."
    return _text_sentence(X, next(number for number, column in enumerate(columns) if not _is_numbers(column)))


def _text_sentence(X: Any, column: int) -> str:
    return f"X contains text in {_feature(X, column)}; expected numbers: encode or drop it."


def _feature(X: Any, column: int) -> str:
    columns = getattr(X, "columns", None)
    return f"feature number {column}" if columns is None else f"feature {columns[column]!r}"


def _is_numbers(values: NDArray[Any]) -> bool:
    try:
        number_array(values, "y")
    except InputError:
        return False
    return True


def _not_finite(value: float) -> str:
    return "NaN (a missing value)" if np.isnan(value) else "infinity"


def of_run(run: int, n_runs: int) -> str:
    """The words that name one resample among several, nothing where there is one only."""
    return f" in resample {run}" if n_runs > 1 else ""


def _in_one_sentence(error: ValueError) -> InputError:
    """scikit-learn's own complaint (shape, sparse, too few rows) without the advice in the lines after the first."""
    return InputError(str(error).splitlines()[0].rstrip(".:") + ".")
