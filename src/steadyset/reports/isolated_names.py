"""Names that are written from right to left, set apart from the sentence around them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from markupsafe import Markup, escape

from steadyset.foundation.text import shown_name

# The blocks of Hebrew, Arabic, Syriac, Thaana, N'Ko and others, with the forms of presentation.
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
MOST = 2_000  # names that are looked for


def isolating(names: Iterable[str]) -> Callable[[str], Markup]:
    """A function that escapes a text and puts each such name in it into a <bdi> element.

    Without that, a comma or a number between two of them belongs to the name before, and a list reads backwards.
    """
    written = dict.fromkeys(shown_name(name) for name in names if RIGHT_TO_LEFT.search(name))
    longest_first = sorted([*written][:MOST], key=len, reverse=True)
    if not longest_first:
        return lambda text: escape(shown_name(text))
    pattern = re.compile(f"({'|'.join(map(re.escape, longest_first))})")

    def isolated(text: str) -> Markup:
        pieces = pattern.split(shown_name(text))
        marked = (Markup("<bdi>{}</bdi>").format(one) if place % 2 else escape(one) for place, one in enumerate(pieces))
        return Markup("").join(marked)

    return isolated
