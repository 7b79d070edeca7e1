"""`steadyset serve`: the local page, from a file to a report without typing a command."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steadyset.cli.typed_words import given_options, typed_words
from steadyset.errors import InputError
from steadyset.io.disk import explained


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
        str | None,
        typer.Option(
            metavar="TEXT",
            envvar="STEADYSET_PASSWORD",
            show_envvar=True,
            help="What visitors type instead of opening a link with a key; at least 8 characters.",
        ),
    ] = None,
) -> None:
    """Open a local page: measure selections, assess or tune on a table, browse earlier runs.

    Nothing leaves this machine. Runs go on when the page is closed, and the command sees the same folders.
    """
    from steadyset.serve import serve as serve_page
    from steadyset.serve.access import is_this_machine

    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; the page needs a folder.")
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)

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
            _open_browser(link)

    serve_page(folder, typed_words, given_options, host=host, port=port, password=password, ready=ready)


def _open_browser(link: str) -> None:
    """Without waiting for it: some browsers stay in front until they are closed."""
    import threading
    import webbrowser

    threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
