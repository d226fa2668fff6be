"""Opens the web explorer for a model: analogies, pairs, words and patterns in the browser, on this machine only."""

import argparse
import sys
from pathlib import Path

LOCAL = "127.0.0.1"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", type=Path, help="a model folder")
    parser.add_argument("--port", metavar="N", type=int, default=8765, help="0 takes a free one (default: 8765)")
    parser.add_argument(
        "--host",
        metavar="NAME",
        default=LOCAL,
        help="listen here (default: 127.0.0.1, which only this machine reaches; anyone who reaches another can ask)",
    )
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument("--quiet", action="store_true", help="say nothing but the address")


def run(arguments: argparse.Namespace) -> int:
    """Loads the model, listens, serves until interrupted."""
    from relrep.errors import RelrepError
    from relrep.model.model import Model

    if not 0 <= arguments.port < 65536:
        raise RelrepError(f"--port is {arguments.port}; it must lie between 0 and 65535")
    from relrep.web.app import LOCAL_HOSTS, address_of, create_app, listen, serve

    model = Model.load(arguments.model)
    app = create_app(model, hosts=LOCAL_HOSTS if arguments.host in (LOCAL, "localhost") else ("*",))
    with listen(arguments.host, arguments.port) as listening:
        address = address_of(arguments.host, listening)
        print(address, flush=True)
        if not arguments.quiet:
            print(f"Exploring {arguments.model}; stop with Ctrl-C.", file=sys.stderr)
        if arguments.open:
            import webbrowser

            webbrowser.open(address)
        serve(app, listening)
    return 0
