"""Reports in place: self-contained pages, which run in a sandbox with a policy of their own."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import Response

# A report names what it runs by digests in a policy of its own; this one holds whatever file lies there.
POLICY = (
    "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)


def report_response(response: Response, request: Request, name: str = "report") -> Response:
    """A report as it may be shown within the page, or, with ?download, as a file."""
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    if "download" in request.query_params:
        stem = re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "report"
        response.headers["Content-Disposition"] = f'attachment; filename="{stem}.html"'
    return response
