"""A selector of scikit-learn's kind, in a module of its own, so that worker processes can import it."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin


class Selector(SelectorMixin, BaseEstimator):
    """Keeps the columns that `support_` says."""

    def fit(self, X, y=None):
        self.n_features_in_ = X.shape[1]
        self.support_ = np.arange(X.shape[1]) < 2
        return self

    def _get_support_mask(self):
        return self.support_
