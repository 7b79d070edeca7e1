"""Pictures: each is a frame of data first, and a drawing of it when asked. A file holds those of one kind."""

from contextlib import suppress
from typing import Any

from steadyset.foundation.errors import InputError
from steadyset.plots import catalogue
from steadyset.plots.catalogue import (
    RegisteredPicture,
    get_picture,
    list_pictures,
    picture_of,
    pictures_for,
    register_picture,
    unregister_picture,
)
from steadyset.plots.picture import Picture

__all__ = [
    "Picture",
    "RegisteredPicture",
    "get_picture",
    "list_pictures",
    "picture_of",
    "pictures_for",
    "register_picture",
    "unregister_picture",
]

catalogue.PICTURES.import_own(__name__, __path__)


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        with suppress(InputError):
            return get_picture(name).build
    known = ", ".join(catalogue.PICTURES)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; the pictures are {known}")


def __dir__() -> list[str]:
    return [*__all__, *catalogue.PICTURES]
