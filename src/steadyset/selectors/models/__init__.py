"""Selectors by models: forests, boosting, the best subset, groups, recursive elimination."""

from steadyset.selectors.known import MODELS

MODELS.import_own(__name__, __path__)
