"""`steadyset serve`: the local page, from a file to a report without typing a command."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import typer

from steadyset.foundation.errors import InputError
from steadyset.io.disk import explained
from steadyset.options import Given
from steadyset.options.table import PASSWORD


def serve(given: Given) -> None:
    """Open a local page: measure selections, assess or tune on a table, browse earlier runs.

    Nothing leaves this machine. Runs go on when the page is closed, and the command sees the same folders.
    """
    from steadyset.serve import serve as serve_page

    folder, host = given.folder, given.host
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; the page needs a folder.")
    secret = _password(given.password, given.password_file)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    opening: list[Path] = []

    def ready(link: str) -> None:
        from steadyset.serve.access import is_this_machine

        typer.echo(f"The page is at {link}\nIt works in {folder.resolve()}. Ctrl-C closes it; runs go on.")
        if not is_this_machine(host):
            at = link.rsplit(":", 1)[1].strip("/")
            typer.echo(
                "Everybody who reaches this machine and knows the password can use the page, and read and delete what "
                "is in the folder.\nThe connection is not encrypted: on a network that you do not trust, use "
                f"`ssh -L {at}:127.0.0.1:{at} MACHINE` and leave --host out."
            )
        if given.open:
            opening.append(_open_browser(link))

    try:
        serve_page(folder, host=host, port=given.port, password=secret, ready=ready)
    finally:
        for page in opening:
            page.unlink(missing_ok=True)


def _password(asked: bool, file: Path | None) -> str | None:
    """The password, which is never an argument: other users of the machine can list those."""
    given = os.environ.get(PASSWORD)
    if file is not None:
        try:
            return file.read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")
        except (OSError, UnicodeError) as error:
            raise InputError(f"{file} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if asked and not given:
        if not sys.stdin.isatty():
            raise InputError(f"There is no terminal to type a password in; set {PASSWORD}, or name a file.")
        return str(typer.prompt("Password for visitors", hide_input=True, confirmation_prompt=True))
    return given or None


def _open_browser(link: str) -> Path:
    """Open a private page that leads to the link, whose key would stand among the arguments of the browser.

    Nobody waits for it: some browsers stay in front until they are closed.
    """
    import html
    import tempfile
    import threading
    import webbrowser

    file, name = tempfile.mkstemp(prefix="steadyset-", suffix=".html")  # readable by this user alone
    with open(file, "w", encoding="utf-8") as page:
        page.write(f'<meta charset="utf-8"><meta http-equiv="refresh" content="0;url={html.escape(link)}">')
    threading.Thread(target=webbrowser.open, args=(Path(name).as_uri(),), daemon=True).start()
    return Path(name)
