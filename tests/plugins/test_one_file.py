"""What is added to steadyset itself is one file: no list elsewhere names it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import steadyset

FILES = {
    "selectors/filters/spreads.py": """
import numpy as np
from steadyset.selectors.filters.registry import Filter, register_filter
register_filter(Filter(name="spreads", score=lambda X, y: np.ptp(X, axis=0), weights=False, reference=""))
""",
    "selectors/best.py": """
from sklearn.feature_selection import SelectKBest
from steadyset.selectors.known import register_selector
register_selector("best", SelectKBest)
""",
    "selectors/ensembles/lenient.py": """
from steadyset.selectors.ensembles.bounds import BoundRule
from steadyset.selectors.ensembles.rules import own_rules
own_rules(BoundRule("lenient", lambda q, threshold, d, n_pairs: q / threshold, lowest=0.0))
""",
    "resampling/thirds.py": """
from steadyset.resampling.by_name import register_resampling
from steadyset.resampling.drawn import Subsample
class Thirds(Subsample):
    pass
register_resampling("thirds", Thirds)
""",
    "plots/dots.py": """
from steadyset.plots.catalogue import register_picture
register_picture("dots", lambda findings: None, title="Dots")
""",
}
ASKED = """
import importlib.metadata
search, importlib.metadata.entry_points = importlib.metadata.entry_points, None  # importing searches no packages
import steadyset as st
from steadyset.resampling import resampling_by_name
from steadyset.selectors.names import selector_by_name
importlib.metadata.entry_points = search
print(st.FilterSelector("spreads").name, type(selector_by_name("best:k=3", "classes")).__name__)
print(selector_by_name("spreads:k=3", "classes").k, type(resampling_by_name("thirds:fraction=0.5")).__name__)
print(st.error_control(100, q=5, threshold=0.8, rule="lenient").pfer, st.plot.get_picture("dots").title)
"""


def test_a_file_in_the_folder_of_its_kind_is_all_that_is_added(tmp_path):
    package = tmp_path / "steadyset"
    shutil.copytree(Path(steadyset.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name, text in FILES.items():
        (package / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["spreads", "SelectKBest", "3", "Thirds", "6.25", "Dots"]
