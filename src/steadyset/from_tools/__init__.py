"""What other tools have fitted or computed, one model or array per fold, as Selections; no tool is imported for it."""

from steadyset.from_tools.fitted import from_cross_validate, from_fitted, from_rfecv
from steadyset.from_tools.given_importances import from_importances

__all__ = ["from_cross_validate", "from_fitted", "from_importances", "from_rfecv"]
