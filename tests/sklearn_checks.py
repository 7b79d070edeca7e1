"""Checks of scikit-learn that fail for reasons of their own."""

from benchmarks.peers import VERSION
from sklearn.utils import get_tags

WEIGHTS = "check_sample_weight_equivalence_on_dense_data"


def known_to_fail(estimator):
    """What check_estimator may not hold against an estimator, with the reason.

    Before 1.8 the check of weights calls the first row's class one class and all others the other, for the weighted and
    the repeated rows separately, after it shuffled one of them: an estimator for two classes gets different targets.
    """
    classes = get_tags(estimator).classifier_tags
    if VERSION >= (1, 8) or classes is None or classes.multi_class:
        return {}
    return {WEIGHTS: "the check draws two different targets"}
