"""A proxy as some stand before a web server: it hands an answer on only when it is whole, and cuts what takes too long."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

CUT_SECONDS = 6.0
LENGTH = re.compile(rb"(?i)content-length: (\d+)")


@contextmanager
def buffering(port: int) -> Iterator[str]:
    """The proxy's URL, before the server on this port."""
    started, url, ends = threading.Event(), [""], []

    async def serve() -> None:
        ended = asyncio.Event()
        ends.append(lambda: loop.call_soon_threadsafe(ended.set))
        loop = asyncio.get_running_loop()
        server = await asyncio.start_server(lambda r, w: _pass(port, r, w), "127.0.0.1", 0)
        url[0] = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        started.set()
        await ended.wait()
        server.close()
        # Cancelled at the end of the loop instead, each would be logged as an error.
        await asyncio.sleep(CUT_SECONDS)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert started.wait(10)
    yield url[0]
    ends[0]()
    thread.join(10)


async def _pass(port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One request a connection, which keeps it simple and is all that a browser needs."""
    with suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
        head = await reader.readuntil(b"\r\n\r\n")
        length = LENGTH.search(head)
        body = await reader.readexactly(int(length[1])) if length else b""
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", port)
        closing = head.replace(b"\r\n", b"\r\nConnection: close\r\n", 1).replace(
            b"Connection: keep-alive\r\n", b""
        )
        far_writer.write(closing + body)
        try:
            whole = await asyncio.wait_for(far_reader.read(), CUT_SECONDS)
            writer.write(whole)
            await writer.drain()
        finally:
            far_writer.close()
    writer.close()
