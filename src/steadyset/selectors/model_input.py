"""What the model selectors accept: checks with one sentence each, and features on one scale."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d, validate_data

from steadyset.errors import InputError

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
Target = Literal["binary", "classes", "numbers"]

DEFAULT_K = 20


@dataclass(frozen=True)
class Training:
    """Rows of positive weight: X is n x d, y holds numbers or class codes 0, 1, ...; classes is empty for numbers."""

    X: FloatArray
    y: FloatArray
    weight: FloatArray
    classes: NDArray[Any]


@dataclass(frozen=True)
class Standardised:
    """Features as rows (d x n), centred and divided by scale; a constant feature is a row of zeros with scale 1."""

    Xt: FloatArray
    weight: FloatArray
    centre: FloatArray
    scale: FloatArray
    varies: BoolArray


def read_training(
    X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, *, target: Target, selector: Any = None
) -> Training:
    """Check the training data; rows of weight zero are left out, so they count for nothing at all."""
    values = _read_features(X, selector)
    if y is None:
        raise InputError("requires y to be passed, but the target y is None")
    labels = column_or_1d(y, warn=True)
    check_consistent_length(values, labels)
    weight = _read_weights(sample_weight, len(values))
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InputError("y has NaN or infinite values; every row needs a target")
    if target == "numbers":
        numbers, classes = _read_numbers(labels), np.empty(0)
    else:
        check_classification_targets(labels)
    used = weight > 0
    if not used.all():
        values, labels, weight = values[used], labels[used], weight[used]
    if target == "numbers":
        numbers = numbers[used]
    else:
        numbers, classes = _read_classes(labels, target)
    if len(weight) < 2:
        raise InputError(f"a model needs at least two rows of positive weight, found n_samples={len(weight)}")
    if np.ptp(numbers) == 0:
        raise InputError("y has one value only, so there is nothing to select features for")
    return Training(values, numbers, weight, classes)


def standardise(training: Training) -> Standardised:
    """Centre by the weighted mean, divide by the weighted standard deviation (divisor: the sum of the weights)."""
    weight = training.weight / training.weight.sum()
    varies = training.X.min(axis=0) < training.X.max(axis=0)
    if not varies.any():
        raise InputError("every column of X is constant on the rows of positive weight, so none can be selected")
    centre = weight @ training.X
    Xt = np.array(training.X.T, order="C", copy=True)
    Xt -= centre[:, None]
    scale = np.sqrt(np.square(Xt) @ weight)
    varies &= scale > 0
    scale[~varies] = 1.0
    Xt /= scale[:, None]
    Xt[~varies] = 0.0
    return Standardised(Xt, weight, centre, scale, varies)


def check_k(k: int | None, n_features: int, *, what: str = "features") -> int:
    """k as a number; None asks for DEFAULT_K features, or half of them where that is fewer."""
    if k is None:
        return min(DEFAULT_K, (n_features + 1) // 2)
    check_integer("k", k, least=1)
    if k > n_features:
        raise InputError(f"k is {k} but X has {n_features} {what}; k can be at most {n_features}")
    return int(k)


def check_integer(name: str, value: Any, *, least: int) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise InputError(f"{name} is {value!r}; it has to be a whole number of at least {least}")


def check_number(name: str, value: Any, *, above: float = 0.0, most: float = np.inf, or_equal: bool = False) -> None:
    number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not number or not np.isfinite(value) or value < above or value > most or (value == above and not or_equal):
        bound = f"at least {above:g}" if or_equal else f"above {above:g}"
        limit = "" if most == np.inf else f" and at most {most:g}"
        raise InputError(f"{name} is {value!r}; it has to be a number {bound}{limit}")


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"{name} is {value!r}; it has to be one of {', '.join(map(repr, choices))}")


def later_copies(X: FloatArray) -> BoolArray:
    """Which columns equal an earlier column in every row."""
    seen: set[bytes] = set()
    later = np.zeros(X.shape[1], dtype=np.bool_)
    for j, column in enumerate(np.ascontiguousarray(X.T)):
        key = column.tobytes()
        later[j] = key in seen
        seen.add(key)
    return later


def first_best(scores: FloatArray, count: int, *, digits: int = 10) -> IntArray:
    """Indices of the count largest scores, best first; the lower index wins between scores that agree to the digits."""
    top = np.abs(scores).max(initial=0.0)
    rounded = np.round(scores / top, digits) if top > 0 else scores
    return np.lexsort((np.arange(len(scores)), -rounded))[:count].astype(np.int64)


def _read_features(X: ArrayLike, selector: Any) -> FloatArray:
    _refuse_text_columns(X)
    options: dict[str, Any] = {"dtype": np.float64, "ensure_all_finite": False, "order": "C"}
    try:
        values = check_array(X, **options) if selector is None else validate_data(selector, X, **options)
    except ValueError as error:
        if "could not convert" in str(error):
            raise _text_error(X) from error
        raise InputError(str(error).splitlines()[0]) from error
    if not np.isfinite(values).all():
        column = int(np.flatnonzero(~np.isfinite(values).all(axis=0))[0])
        name = getattr(selector, "feature_names_in_", range(values.shape[1]))[column]
        found = "NaN" if np.isnan(values[:, column]).any() else "infinity"
        raise InputError(f"X has {found} in column {name!r}; every value has to be a finite number (no NaN, no inf)")
    return np.asarray(values, dtype=np.float64)


def _refuse_text_columns(X: Any) -> None:
    """Text is refused by its type, even where it would read as numbers."""
    if hasattr(X, "columns") and hasattr(X, "dtypes"):
        for name, kind in zip(X.columns, X.dtypes, strict=True):
            if str(kind).lower() in ("str", "string"):
                raise InputError(f"X has text in column {name!r}; every feature has to be a number")


def _text_error(X: Any) -> InputError:
    """The sentence for categories, objects and arrays that turned out not to be numbers."""
    values = np.asarray(X, dtype=object)
    names = list(X.columns) if hasattr(X, "columns") else list(range(values.shape[1]))
    first = next(name for name, column in zip(names, values.T, strict=True) if not _is_numbers(column))
    return InputError(f"X has text in column {first!r}; every feature has to be a number")


def _is_numbers(column: NDArray[Any]) -> bool:
    try:
        column.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return True


def _read_weights(sample_weight: ArrayLike | None, n_rows: int) -> FloatArray:
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        weight = np.array(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("sample_weight has to be numbers, one for each row of X") from error
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.shape != (n_rows,):
        raise InputError(f"sample_weight has shape {weight.shape}; it has to be one number for each of {n_rows} rows")
    if not np.isfinite(weight).all():
        raise InputError("sample_weight has NaN or infinite values; every weight has to be a finite number")
    if (weight < 0).any():
        raise InputError(f"sample_weight has a negative value ({weight.min():g}); weights have to be zero or more")
    if not weight.any():
        raise InputError("sample_weight is zero for every row; at least one row has to count")
    return weight


def _read_numbers(labels: NDArray[Any]) -> FloatArray:
    try:
        numbers = labels.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("y has values that are not numbers; regression needs a number for each row") from error
    if not np.isfinite(numbers).all():
        raise InputError("y has NaN or inf; regression needs a finite number for each row")
    return numbers


def _read_classes(labels: NDArray[Any], target: Target) -> tuple[FloatArray, NDArray[Any]]:
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) == 1:
        raise InputError(f"y has one class only ({classes[0]!r}) on the rows of positive weight; two are needed")
    if target == "binary" and len(classes) > 2:
        kind = type_of_target(labels)
        raise InputError(
            f"Only binary classification is supported. The type of the target is {kind}: y has {len(classes)} classes."
        )
    return codes.astype(np.float64), classes
