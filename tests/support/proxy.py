"""A TCP proxy between psycopg and PostgreSQL that cuts a connection before the server heard, or after it committed."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from django.db import connections

from tests.support.board import connected_to

READY = b"Z\x00\x00\x00\x05"
Plan = Callable[[], str | None]


class Proxy:
    """Asks its plan at every request: None passes it on, "before" cuts unheard, "after" cuts once the server is done."""

    def __init__(self, upstream: tuple[str, int]) -> None:
        self.plan: Plan = lambda: None
        self.cuts: list[str] = []
        self._upstream = upstream
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._threads: list[threading.Thread] = []
        self._sockets: list[socket.socket] = [self._listener]
        self._start(self._accept)

    def cut_next(self, when: str) -> None:
        """Cut the next request only."""
        left = [when]
        self.plan = lambda: left.pop() if left else None

    def close(self) -> None:
        for each in self._sockets:
            # Wakes an accept or a recv that blocks in another thread.
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        for thread in self._threads:
            thread.join(5)

    def _start(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._sockets.append(client)
                self._start(self._serve, client, self._connect())

    def _connect(self) -> socket.socket:
        host, port = self._upstream
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        server = socket.socket(socket.AF_UNIX)
        self._sockets.append(server)
        server.connect(f"{host}/.s.PGSQL.{port}")
        return server

    def _serve(self, client: socket.socket, server: socket.socket) -> None:
        """Requests and answers take turns, so one thread reads both sides."""
        with suppress(OSError), client, server:
            while request := client.recv(1 << 20):
                what = self.plan() if request[:1] in b"QPB" else None
                if what:
                    self.cuts.append(what)
                if what == "before":
                    return
                server.sendall(request)
                answer = self._answer(server, client, request)
                if what == "after":
                    return
                client.sendall(answer)

    def _answer(self, server: socket.socket, client: socket.socket, request: bytes) -> bytes:
        """The whole answer, up to the server's being ready again; a request in parts gets its rest sent on."""
        answer = b""
        while True:
            if request[:1] == b"X":
                return answer
            answer += server.recv(1 << 20)
            # Ready for the next query, or (before a password) asking; both end a turn.
            if (
                answer[-6:-1] == READY
                or not answer
                or (request[:1] not in b"QPBCDESHp" and answer[:1] in b"NSR")
            ):
                return answer


@contextmanager
def between(default: str = "default") -> Iterator[Proxy]:
    """Send every new connection to the database through a proxy."""
    at = connections[default].settings_dict
    # The embedded server's folder of sockets comes as an option, which would win over HOST.
    options = {**at["OPTIONS"], "sslmode": "disable", "gssencmode": "disable"}
    host = options.pop("host", "") or at["HOST"] or "/var/run/postgresql"
    proxy = Proxy((host, int(at["PORT"] or 5432)))
    try:
        with connected_to(HOST="127.0.0.1", PORT=proxy.port, OPTIONS=options):
            yield proxy
    finally:
        proxy.close()
