"""What a reader of recorded selections was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from steadyset.foundation.arguments import check_choice, check_flag, check_integer, wrong_argument
from steadyset.foundation.errors import Argument, InputError
from steadyset.io.limits import MAX_GB

WIDE, LONG, COLUMNS, ROWS = "wide", "long", "columns", "rows"
GMT, GMX, RANKS, IMPORTANCES = "gmt", "gmx", "ranks", "importances"
CARET, GLMNET, MLR3FSELECT, BORUTA = "caret", "glmnet", "mlr3fselect", "boruta"
R_LAYOUTS = (CARET, GLMNET, MLR3FSELECT, BORUTA)
READ_LAYOUTS = (WIDE, LONG, COLUMNS, ROWS, GMT, GMX, RANKS, IMPORTANCES, *R_LAYOUTS)
LISTS = (COLUMNS, ROWS, GMT, GMX)


@dataclass(frozen=True)
class Reading:
    """The arguments of Selections.read; what is None is recognised, or refused where it cannot be."""

    features: Sequence[str] | None = None
    n_features: int | None = None
    layout: str | None = None
    top: int | None = None
    transpose: bool | None = None
    header: bool | None = None
    runs: str | None = None
    sheet: str | int | None = None
    max_gb: float = MAX_GB

    def __post_init__(self) -> None:
        check_choice("layout", self.layout, READ_LAYOUTS, or_none=True)
        check_flag("transpose", self.transpose, or_none=True)
        check_flag("header", self.header, or_none=True)
        if self.top is not None:
            check_integer("top", self.top, least=1)
        if self.runs is not None and not isinstance(self.runs, str):
            raise wrong_argument("runs", "the name of a column", self.runs)
        if isinstance(self.sheet, bool) or not isinstance(self.sheet, str | int | None):
            raise wrong_argument("sheet", "the name of a sheet, or its number from 1", self.sheet)
        if self.runs is not None and self.layout not in (None, LONG):
            raise InputError(
                Argument("runs", ...), " names a column of the long layout; ", Argument("layout"), " is another one."
            )

    @property
    def declared(self) -> bool:
        """Whether somebody said what there was to choose from."""
        return self.features is not None or self.n_features is not None
