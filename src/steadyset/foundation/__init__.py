"""What everybody may use: errors, checks of arguments, text for people, conventions, plug-ins, docstrings."""
