"""The models that tuning tries: a filter with a model behind it, and the methods of Bommert (2020), table 6.5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.compose import TransformedTargetRegressor
from sklearn.feature_selection import SelectorMixin
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.utils import ClassifierTags, RegressorTags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from steadyset.foundation.arguments import wrong_argument
from steadyset.foundation.errors import InputError
from steadyset.io.numbers import check_impute
from steadyset.kernels.arrays import Bools, Floats, Ints
from steadyset.runner.columns import filled, medians, takes_gaps
from steadyset.runner.extraction import chosen, selects_by_itself
from steadyset.selectors.covariates import COVARIATES
from steadyset.selectors.filters import FilterSelector
from steadyset.selectors.filters.selector import size_of
from steadyset.selectors.functions import FunctionSelector
from steadyset.selectors.model import FOREST_OUTCOMES, Outcome, TaskModel
from steadyset.selectors.models.trees import ForestData, Growth, features_cut, grow_forest, mean_of_trees, seed_sequence
from steadyset.selectors.validation import check_integer
from steadyset.tasks import CLASSES, NUMBER, SURVIVAL, TASKS, columns_of
from steadyset.tasks.models.cox import CoxModel

NO_FILTER = "none"


def _model_has(name: str) -> Any:
    return lambda self: hasattr(self._predicting(), name)


def only_selects(model: Any) -> bool:
    """Return whether a model selects features and predicts nothing, such as a filter or a function of X and y."""
    return hasattr(model, "get_support") and not hasattr(model, "predict")


@dataclass(eq=False, repr=False)
class FilteredModel(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Filter, then model; selected is what the model selects of the filtered features.

    Parameters
    ----------
    model : a classifier or regressor. Where it selects by itself (see `steadyset.runner.extraction`) its choice counts,
        otherwise it uses all features that the filter left.
    filter : the name of a filter, or "none"
    fraction : the share of the features that the filter keeps, rounded, at least one feature; fewer where no more of
        them score better than a constant column
    fill : whether the others may take their places, as in studies that keep a fixed number of features
    impute : "median" fills missing values by the medians of the rows that it is fitted on
    task : "classes" or "number", what the filter takes y for; None: what the model is for, else the rule decides by y
    random_state : seed of filters that draw random numbers
    predictor : where the model only selects, what is fitted to the selected features by `fit`, and predicts

    Attributes: model_ (fitted on the kept features), kept_ (their numbers, best first), support_, and medians_ where it
    fills missing values; predictor_ where there is one.
    """

    model: Any = None
    _: KW_ONLY
    filter: str = NO_FILTER
    fraction: float = 1.0
    impute: str | None = None
    task: str | None = None
    random_state: Any = None
    fill: bool = False
    predictor: Any = None

    def fit(self, X: Any, y: Any, covariates: Any = None) -> Self:
        """Rank the features, keep the best, fit the model on them; beside covariates, which are no features."""
        self.__dict__.pop("predictor_", None)
        fitted = self._fit_model(X, y, covariates)
        if self.predictor is not None:
            if not self.support_.any():
                raise InputError("The model selects no features, so that nothing can be predicted from them.")
            self.predictor_ = clone(self.predictor).fit(self._used(X), y)
        return fitted

    def _fit_model(self, X: Any, y: Any, covariates: Any) -> Self:
        options: Any = {"dtype": np.float64, "ensure_all_finite": self._finite()}
        values, target = validate_data(self, X, y, multi_output=columns_of(y) is not None, **options)
        self.__dict__.pop("medians_", None)
        if check_impute(self.impute) is not None:
            self.medians_ = medians(values, np.arange(values.shape[1]))
            values = filled(values, self.medians_)
        if self.filter == NO_FILTER:
            return self.fit_kept(values, target, None, covariates)
        k = self.n_kept(values.shape[1])
        ranked = FilterSelector(self.filter, k=k, random_state=self.random_state, task=self._task(), fill=self.fill)
        n_selected = ranked.fit(values, target, covariates=covariates).get_support().sum()
        return self.fit_kept(values, target, np.argsort(ranked.ranking_)[:n_selected], covariates)

    def fit_kept(self, X: Floats, y: npt.NDArray[Any], kept: Ints | None, covariates: Any = None) -> Self:
        """Fit the model on features that a filter has kept already; None: on all of them.

        Beside covariates a model that takes none is not fitted: it selects nothing, and uses all features it gets.
        """
        columns = np.arange(X.shape[1]) if kept is None else kept
        if not len(columns):
            raise InputError(f"no feature scores better than a constant column by the filter {self.filter!r}")
        model, taken = clone(self.model), {} if covariates is None else {COVARIATES: covariates}
        if isinstance(model, FunctionSelector) and model.features is not None:
            model.set_params(features=[model.features[f] for f in columns])
        if not taken or has_fit_parameter(model, COVARIATES):
            model.fit(np.ascontiguousarray(X[:, columns]), y, **taken)
        return self.hold(model, columns, X.shape[1])

    def hold(self, model: Any, kept: Ints, n_features: int) -> Self:
        """Take a model that has been fitted on the kept features."""
        self.n_features_in_ = n_features
        self.kept_ = kept
        self.model_ = model
        self.support_ = np.zeros(n_features, dtype=np.bool_)
        if selects_by_itself(model):
            kept = kept[chosen(model, len(kept), behind_selector=self.filter != NO_FILTER).features]
        self.support_[kept] = True
        return self

    def _task(self) -> str | None:
        if self.task is not None:
            return self.task
        return NUMBER if is_regressor(self.model) else CLASSES if is_classifier(self.model) else None

    def n_kept(self, n_features: int) -> int:
        """How many features the filter keeps."""
        if not 0 <= self.fraction <= 1:
            raise wrong_argument("fraction", "a number from 0 to 1", self.fraction)
        return size_of(self.fraction, n_features)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """What the model predicts from the kept features, or the predictor from the selected ones."""
        return np.asarray(self._predicting().predict(self._used(X)))

    @available_if(_model_has("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The model's probabilities of the classes."""
        return np.asarray(self._predicting().predict_proba(self._used(X)))

    @available_if(_model_has("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """How far the model leans to the second of two classes."""
        return np.asarray(self._predicting().decision_function(self._used(X)))

    @property
    def classes_(self) -> npt.NDArray[Any]:
        return np.asarray(self._predicting().classes_)

    def _predicting(self) -> Any:
        if self.predictor is not None:
            return getattr(self, "predictor_", self.predictor)
        return getattr(self, "model_", self.model)

    def _used(self, X: Any) -> Floats:
        """Return the columns from which is predicted, with gaps filled."""
        check_is_fitted(self)
        values = np.asarray(validate_data(self, X, dtype=np.float64, reset=False, ensure_all_finite=self._finite()))
        if hasattr(self, "medians_"):
            values = filled(values, self.medians_)
        return np.ascontiguousarray(values[:, self.kept_ if self.predictor is None else self.support_])

    def _finite(self) -> bool | str:
        return "allow-nan" if get_tags(self).input_tags.allow_nan else True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.model is None:
            return tags
        tags.input_tags.allow_nan = self.impute is not None or (self.filter == NO_FILTER and takes_gaps(self.model))
        predicting = self._predicting()
        if is_classifier(predicting) or hasattr(predicting, "classes_"):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        elif is_regressor(predicting):
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_


@dataclass(eq=False, repr=False)
class RidgeModel(TaskModel):
    """Ridge regression, logistic or linear, with the penalty of glmnet; it uses every feature.

    Minimises  mean loss + penalty / 2 sum_j b_j²,  b the coefficients of the standardised features; the loss of a
    number is half the squared error.
    """

    penalty: float = 1.0
    _: KW_ONLY
    task: str | None = None

    outcomes: ClassVar[dict[str, Outcome]] = {task: FOREST_OUTCOMES[task] for task in (CLASSES, NUMBER)}
    _models: ClassVar[dict[str, Callable[[float], Any]]] = {
        CLASSES: lambda strength: LogisticRegression(C=1 / strength, max_iter=10_000),
        NUMBER: lambda strength: Ridge(alpha=strength),
    }

    def fit(self, X: Any, y: Any) -> Self:
        """Fit on standardised features."""
        training = self._training(X, y)
        model = self._models[self.task_](len(training.y) * self.penalty)
        self.model_ = make_pipeline(StandardScaler(), model).fit(training.X, training.y)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """What the model predicts; its own decision, since rounded probabilities may be equal where that is not."""
        values = self._checked(X)
        found = self.model_.predict(values)
        return np.asarray(self.classes_[found.astype(np.int64)] if TASKS[self.task_].has_classes else found)

    def _computed(self, X: Any) -> Floats:
        values = self._checked(X)
        return np.asarray(self.model_.predict_proba(values))


@dataclass(eq=False, repr=False)
class SplittingForest(TaskModel):
    """A random forest that selects the features at which any of its trees splits.

    A node of `node_size` rows or fewer is not split; rows count as often as the tree has drawn them. A node tries
    `max_features` of the features: "sqrt", "log2", a number, a share (rounded down, at least one), None for all.

    Attributes: classes_ (not for a number), trees_ (the nodes as arrays, see `steadyset.kernels.trees.growth.Trees`).
    """

    n_estimators: int = 100
    node_size: int = 1
    max_features: str | int | float | None = "sqrt"
    random_state: Any = None
    task: str | None = None

    outcomes = FOREST_OUTCOMES

    def fit(self, X: Any, y: Any) -> Self:
        """Grow the trees."""
        check_integer("n_estimators", self.n_estimators, least=1)
        check_integer("node_size", self.node_size, least=1)
        training = self._training(X, y)
        least_leaf = self.outcomes[self.task_].least_leaf
        growth = Growth(self.n_estimators, self.max_features, least_cut=self.node_size + 1, least_leaf=least_leaf)
        self.trees_ = grow_forest(ForestData.of(training), growth, seed_sequence(self.random_state))
        return self

    def _computed(self, X: Any) -> Floats:
        values = self._checked(X)
        return mean_of_trees(self.trees_, values, len(self.classes_) if hasattr(self, "classes_") else 1)

    def get_support(self) -> Bools:
        """Which features are used."""
        check_is_fitted(self)
        return features_cut(self.trees_, self.n_features_in_)


class Predictor(NamedTuple):
    """A model that only predicts: what makes it, and what stands before the names of its parameters."""

    make: Callable[[], Any]
    prefix: str = ""


PREDICTORS: dict[str, dict[str, Predictor]] = {  # all on standardised features; a number to predict is standardised too
    "svm": {
        CLASSES: Predictor(lambda: make_pipeline(StandardScaler(), SVC()), "svc__"),
        NUMBER: Predictor(
            lambda: TransformedTargetRegressor(make_pipeline(StandardScaler(), SVR()), transformer=StandardScaler()),
            "regressor__svr__",
        ),
    },
    "knn": {
        CLASSES: Predictor(lambda: make_pipeline(StandardScaler(), KNeighborsClassifier()), "kneighborsclassifier__"),
        NUMBER: Predictor(lambda: make_pipeline(StandardScaler(), KNeighborsRegressor()), "kneighborsregressor__"),
    },
    "ridge": {
        **{task: Predictor(partial(RidgeModel, task=task)) for task in RidgeModel.outcomes},
        SURVIVAL: Predictor(lambda: make_pipeline(StandardScaler(), CoxModel()), "coxmodel__"),
    },
}


def predictor_by_name(name: str, task: str) -> Predictor:
    """The predictor of this name for a task."""
    own = TASKS[task].among(PREDICTORS[name])
    if not own:
        raise InputError(f"The model {name!r} cannot be used for {task}.")
    return PREDICTORS[name][own]
