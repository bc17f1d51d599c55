"""python -m examples.purchase_orders.vendors --port 0 --books DIR"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import signal
import socket
import sys
from pathlib import Path

import uvicorn

from .app import App, BreakableProtocol
from .call import Vendors
from .faults import Moods
from .ledger import Ledger
from .memory import Memory

# Callers keep their connections; a vendor that closed an idle one just as a request left would look
# like a call with an unknown outcome.
KEEP_ALIVE_SECONDS = 24 * 3600


def main() -> int:
    options = _options()
    _raise_file_limit()
    listener = _listen(options.host, options.port)
    if listener is None:
        print(f"Port {options.port} is taken: stop what uses it, or pass --port 0.", file=sys.stderr)
        return 1
    url = f"http://{options.host}:{listener.getsockname()[1]}"
    ledger = Ledger(options.books, options.keep_hours)
    moods = Moods(options.speed, options.everyday_faults)
    vendors = Vendors(ledger, Memory.from_books(options.books), moods, options.seed)
    # The server puts these back when it has shut down and raises the signal it got once more.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit(0))
    try:
        asyncio.run(_serve(_server(App(vendors)), listener, url, options))
    finally:
        ledger.close()
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="vendors", description="Seven vendors behind one HTTP process.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--books", type=Path, required=True, help="folder of the books")
    speed = os.environ.get("VENDOR_SPEED", "1")
    parser.add_argument("--speed", type=_positive, default=speed, help=f"divides every latency ({speed})")
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--everyday-faults", action="store_true", help="a few faults, as vendors have them")
    parser.add_argument("--keep-hours", type=int, help="drop books older than this (at least 26)")
    parser.add_argument("--url-file", type=Path, help="write the URL here once up")
    parser.add_argument("--parent-pid", type=int, help="end when this parent is gone")
    options = parser.parse_args()
    # Keys are remembered for a day, and a restart finds them in the books.
    if options.keep_hours is not None and options.keep_hours < 26:
        parser.error("--keep-hours must be at least 26: keys are remembered for a day.")
    return options


def _positive(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError("must be above 0")
    return value


def _raise_file_limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _listen(host: str, port: int) -> socket.socket | None:
    # asyncio switches Nagle's delay off only where the protocol is named, and 40 ms an answer matter here.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        return None
    return listener


def _server(app: App) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=BreakableProtocol,
            ws="none",
            lifespan="off",
            interface="asgi3",
            access_log=False,
            log_level="critical",
            backlog=4096,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=1,
            server_header=False,
            date_header=False,
        )
    )


async def _serve(
    server: uvicorn.Server, listener: socket.socket, url: str, options: argparse.Namespace
) -> None:
    watch = asyncio.create_task(_watch(server, url, options))
    await server.serve(sockets=[listener])
    watch.cancel()


async def _watch(server: uvicorn.Server, url: str, options: argparse.Namespace) -> None:
    """Say the URL once the server answers, then end it if the parent is gone."""
    while not server.started:
        await asyncio.sleep(0.01)
    if options.url_file is not None:
        beside = options.url_file.with_suffix(".new")
        beside.write_text(url + "\n")
        beside.replace(options.url_file)
    print(url, flush=True)
    while options.parent_pid is None or os.getppid() == options.parent_pid:
        await asyncio.sleep(0.5)
    server.should_exit = True


if __name__ == "__main__":
    sys.exit(main())
