"""How similar the features are to each other: what makes two selections alike that choose stand-ins."""

from steadyset.similarity.features import FeatureSimilarity
from steadyset.similarity.store import Neighbours

__all__ = ["FeatureSimilarity", "Neighbours"]
