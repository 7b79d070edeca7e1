"""One file per format: from files to tables, and back; `record.py` lists them."""
