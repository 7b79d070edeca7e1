"""The best features of every resample by a filter: each filter ranks each resample once, whoever asks.

With a folder the rankings stay there, so that a tuning that goes on, or one that is made again, does not rank anew.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import time
import zipfile
import zlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from steadyset._version import __version__
from steadyset.assessment.request import fingerprint
from steadyset.io import beneath
from steadyset.io.disk import explained
from steadyset.io.run_files import RANKINGS
from steadyset.kernels.arrays import Floats, Ints
from steadyset.resampling import Resample
from steadyset.runner.plan import Plan
from steadyset.runner.training import Training
from steadyset.selectors.filters import get_filter, top_features

# What numpy and zipfile raise of files that are none of theirs, among them RuntimeError of one that seems encrypted.
DAMAGE = (OSError, ValueError, TypeError, KeyError, EOFError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error)
HEADERS = 1 << 16  # bytes of a file beside its numbers, at most


class Rankings:
    """Rankings of the resamples of a plan, in memory and, with `folder`, on disk."""

    def __init__(
        self,
        plan: Plan,
        resamples: Sequence[Resample],
        n_jobs: int | None = None,
        *,
        room: int = 2,
        folder: Path | None = None,
        fill: bool = False,
    ) -> None:
        self.plan = plan
        self.room = room
        self.resamples = resamples
        self.weights = np.stack([resample.weights(len(plan.y)) for resample in resamples])
        self.n_jobs = n_jobs
        self.fill = fill
        self._store = None if folder is None else Store(folder, plan, self.weights.shape[0], fill=fill)
        self._known: dict[str, tuple[Ints, float]] = {}

    def best(self, name: str, k: int) -> Ints:
        """Resamples x k feature numbers, best first; -1 where no more of them score better than a constant column."""
        store = self._store if _is_own(name) else None
        if name not in self._known and store is not None:
            self._known |= store.read(name)
        if name not in self._known or self._known[name][0].shape[1] < k:
            self._known[name] = self._rank(name, k)
            if store is not None:
                store.write(name, *self._known[name])
        return self._known[name][0][:, :k]

    def seconds(self, name: str) -> float:
        """How long ranking one resample took."""
        return self._known[name][1]

    def _rank(self, name: str, k: int) -> tuple[Ints, float]:
        d = self.plan.X.shape[1]
        # A greedy filter pays for each feature, and a longer ranking begins with the shorter one: with room for more
        # than k few requests rank again. The others score all features anyway.
        size = min(d, self.room * k) if get_filter(name).greedy else d
        begin = time.perf_counter()
        if self.plan.impute is None or not len(self.plan.gaps):
            order = self._top(name, self.plan.X, self.weights, size)
        else:  # every resample fills the gaps in its own way
            training = (Training.of(self.plan, resample) for resample in self.resamples)
            parts = zip(training, self.weights, strict=True)
            order = np.vstack([self._top(name, part.all_rows(), weights[None, :], size) for part, weights in parts])
        return order, (time.perf_counter() - begin) / len(self.weights)

    def _top(self, name: str, X: Floats, weights: Floats, k: int) -> Ints:
        options: Any = {"random_state": self.plan.seed, "n_jobs": self.n_jobs, "task": self.plan.task}
        return top_features(name, X, self.plan.y, weights, k=k, fill=self.fill, **options)


def _is_ranking(row: Ints, d: int) -> bool:
    """Distinct numbers of features, then -1 in the places that are left."""
    features = row[: np.count_nonzero(row >= 0)]
    known = bool(np.all((features >= 0) & (features < d)) and np.all(row[len(features) :] == -1))
    return known and len(np.unique(features)) == len(features)


def _is_own(name: str) -> bool:
    """Whether a filter is steadyset's, which the version tells; that of somebody else may rank otherwise tomorrow."""
    score = get_filter(name).score
    function = score.func if isinstance(score, partial) else score
    return str(getattr(function, "__module__", "")).startswith("steadyset.")


class Store:
    """One file for each filter; its name says of which data and resamples, so that no other ranking is taken for it."""

    def __init__(self, folder: Path, plan: Plan, n_resamples: int, *, fill: bool = False) -> None:
        self.folder = folder
        self.shape = (n_resamples, plan.X.shape[1])
        self.identity: dict[str, Any] = {
            "version": __version__,
            "data": fingerprint(plan),
            "resampling": plan.resampling.identity(),
            "n_resamples": n_resamples,
            "impute": plan.impute,
            "task": plan.task,
            "seed": plan.seed,
            "fill": fill,
        }

    def read(self, name: str) -> dict[str, tuple[Ints, float]]:
        """The ranking by its filter; nothing where there is none, or one that is damaged: it is made again."""
        most = 4 * math.prod(self.shape) + HEADERS
        try:
            content = io.BytesIO(beneath.read(self.folder, self._name(name), most))
            if sum(part.file_size for part in zipfile.ZipFile(content).infolist()) > most:  # packed, it may be small
                return {}
            with np.load(content, allow_pickle=False) as file:
                order, seconds = file["order"], float(file["seconds"])
        except DAMAGE:
            return {}
        n_resamples, d = self.shape
        whole = order.ndim == 2 and order.shape[0] == n_resamples and order.dtype == np.int32
        if not whole or not all(_is_ranking(row, d) for row in order):
            return {}
        return {name: (order.astype(np.int64), seconds)}

    def write(self, name: str, order: Ints, seconds: float) -> None:
        content = io.BytesIO()
        np.savez(content, order=order.astype(np.int32), seconds=np.float64(seconds))
        with explained(self.folder, resumable=True):
            self.folder.mkdir(parents=True, exist_ok=True)
            beneath.make_folder(self.folder, RANKINGS)
            beneath.write(self.folder, self._name(name), content.getvalue())

    def _name(self, name: str) -> str:
        identity = json.dumps(self.identity | {"filter": name}, sort_keys=True, default=str)
        digest = hashlib.sha256(identity.encode("utf-8", "backslashreplace")).hexdigest()[:16]
        return f"{RANKINGS}/{re.sub(r'[^A-Za-z0-9_]', '_', name)[:40]}-{digest}.npz"
