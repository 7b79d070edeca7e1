"""The resamples of a configuration are fitted together, configurations share paths, and no number depends on it."""

import numpy as np
import pytest

from steadyset.assessment.request import make_plan
from steadyset.resampling import Bootstrap, KFold
from steadyset.selectors import ElasticNetSelector
from steadyset.tuning.evaluation import Evaluator
from steadyset.tuning.models import FilteredModel

RNG = np.random.default_rng(5)
X = RNG.normal(size=(50, 40))
NUMBERS = X[:, :3].sum(axis=1) + 0.5 * RNG.normal(size=50)
CLASSES = (NUMBERS > 0).astype(int)


def evaluated(y, configurations, *, resampling=None, **options):
    plan, _ = make_plan(X, y, resampling=resampling or KFold(5), random_state=0)
    evaluator = Evaluator(plan, **options)
    found = [evaluator(configuration) for configuration in configurations]
    return [{key: value for key, value in result.items() if "seconds" not in key} for result in found]


@pytest.mark.parametrize("y", [CLASSES, NUMBERS], ids=["classes", "number"])
def test_configurations_that_share_paths_have_the_values_of_each_alone(y):
    settings = [{"penalty": 0.1}, {"k": 5}, {"penalty": 0.02, "l1_ratio": 0.5}, {"penalty": 0.3}]
    configurations = [FilteredModel(ElasticNetSelector(**setting)) for setting in settings]
    together = evaluated(y, configurations)
    assert str(together) == str(evaluated(y, configurations, shared=False))
    assert str(together[::-1]) == str(evaluated(y, configurations[::-1]))
    assert str(together) == str([evaluated(y, [configuration])[0] for configuration in configurations])
    assert str(together) == str(evaluated(y, configurations, n_jobs=2))


def test_a_model_of_all_resamples_is_fitted_by_one_call(monkeypatch):
    fits = []
    real = ElasticNetSelector.fit
    monkeypatch.setattr(
        ElasticNetSelector, "fit", lambda self, *data, **more: fits.append(1) or real(self, *data, **more)
    )
    evaluated(CLASSES, [FilteredModel(ElasticNetSelector(0.1)), FilteredModel(ElasticNetSelector(k=3))])
    assert fits == []
    evaluated(CLASSES, [FilteredModel(ElasticNetSelector(0.1), filter="anova", fraction=0.5)])
    assert len(fits) == 5  # a filter leaves every resample other features


@pytest.mark.parametrize("resampling", [KFold(5), Bootstrap(5)], ids=["folds", "bootstraps"])
def test_configurations_behind_the_same_filter_share_the_paths_of_each_resample(resampling, monkeypatch):
    settings = [{"penalty": penalty} for penalty in (0.1, 0.02, 0.3)] + [{"k": 4}]
    configurations = [
        FilteredModel(ElasticNetSelector(**setting), filter="anova", fraction=0.5) for setting in settings
    ]
    alone = evaluated(CLASSES, configurations, resampling=resampling, shared=False)
    fits, real = [], ElasticNetSelector.fit
    monkeypatch.setattr(
        ElasticNetSelector, "fit", lambda self, *data, **more: fits.append(1) or real(self, *data, **more)
    )
    assert str(evaluated(CLASSES, configurations, resampling=resampling)) == str(alone)
    assert len(fits) == 5  # the first configuration


def test_bootstraps_as_weights_select_what_their_copied_rows_select():
    configurations = [FilteredModel(ElasticNetSelector(penalty)) for penalty in (0.2, 0.05)]
    weighted, copied = (
        evaluated(CLASSES, configurations, resampling=Bootstrap(6), shared=shared) for shared in (True, False)
    )
    for one, other in zip(weighted, copied, strict=True):
        for key, value in one.items():
            assert value == (other[key] if isinstance(value, str) else pytest.approx(other[key], rel=1e-9, nan_ok=True))


def test_a_configuration_that_cannot_be_fitted_says_why_for_each_resample():
    (told,) = evaluated(CLASSES, [FilteredModel(ElasticNetSelector(k=400))])
    assert told["failures"] == 5
    assert "k must be at most 40" in told["reason"]
