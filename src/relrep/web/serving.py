"""Serves the application with uvicorn, on a socket that was opened before."""

import contextlib
import socket

from fastapi import FastAPI

from relrep.errors import RelrepError


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; a RelrepError where the address cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or str(error)
        raise RelrepError(f"cannot listen on {host}, port {port} ({reason}); try another --port or --host") from None


def serve(app: FastAPI, listening: socket.socket) -> None:
    """Answers until interrupted; questions in progress get two seconds to finish."""
    try:
        import uvicorn
    except ImportError:
        raise RelrepError("the explorer needs uvicorn; install it with pip install 'relrep[web]'") from None
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=64,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=16_384,
    )
    with contextlib.suppress(KeyboardInterrupt):  # Ctrl-C is how one stops it
        uvicorn.Server(config).run(sockets=[listening])
