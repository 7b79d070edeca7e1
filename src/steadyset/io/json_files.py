"""JSON files of any content: within the limits, in UTF-8, each key once, and a sentence for everything else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from steadyset.foundation.errors import InputError
from steadyset.io.limits import MAX_GB, readable, refuse_size

JSON_SHARE = 8  # what is read from json takes about so many times its size


def read_json_file(path: Path, max_gb: float = MAX_GB) -> Any:
    """What a json file holds."""
    with readable(path):
        refuse_size(path, JSON_SHARE * path.stat().st_size, max_gb)
        text = path.read_bytes()
    try:
        return json.loads(text.decode("utf-8-sig"), object_pairs_hook=_distinct_keys)
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text; save it as UTF-8.") from None
    except InputError as error:
        raise error.after(f"{path}: ") from None
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path} is not well-formed JSON: {error}.") from None
    except ValueError:  # Python reads whole numbers of at most some 4,300 digits
        raise InputError(f"{path} holds a whole number with thousands of digits; expected shorter ones.") from None


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"The key {key!r} occurs twice; expected distinct keys.")
        found[key] = value
    return found
