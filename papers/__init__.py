"""Tables and figures of papers again, the published numbers beside ours: `python -m papers`.

A paper is one or several files here that register a function per table or figure, and one JSON file of what is printed.
"""
