"""The papers: one file each, which registers its tables and figures."""
