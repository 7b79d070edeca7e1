"""Every table and figure of the papers again: the published numbers beside ours, and what that decides.

A paper is one file that registers a function per table or figure (`item`), and one JSON file of what is printed
(`steadyset.reproduction.published_numbers`).
"""

from steadyset.reproduction.data_sets import DataFolder, DataSet, data_folder
from steadyset.reproduction.items import (
    Item,
    all_items,
    all_papers,
    chosen_items,
    item,
    register_paper,
    unregister_paper,
)
from steadyset.reproduction.performing import Result, reproduce_item
from steadyset.reproduction.published_numbers import Cell, Claim, PublishedItem
from steadyset.reproduction.run import Run
from steadyset.reproduction.verdicts import Row, Verdict

__all__ = [
    "Cell",
    "Claim",
    "DataFolder",
    "DataSet",
    "Item",
    "PublishedItem",
    "Result",
    "Row",
    "Run",
    "Verdict",
    "all_items",
    "all_papers",
    "chosen_items",
    "data_folder",
    "item",
    "register_paper",
    "reproduce_item",
    "unregister_paper",
]
