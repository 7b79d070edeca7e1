"""`steadyset serve`: the local page, from a file to a report without typing a command."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from steadyset.cli.typed_words import given_options, typed_words
from steadyset.foundation.errors import InputError
from steadyset.io.disk import explained

PASSWORD = "STEADYSET_PASSWORD"


def serve(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder with run folders and tables; made if it is missing.")
    ] = Path("."),
    port: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=65535, help="The port. Default: 8351, or a free one if it is taken."),
    ] = None,
    browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in a browser.")] = True,
    host: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where to listen. Others than this machine reach the page at 0.0.0.0, which needs --password.",
        ),
    ] = "127.0.0.1",
    password: Annotated[
        bool,
        typer.Option(
            "--password",
            help="Ask in the terminal for a password that visitors type instead of opening a link with a key; at "
            f"least 8 characters. Without a terminal it comes from the environment variable {PASSWORD}.",
        ),
    ] = False,
    password_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Read the password from the first line of a file.")
    ] = None,
) -> None:
    """Open a local page: measure selections, assess or tune on a table, browse earlier runs.

    Nothing leaves this machine. Runs go on when the page is closed, and the command sees the same folders.
    """
    from steadyset.serve import serve as serve_page
    from steadyset.serve.access import is_this_machine

    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; the page needs a folder.")
    secret = _password(password, password_file)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    opening: list[Path] = []

    def ready(link: str) -> None:
        typer.echo(f"The page is at {link}\nIt works in {folder.resolve()}. Ctrl-C closes it; runs go on.")
        if not is_this_machine(host):
            at = link.rsplit(":", 1)[1].strip("/")
            typer.echo(
                "Everybody who reaches this machine and knows the password can use the page, and read and delete what "
                "is in the folder.\nThe connection is not encrypted: on a network that you do not trust, use "
                f"`ssh -L {at}:127.0.0.1:{at} MACHINE` and leave --host out."
            )
        if browser:
            opening.append(_open_browser(link))

    try:
        serve_page(folder, typed_words, given_options, host=host, port=port, password=secret, ready=ready)
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
