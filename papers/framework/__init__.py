"""Every table and figure of the papers again: the published numbers beside ours, and what that decides.

A paper is one file that registers a function per table or figure (`item`), and one JSON file of what is printed
(`papers.framework.published_numbers`).
"""

from papers.framework.data_sets import DataFolder, DataSet, MissingDataError, data_folder
from papers.framework.items import (
    Item,
    all_items,
    all_papers,
    chosen_items,
    item,
    load_paper,
    register_paper,
    unregister_paper,
)
from papers.framework.performing import Result, reproduce_item
from papers.framework.published_numbers import Cell, Claim, PublishedItem
from papers.framework.run import TENTH, Run
from papers.framework.verdicts import Row, Verdict

__all__ = [
    "TENTH",
    "Cell",
    "Claim",
    "DataFolder",
    "DataSet",
    "Item",
    "MissingDataError",
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
    "load_paper",
    "register_paper",
    "reproduce_item",
    "unregister_paper",
]
