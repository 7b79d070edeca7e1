"""How the site is built: `make docs` writes it to site/, without the network."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_origin

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "src")]

import numpy as np  # noqa: E402

from steadyset._version import __version__  # noqa: E402
from steadyset.kernels import arrays  # noqa: E402

project = "steadyset"
author = "The steadyset developers"
copyright = author
version = release = __version__

extensions = [
    "myst_parser",
    "numpydoc",
    "reference_pages",
    "sphinx.ext.autodoc",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns: list[str] = []
nitpicky = True

smartquotes = False  # --options stay as they are typed
default_role = "literal"
autodoc_type_aliases = {name: "np.ndarray" for name, kind in vars(arrays).items() if get_origin(kind) is np.ndarray}
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 88
numpydoc_show_class_members = False

myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4

html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = project
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_search_scorer = str(
    HERE / "search_order.js"
)  # pages that show how to do something before those that list what there is
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# Pages that have nothing below them need no list of their section.
ALONE = ("start", "which-measure", "gallery/README", "extending", "performance", "decisions", "reproduction")
html_sidebars: dict[str, list[str]] = {page: [] for page in (*ALONE, "contributing", "changelog")}
html_theme_options = {
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "collapse_navigation": True,  # each page lists the entries around it, not all of the reference
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
