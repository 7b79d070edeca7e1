"""The page on a folder that a stranger filled, and the file that nothing may touch."""

import pytest
from tests.hostile.made import VICTIM
from tests.serve.conftest import access, application, client, folder, own_state, stranger

__all__ = ["access", "application", "client", "folder", "own_state", "stranger"]


@pytest.fixture
def victim(tmp_path):
    """A file of the user outside of the served folder; it is the same after every test."""
    path = tmp_path / "thesis.csv"
    path.write_text(VICTIM, encoding="utf-8")
    yield path
    assert path.read_text(encoding="utf-8") == VICTIM
