"""Values that are kept once they are computed, never more than a fixed number of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

Value = TypeVar("Value")


class Remembered:
    """Values by key; the one that was asked for longest ago goes when there are too many."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, compute: Callable[[], Value]) -> Value:
        """The value of a key, computed when it is not there."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]  # type: ignore[return-value]
        value = compute()
        self.put(key, value)
        return value

    def put(self, key: Hashable, value: object) -> None:
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)

    def peek(self, key: Hashable) -> Any:
        """The value of a key, None when it is not there."""
        return self._values.get(key)

    def __len__(self) -> int:
        return len(self._values)
