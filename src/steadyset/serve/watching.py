"""Progress as it happens: a run folder is looked at while somebody listens, once for all listeners, and never else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Protocol

from steadyset.foundation.errors import InputError
from steadyset.serve.progress_seen import stamps
from steadyset.serve.shelf import Run, Shelf

EVERY = 0.25  # seconds between two looks
ALIVE = 15.0  # seconds after which a silent stream says that it is there


class Shows(Protocol):
    """Says what to show of a run, and whether it may still change; its revision changes when it would say more."""

    async def show(self, run: Run) -> tuple[str, bool]: ...

    def revision(self, name: str) -> int: ...


class Watches:
    """One watch for each run that somebody follows."""

    def __init__(self, shelf: Shelf, show: Shows) -> None:
        self.shelf, self.show = shelf, show
        self._watches: dict[str, Watch] = {}

    async def follow(self, run: Run) -> AsyncIterator[str]:
        """The states of a run as server-sent events until it has ended; slow readers miss some, never the last."""
        watch = self._watches.setdefault(run.name, Watch(self.shelf, run, self.show))
        watch.listeners += 1
        if watch.task is None:
            watch.task = asyncio.create_task(watch.look())
        seen = 0
        try:
            while True:
                if not await watch.changed(seen):
                    yield ": alive\n\n"
                    continue
                seen, over = watch.version, watch.over  # which may change while a slow reader takes the content
                yield event("progress", watch.content)
                if over:
                    yield event("ended", "")
                    return
        finally:
            watch.listeners -= 1
            if not watch.listeners:
                watch.task.cancel()
                if self._watches.get(run.name) is watch:
                    del self._watches[run.name]


class Watch:
    """Looks at one run folder."""

    def __init__(self, shelf: Shelf, run: Run, show: Shows) -> None:
        self.shelf, self.run, self.show = shelf, run, show
        self.content, self.version, self.over = "", 0, False
        self.listeners = 0
        self.task: asyncio.Task[None] | None = None
        self._told = asyncio.Condition()

    async def changed(self, seen: int) -> bool:
        """Wait for another state than the one that was seen; False after a while without any."""
        with suppress(TimeoutError):
            async with asyncio.timeout(ALIVE), self._told:
                await self._told.wait_for(lambda: self.version != seen)
                return True
        return False

    async def look(self) -> None:
        before: tuple[int, ...] | None = None
        while not self.over:
            now = (self.show.revision(self.run.name), *stamps(self.run.path))
            content, lives = self.content, True
            if now != before:
                content, lives = await self._shown()
            before = now
            if not lives or content != self.content:
                async with self._told:
                    self.content, self.over = content, not lives
                    self.version += 1
                    self._told.notify_all()
            await asyncio.sleep(EVERY)

    async def _shown(self) -> tuple[str, bool]:
        try:
            return await self.show.show(self.shelf.run(self.run.name))
        except InputError:  # it was renamed or deleted
            return "", False


def event(name: str, content: str) -> str:
    """A server-sent event; each line of its content is a line of data."""
    lines = "".join(f"data: {line}\n" for line in content.splitlines() or [""])
    return f"event: {name}\n{lines}\n"
