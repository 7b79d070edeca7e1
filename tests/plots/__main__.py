"""Record what the pictures look like, as data: `python -m tests.plots [NAME ...]`; look at them before you do."""

import sys

from tests.plots import goldens

for name in sys.argv[1:] or goldens.NAMES:
    goldens.write(name)
    print(goldens.path(name))
