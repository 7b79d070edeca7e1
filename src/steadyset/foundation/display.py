"""How results show themselves, and long computations how far they are: in notebooks as HTML, and as text.

HTML takes its colours from the page around it. Results draw and show themselves without knowing pictures or findings,
which are made of results and so further up: they hand themselves to whoever does (`from_above`).
"""

from __future__ import annotations

import importlib
import math
import re
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from html import escape
from pathlib import Path
from textwrap import shorten
from typing import Any

from steadyset.foundation.pace import Pace, Stage, roughly
from steadyset.foundation.text import counted, lasting, number, shown_name


def from_above(module: str, function: str) -> Any:
    """A function of a module of steadyset that knows results, and so lies further up: it is found by its name."""
    return getattr(importlib.import_module(f"steadyset.{module}"), function)


def drawn(result: Any, name: str | None = None, **options: Any) -> Any:
    """The picture of a result; `name` is one of `st.plot`, None the picture that is made for results of its kind."""
    return from_above("plots", "picture_of")(result, name, **options)


class Drawable:
    """A result with a picture."""

    def plot(self, name: str | None = None, **options: Any) -> Any:
        """The picture of this result.

        Parameters
        ----------
        name : str or None, default=None
            A picture of `st.plot`; `st.plot.list_pictures()` shows them. None is the one that is made for such results.
        **options : Any
            Options of the picture. Where it shows the runs of one selector, `selector` names it.

        Returns
        -------
        Picture
            The frame that it shows (`data`) and its drawing, which `save` writes.

        Raises
        ------
        InputError
            Where no picture has this name, or it cannot show such a result.
        """
        return drawn(self, name, **options)


MOST_ROWS = 10
WIDTH = 80  # columns of a terminal, which printed results keep to
MAX_SCREEN = 30  # lines of a result whose name is evaluated; print shows all of them
MAX_LETTERS_OF_FIELD = 60
SHELL_WORD = re.compile(r"""(?:'[^']*'|"[^"]*"|\S)+""")
CONTINUED = " \\"
GAP, LEAST_WORDS = 2, 10  # letters between columns, and in one that goes over several lines
MOST_LETTERS, MOST_LETTERS_OF_WORDS = 200, 2_000  # of a name, which comes from a stranger, and of sentences
# Lines and tracks are half transparent and the blue is of middle lightness: both are seen on white and on black.
# The class is written twice so that the rules of notebooks for all tables are overruled.
STYLE = """
<style>
.steadyset.steadyset { display: inline-block; max-width: 100%; box-sizing: border-box; overflow-x: auto; color: inherit;
  padding: .6em .9em; border: 1px solid rgba(128, 128, 128, .4); border-radius: 6px; line-height: 1.4;
  font-variant-numeric: tabular-nums; }
.steadyset.steadyset p { margin: 0; max-width: 60em; }
.steadyset.steadyset .quiet { opacity: .75; font-size: .92em; }
.steadyset.steadyset table { margin: .4em 0; border: 0; border-collapse: collapse; font-size: .95em; }
.steadyset.steadyset table thead th { opacity: .75; font-weight: normal;
  border-bottom: 1px solid rgba(128, 128, 128, .4); }
.steadyset.steadyset table tbody tr, .steadyset.steadyset table tbody tr:hover { background: none; color: inherit; }
.steadyset.steadyset table tr > * { padding: .15em 1.2em .15em 0; border-width: 0; text-align: left;
  vertical-align: top; max-width: 30em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.steadyset.steadyset table tr > .figure { text-align: right; }
.steadyset.steadyset table tr > .words { white-space: normal; }
.steadyset.steadyset ul { margin: 0; padding-left: 1.2em; }
.steadyset.steadyset .track { display: inline-block; position: relative; width: 8em; height: .7em; border-radius: 2px;
  background: rgba(128, 128, 128, .25); }
.steadyset.steadyset .track i { position: absolute; top: 0; bottom: 0; min-width: 2px; border-radius: 2px;
  background: #2a8fbd; }
.steadyset.steadyset .track .mark { background: currentColor; }
.steadyset.steadyset .track .range { opacity: .5; }
</style>
"""


@dataclass(frozen=True)
class Bar:
    """A number as a bar from 0, or as a mark within its interval."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def numbers(self) -> list[float]:
        """What has to be on the scale."""
        given = (self.value, self.low, self.high)
        return [one for one in given if one is not None and math.isfinite(one)]


@dataclass(frozen=True)
class Words:
    """A sentence in a cell, which goes over several lines where it has to; other texts stay on one."""

    text: str


@dataclass(frozen=True)
class Figure:
    """A number that is written in its own way."""

    text: str


@dataclass(frozen=True)
class Table:
    """A table: cells are texts, Words, whole numbers, other numbers (with three decimals), Figures or Bars.

    Undefined numbers are shown as a dash.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[Any]]
    title: str = ""
    more: str = ""  # what is left out

    @classmethod
    def of(
        cls, rows: Sequence[Mapping[str, Any]], title: str = "", *, most: int | None = None, noun: str = ""
    ) -> Table:
        """Rows that share their keys; those beyond `most` are counted."""
        first = rows[:most]
        left = len(rows) - len(first)
        header = tuple(rows[0]) if rows else ()
        more = f"{counted(left, f'more {noun}')}." if left else ""
        return cls(header, [tuple(row.values()) for row in first], title, more)


@dataclass(frozen=True)
class Display:
    """What is shown of a result, printed and in a notebook alike.

    What it is, the answer in sentences, tables, what to know of their columns, and titled lists of sentences.
    """

    kind: str
    summary: str = ""
    answer: Sequence[str] = ()
    tables: Sequence[Table] = ()
    notes: Sequence[str] = ()
    sections: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def html(self) -> str:
        """For a notebook. Every text is escaped here, and nowhere else."""
        parts = [f"<p><b>{escape(self.kind)}</b> {_text(self.summary, MOST_LETTERS_OF_WORDS)}</p>"]
        parts += [f"<p>{_text(sentence, MOST_LETTERS_OF_WORDS)}</p>" for sentence in self.answer]
        for table in self.tables:
            if table.rows:
                parts += [f'<p class="quiet">{_text(table.title)}</p>'] if table.title else []
                parts.append(_html_table(table))
            parts += [_quiet(table.more)] if table.more else []
        parts += [_quiet(note) for note in self.notes if note]
        for title, lines in self.sections.items():
            if lines:
                items = "".join(f"<li>{_text(line, MOST_LETTERS_OF_WORDS)}</li>" for line in lines)
                parts.append(f'<div class="quiet">{_text(title)}<ul>{items}</ul></div>')
        return framed("".join(parts))

    def text(self, width: int = WIDTH) -> str:
        """For a terminal of so many columns; nothing is cut."""
        parts = [_wrapped(f"{self.kind}: {self.summary}" if self.summary else self.kind, width)]
        parts += ["\n".join(_wrapped(sentence, width) for sentence in self.answer)] if self.answer else []
        for table in self.tables:
            lines = [_wrapped(table.title, width)] if table.title and table.rows else []
            lines += [text_table(table, width)] if table.rows else []
            lines += [_wrapped(table.more, width)] if table.more else []
            parts += ["\n".join(lines)] if lines else []
        parts += ["\n".join(_wrapped(note, width) for note in self.notes if note)] if any(self.notes) else []
        for title, said in self.sections.items():
            if said:
                parts.append(
                    "\n".join(
                        [title if title.endswith("?") else f"{title}:", *(_wrapped(line, width, "  ") for line in said)]
                    )
                )
        return "\n\n".join(parts)


def remaining(shown: Display, full: Display) -> Display:
    """Return what a display adds to an earlier one of the same result, for people who have read the earlier one.

    Of a table with the same rows and more columns, the first column and the new ones are shown.
    """
    before = {table.title: table for table in shown.tables}
    tables = [_added_columns(before[table.title], table) if table.title in before else table for table in full.tables]
    sections = {
        title: [line for line in lines if line not in shown.sections.get(title, ())]
        for title, lines in full.sections.items()
    }
    return Display(
        full.kind,
        full.summary,
        [sentence for sentence in full.answer if sentence not in shown.answer],
        [table for table in tables if table.rows],
        [note for note in full.notes if note not in shown.notes],
        {title: lines for title, lines in sections.items() if lines},
    )


def _added_columns(before: Table, table: Table) -> Table:
    """Return the first column of a table and its new ones; no row if there are none, all of it if the rows differ."""
    if [row[0] for row in before.rows] != [row[0] for row in table.rows]:
        return table
    new = [place for place, title in enumerate(table.header) if title not in before.header]
    if not new:
        return Table(table.header, (), table.title)
    kept = (0, *new)
    rows = [[row[place] for place in kept] for row in table.rows]
    return Table([table.header[place] for place in kept], rows, table.title, table.more)


class Command(str):
    """Words and a command line: where it is wrapped, a backslash lets a shell read on."""

    __slots__ = ()


class Shown:
    """A result that shows itself: `_display` says what is shown.

    `print` shows everything. A terminal that evaluates the name of a result, and the text of a notebook, show no more
    than a screen of it.
    """

    def _display(self) -> Display:
        raise NotImplementedError

    def __str__(self) -> str:
        return self._display().text()

    def __repr__(self) -> str:
        return first_screen(str(self))

    def _repr_html_(self) -> str:
        return self._display().html()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show the beginning of the text in a terminal of IPython, and as the text of a notebook."""
        printer.text(type(self).__name__ if cycle else first_screen(str(self)))


def first_screen(text: str) -> str:
    """Return a text of at most MAX_SCREEN lines: the beginning of a longer one, and how to see all of it."""
    lines = text.splitlines()
    if len(lines) <= MAX_SCREEN:
        return text
    kept = lines[: MAX_SCREEN - 2]
    # The last paragraph is left out if little is lost by it, so that no table ends in the middle.
    if "" in kept[MAX_SCREEN // 2 :]:
        kept = kept[: len(kept) - 1 - kept[::-1].index("")]
    return "\n".join([*kept, "", f"print(...) shows all {len(lines)} lines."])


class Record:
    """A record of arrays and names: `repr` shows their sizes, and `print` the fields themselves.

    For dataclasses with repr=False.
    """

    def __repr__(self) -> str:
        return in_brief(type(self).__name__, _shown_fields(self))

    def __str__(self) -> str:
        values = [f"{name}={value!r}" for name, value in _shown_fields(self).items()]
        return f"{type(self).__name__}({', '.join(values)})"


def in_brief(kind: str, values: Mapping[str, Any]) -> str:
    """Return a record as one line: small fields as they are, of arrays, frames and long lists their sizes."""
    return f"{kind}({', '.join(f'{name}={_brief_value(value)}' for name, value in values.items())})"


def _shown_fields(record: Any) -> dict[str, Any]:
    return {one.name: getattr(record, one.name) for one in fields(record) if one.repr}


def _brief_value(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if shape:
        return f"<{type(value).__name__} of {' x '.join(map(str, shape))}>"
    text = repr(value)
    if len(text) <= MAX_LETTERS_OF_FIELD and "\n" not in text:
        return text
    if isinstance(value, Sized) and not isinstance(value, str):
        return f"<{type(value).__name__} of {len(value)}>"
    return shorten(text, MAX_LETTERS_OF_FIELD, placeholder=" ...")


class ShownFindings(Shown):
    """A result that is shown as its findings."""

    def _display(self) -> Display:
        found = from_above("findings", "findings_of")(self)
        display: Display = from_above("findings.sections", "display_of")(found, type(self).__name__)
        return display


class Reportable:
    """A result that has a report of its own."""

    def report(self, path: str | Path, **options: Any) -> Path:
        """Write the report: `steadyset.report` of this result.

        Parameters
        ----------
        path : str or Path
            The file to write, whose ending (.html, .pdf, .docx, .md or .json) says what it is; or the folder.
        **options : Any
            Options of `steadyset.report`.

        Returns
        -------
        Path
            What was written.
        """
        written: Path = from_above("reports", "report")(self, path, **options)
        return written


def text_table(table: Table, width: int) -> str:
    """A table as text. Where there is no room cells go over several lines: Words, then names, then all."""
    from rich.box import Box
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    columns = [column for column in zip(*table.rows, strict=True) if not any(isinstance(cell, Bar) for cell in column)]
    header = [title for title, cell in zip(table.header, table.rows[0], strict=True) if not isinstance(cell, Bar)]
    texts = [[title, *map(_plain, column)] for title, column in zip(header, columns, strict=True)]
    widths = [max(map(cell_len, column)) for column in texts]
    words = {i for i, column in enumerate(columns) if any(isinstance(cell, Words) for cell in column)}
    for wrapping in (words, words | {0}, set(range(len(columns)))):
        rest = [wide for i, wide in enumerate(widths) if i not in wrapping]
        if sum(rest) + LEAST_WORDS * len(wrapping) + GAP * (len(columns) - 1) <= width:
            break
    rule = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
    drawn = RichTable(box=rule, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    for i, column in enumerate(texts):
        drawn.add_column(
            Text(column[0]),
            justify="right" if all(map(_is_figure, columns[i])) else "left",
            no_wrap=i not in wrapping,
            min_width=None if i in wrapping else widths[i],
            overflow="fold",
        )
    for row in zip(*(column[1:] for column in texts), strict=True):
        drawn.add_row(*map(Text, row))  # not markup: feature and file names are data from strangers
    # The box begins with a space, which is taken away.
    console = Console(width=width + 1, color_system=None, force_terminal=False, legacy_windows=False)
    with console.capture() as captured:
        console.print(drawn)
    lines = [line.rstrip().removeprefix(" ") for line in captured.get().splitlines()]
    return "\n".join(line for line in lines if line)


def _wrapped(text: str, width: int, before: str = "") -> str:
    if isinstance(text, Command):
        return _continued(text, width, before)
    said = _short(text, MOST_LETTERS_OF_WORDS)
    return textwrap.fill(said, width, initial_indent=before, subsequent_indent=before, break_on_hyphens=False)


def _continued(text: str, width: int, before: str) -> str:
    """Wrap a command between its words, never within quotes, so that its lines can be pasted together."""
    lines = [before]
    for word in SHELL_WORD.findall(text):
        filled = f"{lines[-1]}{word}" if lines[-1] == before else f"{lines[-1]} {word}"
        if len(filled) <= width - len(CONTINUED) or lines[-1] == before:
            lines[-1] = filled
        else:
            lines.append(before + word)
    return f"{CONTINUED}\n".join(lines)


def _html_table(table: Table) -> str:
    columns = list(zip(*table.rows, strict=True))
    scales = [_scale(column) for column in columns]
    figures = [all(_is_figure(cell) for cell in column) for column in columns]
    titles = "".join(
        f'<th scope="col"{" class=figure" if figure else ""}>{_text(title)}</th>'
        for title, figure in zip(table.header, figures, strict=True)
    )
    body = "".join(f"<tr>{''.join(map(_cell, row, scales))}</tr>" for row in table.rows)
    return f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def _quiet(text: str) -> str:
    return f'<p class="quiet">{_text(text, MOST_LETTERS_OF_WORDS)}</p>'


def framed(inner: str) -> str:
    """HTML in the look that all results share; formulas in it are not typeset, since a name may look like one."""
    return f'<div class="steadyset tex2jax_ignore mathjax_ignore">{STYLE}{inner}</div>'


def track(
    value: float, low: float | None = None, high: float | None = None, scale: tuple[float, float] = (0, 1)
) -> str:
    """A bar from 0 to a value, or an interval with a mark at the value."""
    start, end = scale

    def place(one: float) -> float:
        return 100 * (one - start) / (end - start)

    if not math.isfinite(value):
        return ""
    marks = f'<i style="left:{place(min(value, 0)):.1f}%;width:{abs(place(value) - place(0)):.1f}%"></i>'
    if low is not None and high is not None and math.isfinite(low) and math.isfinite(high):
        width = place(high) - place(low)
        # The mark is 2 pixels wide: at the right end it stands within the track.
        marks = (
            f'<i class="range" style="left:{place(low):.1f}%;width:{width:.1f}%"></i>'
            f'<i class="mark" style="left:min({place(value):.1f}%, 100% - 2px);width:2px"></i>'
        )
    return f'<span class="track" aria-hidden="true">{marks}</span>'


def _cell(cell: Any, scale: tuple[float, float]) -> str:
    if isinstance(cell, Bar):
        return f"<td>{track(cell.value, cell.low, cell.high, scale)}</td>"
    if isinstance(cell, Words):
        return f'<td class="words">{_text(cell.text, MOST_LETTERS_OF_WORDS)}</td>'
    if _is_figure(cell):
        text = _escaped(cell.text, MOST_LETTERS) if isinstance(cell, Figure) else _plain(cell)
        return f'<td class="figure">{text}</td>'
    return f'<td title="{_escaped(str(cell), MOST_LETTERS)}">{_text(str(cell))}</td>'


def _is_figure(cell: Any) -> bool:
    return isinstance(cell, int | float | Figure)


def _plain(cell: Any) -> str:
    if isinstance(cell, Words):
        return _short(cell.text, MOST_LETTERS_OF_WORDS)
    if isinstance(cell, Figure | bool | str):
        return _short(cell.text if isinstance(cell, Figure) else str(cell), MOST_LETTERS)
    return f"{cell:,}" if isinstance(cell, int) else number(cell, 3)


def _scale(column: Sequence[Any]) -> tuple[float, float]:
    """From 0 to 1, wider where a value is beyond."""
    values = [one for cell in column if isinstance(cell, Bar) for one in cell.numbers]
    return min(0.0, *values, 0.0), max(1.0, *values, 1.0)


def _text(text: str, most: int = MOST_LETTERS) -> str:
    """A text with a direction of its own: one from right to left turns nothing else."""
    return f"<bdi>{_escaped(text, most)}</bdi>"


def _escaped(text: str, most: int) -> str:
    return escape(_short(text, most))


def _short(text: str, most: int) -> str:
    shown = shown_name(text[:most])
    return shown if len(text) <= most else f"{shown}…"


# ---- how far a long computation is -----------------------------------------------------------------------------------

Tell = Callable[[int, int], None]  # is told the numbers of what is finished and of all
Progress = bool | Tell | None
COMPILING = "Compiling the kernels, once; this takes 10 to 30 s."
EVERY = 0.2  # seconds between two states in a notebook, each of which is a message to the browser


def check_progress(progress: Progress) -> None:
    """Refuse what is neither an answer nor a function of (done, total)."""
    from steadyset.foundation.arguments import check_function  # with numpy, which `import steadyset` does without

    check_function("progress", progress, "done", "total", or_flag=True)


@contextmanager
def progress_told(progress: Progress, what: str) -> Iterator[Tell | None]:
    """What is to be told how many `what` are finished; None where nobody looks.

    A function is the caller's own. None shows a bar in a notebook and in a terminal, and nothing where standard error
    goes to a file or a pipe; True shows one there too, at the end; False never shows any.
    """
    if callable(progress):
        yield progress
    elif progress is not None and not progress:
        yield None
    elif _in_notebook():
        yield NotebookBar(what)
    elif progress or sys.stderr.isatty():
        with _terminal_bar(what) as tell:
            yield tell
    else:
        yield None


def people_look() -> bool:
    """Whether what goes to standard error is seen at once: in a notebook or a terminal."""
    return _in_notebook() or sys.stderr.isatty()


class Telling:
    """Show how far a computation is, and about how long it still takes."""

    def __init__(self, what: str) -> None:
        self.pace = Pace(what)
        self._begin = time.monotonic()

    def expect(self, stages: Sequence[Stage]) -> None:
        """Set the stages of the work, and show how long all of it will take."""
        self.pace.expect(stages)
        self._show(is_new=True)

    def __call__(self, done: int, total: int) -> None:
        """Show that so many pieces of the present stage are finished."""
        before = self.pace.what
        self.pace.note(done, total)
        self._show(is_new=self.pace.what != before)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Leave the place to what is printed within the block."""
        yield

    def _show(self, *, is_new: bool) -> None:
        raise NotImplementedError


def telling(progress: Progress) -> Telling | None:
    """Return what shows progress, also if a function of our own calls it; None for a function of the user."""
    shown = getattr(progress, "__wrapped__", progress)
    return shown if isinstance(shown, Telling) else None


class TerminalBar(Telling):
    """A bar on standard error with the time left; it vanishes from a terminal and stays in a file."""

    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as RichProgress

        super().__init__(what)
        console = Console(stderr=True, force_jupyter=False)
        text = TextColumn("{task.description}")
        columns = (text, BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[left]}"))
        self.bar = RichProgress(*columns, console=console, transient=console.is_terminal)
        self._task = self.bar.add_task(what, total=None, left="")

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the bar away within the block."""
        self.bar.stop()
        try:
            yield
        finally:
            self.bar.start()

    def _show(self, *, is_new: bool) -> None:
        pace = self.pace
        left = pace.left()
        self.bar.update(
            self._task,
            description=pace.what,
            completed=pace.done,
            total=pace.total or None,
            left="" if left is None or pace.is_over else f"about {roughly(left)} left",
        )


@contextmanager
def _terminal_bar(what: str) -> Iterator[Tell]:
    """Show a bar within the block."""
    shown = TerminalBar(what)
    with shown.bar:
        yield shown


class ProgressLines(Telling):
    """A line on standard error every half minute, for output that goes to a file or through a pipe.

    The first line comes as soon as the time of the whole is known, however roughly. Work of a few seconds has no line:
    whoever reads a log has not waited for it.
    """

    SHORT = 10.0  # seconds

    def __init__(self, what: str, every: float = 30.0) -> None:
        super().__init__(what)
        self._every = every
        self._told_at: float | None = None

    def _show(self, *, is_new: bool) -> None:
        pace = self.pace
        now = time.monotonic()
        if self._told_at is not None and not is_new and now - self._told_at < self._every:
            return
        left = pace.left()
        if self._told_at is None:
            if left is None or now - self._begin + left < self.SHORT:
                return
            line = f"This takes about {roughly(now - self._begin + left)}."
        else:
            line = f"{pace.done} of {pace.total} {pace.what} after {lasting(now - self._begin)}"
            if left is not None and not pace.is_over:
                line += f", about {roughly(left)} left"
        self._told_at = now
        print(line, file=sys.stderr, flush=True)


class NotebookBar(Telling):
    """A bar below the cell of a notebook, in HTML: it needs no widgets, and a saved notebook keeps its last state."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self._shown_at = self._begin
        self._place: Any = None

    def _show(self, *, is_new: bool) -> None:
        now = time.monotonic()
        if self._place is not None and not self.pace.is_over and not is_new and now - self._shown_at < EVERY:
            return
        self._shown_at = now
        self._show_html(self._html(now - self._begin))

    def _html(self, seconds: float) -> str:
        pace = self.pace
        left = pace.left()
        time_left = "" if left is None else f", about {roughly(left)} left"
        if pace.is_over:
            time_left = f", {lasting(seconds)}"
        words = f"{pace.done} of {counted(pace.total, pace.what.removesuffix('s'))}{time_left}"
        share = pace.done / pace.total if pace.total else 1.0
        return framed(f'<p role="status">{track(share)} {words}</p>')

    def _show_html(self, html: str) -> None:
        from IPython.display import HTML, display

        if self._place is None:
            self._place = display(HTML(html), display_id=True)
        else:
            self._place.update(HTML(html))


def _in_notebook() -> bool:
    """Whether the code runs in a kernel, whose front end shows HTML; IPython in a terminal is a terminal."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return getattr(shell, "kernel", None) is not None
