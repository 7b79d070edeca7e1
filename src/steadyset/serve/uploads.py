"""Files from the browser: streamed to the disk under names of ours, and gone again if they do not arrive whole."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from steadyset.foundation.errors import InputError
from steadyset.io.disk import explained, written_durably
from steadyset.serve.shelf import harmless_name
from steadyset.serve.site import Site, site_of

MEASURED = "measure"  # uploads for it are not kept


async def upload(request: Request) -> Response:
    """Take a file whose content is the body of the request; answer with the name that it got."""
    site = site_of(request)
    given = request.query_params.get("name", "")
    measured = request.query_params.get("for") == MEASURED
    target = site.temporary / harmless_name(given) if measured else site.shelf.new_table(given)
    await _streamed(request, target)
    return JSONResponse({"name": target.name if measured else target.relative_to(site.shelf.path).as_posix()})


async def _streamed(request: Request, target: Path) -> None:
    size = 0
    try:
        with explained(target), written_durably(target) as beside, beside.open("wb") as file:
            async for part in request.stream():
                size += len(part)
                file.write(part)
            file.flush()
            if not size:
                raise InputError("The file is empty.")
    except ClientDisconnect:
        raise InputError("The file did not arrive whole.") from None


def measured_file(site: Site, name: str) -> Path:
    """An upload that is to be measured, by the name that it got."""
    path = site.temporary / name
    if not name or "/" in name or name.startswith(".") or not path.is_file() or path.resolve().parent != site.temporary:
        raise InputError("The uploaded file is gone; choose it again.")
    return path
