"""The pictures under their public name: `import steadyset.plot` and `st.plot` are the same as `steadyset.plots`."""

import sys

from steadyset import plots

sys.modules[__name__] = plots
