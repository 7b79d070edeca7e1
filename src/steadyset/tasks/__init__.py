"""What a target asks for: one file per task, which adds its record."""

from steadyset.tasks.classes import CLASSES, is_unbalanced, refuse_identifiers
from steadyset.tasks.number import NUMBER
from steadyset.tasks.record import MAX_CLASSES, TASKS, Task, check_columns, has_fractions, task_of

__all__ = [
    "CLASSES",
    "MAX_CLASSES",
    "NUMBER",
    "TASKS",
    "Task",
    "check_columns",
    "has_fractions",
    "is_unbalanced",
    "refuse_identifiers",
    "task_of",
]

TASKS.import_own(__name__, __path__)
