"""One new thing of every kind, added to a copy of steadyset: what has to be written, and what then has to hold."""
