"""What a target asks for: one file per task, which adds its record."""

from steadyset.tasks.classes import CLASSES, is_unbalanced, refuse_identifiers
from steadyset.tasks.count import COUNT
from steadyset.tasks.number import NUMBER
from steadyset.tasks.record import (
    MAX_CLASSES,
    TASKS,
    Task,
    check_columns,
    columns_of,
    has_fractions,
    read_columns,
    task_of,
)
from steadyset.tasks.survival import SURVIVAL, Survival

__all__ = [
    "CLASSES",
    "COUNT",
    "MAX_CLASSES",
    "NUMBER",
    "SURVIVAL",
    "TASKS",
    "Survival",
    "Task",
    "check_columns",
    "columns_of",
    "has_fractions",
    "is_unbalanced",
    "read_columns",
    "refuse_identifiers",
    "task_of",
]

TASKS.import_own(__name__, __path__)
