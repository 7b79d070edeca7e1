"""scikit-learn's own checks of an estimator, and those that fail for reasons of their own."""

from benchmarks.peers import VERSION
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

WEIGHTS = "check_sample_weight_equivalence_on_dense_data"


def complaints(estimator, expected=None):
    """What scikit-learn has against an estimator: the check and what it raised; an expected failure must fail."""
    expected = known_to_fail(estimator) if expected is None else expected
    checks = check_estimator(estimator, on_skip=None, on_fail=None, expected_failed_checks=expected)
    assert len(checks) > 30
    wrong = [check for check in checks if check["status"] == ("passed" if check["expected_to_fail"] else "failed")]
    return [f"{check['check_name']}: {check['exception'] or 'passed, against what was expected'}" for check in wrong]


def known_to_fail(estimator):
    """What check_estimator may not hold against an estimator, with the reason.

    Before 1.8 the check of weights calls the first row's class one class and all others the other, for the weighted and
    the repeated rows separately, after it shuffled one of them: an estimator for two classes gets different targets.
    """
    classes = get_tags(estimator).classifier_tags
    if VERSION >= (1, 8) or classes is None or classes.multi_class:
        return {}
    return {WEIGHTS: "the check draws two different targets"}
