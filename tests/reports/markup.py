"""What tests look for in a page: its text without scripts, the contrast of two colours."""

import re

import numpy as np


def without_scripts(page):
    """The page without the data and the scripts that it ships; none of them ends early."""
    assert page.count("<script") == page.count("</script>") == (4 if 'id="drawings"' in page else 2)
    return re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)


def contrast(one, other):
    """The ratio of WCAG 2: that of the relative luminances."""

    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
