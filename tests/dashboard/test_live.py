"""The stream from within: positions lose nothing, frames smuggle nothing, a viewer costs no connection."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from django.contrib.auth.models import Group, User
from django.db import connection
from django.test import AsyncClient, Client
from hypothesis import given
from hypothesis import strategies as st

from dashboard.live import frames
from dashboard.live.hub import Viewer
from dashboard.live.watch import Watch
from dashboard.views import streams
from runs.queries import Moved, Position, held_back, moved_since, position, run_query
from tests.dashboard import scene

HERE = Position(1, 10, 3)


@given(st.integers(0, 2**31), st.integers(0, 2**60), st.integers(0, 2**60))
def test_a_position_reads_back(incarnation: int, xid: int, row: int) -> None:
    assert Position.parse(str(Position(incarnation, xid, row))) == Position(incarnation, xid, row)


@pytest.mark.parametrize("text", ["", "1", "1-2", "1-2-x", "1-2-3-4", "-1-2-3", "1-2-٣", "1-2-" + "9" * 30])
def test_what_is_no_position_is_none(text: str) -> None:
    assert Position.parse(text) is None


@given(st.text())
def test_a_frame_carries_its_text_and_nothing_beside_it(text: str) -> None:
    lines = frames.update([text], HERE).decode().split("\n")
    assert lines[:2] == ["event: update", "id: 1-10-3"]
    assert lines[-2:] == ["", ""]
    assert all(line.startswith("data: ") for line in lines[2:-2])


def test_a_slow_reader_keeps_only_the_newest_of_each_fragment() -> None:
    async def read() -> list[str]:
        viewer = Viewer("orders", Watch(), "UTC")
        for n in range(1000):
            viewer.put({"row-a": f"a{n}", "row-b": f"b{n}"}, HERE)
        return viewer.take()[0]

    assert asyncio.run(read()) == ["a999", "b999"]


@pytest.fixture
def other(transactional_db: None, database_url: str) -> Iterator[Callable[[], psycopg.Connection[Any]]]:
    scene.publish()
    yield lambda: psycopg.connect(database_url)
    streams.tailer.stop()


def moved(after: Position, count: int) -> list[Moved]:
    """The tail once it has come so far: other sessions of this server may hold it back for a moment."""
    end = time.monotonic() + 15
    while len(found := moved_since(connection, after)) < count and time.monotonic() < end:
        time.sleep(0.05)
    return found


def test_a_slower_transaction_with_a_lower_id_is_not_passed_over(other: Callable[[], Any]) -> None:
    after, _ = position(connection)
    with other() as slow:
        slow.execute("INSERT INTO run_state (run_id, cursor, input) VALUES ('slow', '{}', '{}')")
        scene.order("quick")
        assert moved_since(connection, after) == []
        slow.commit()
    found = moved(after, 2)
    assert [m.run_id for m in found] == ["slow", "quick"]
    assert moved_since(connection, found[0].position) == found[1:]


def test_a_gap_left_by_a_rollback_blocks_nobody(other: Callable[[], Any]) -> None:
    after, _ = position(connection)
    with other() as gone:
        gone.execute("INSERT INTO run_state (run_id, cursor, input) VALUES ('gone', '{}', '{}')")
        gone.rollback()
    scene.order("here")
    assert [m.run_id for m in moved(after, 1)] == ["here"]


def test_a_page_repeats_what_it_may_have_seen_rather_than_miss_what_it_has_not(
    other: Callable[[], Any],
) -> None:
    with other() as slow:
        slow.execute("INSERT INTO run_state (run_id, cursor, input) VALUES ('slow', '{}', '{}')")
        scene.order("quick")
        after, _ = position(connection)
        slow.commit()
    assert [m.run_id for m in moved(after, 2)] == ["slow", "quick"]


def test_who_holds_the_tail_back_is_named(other: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from runs.watching import tail

    monkeypatch.setattr(tail, "HELD_BACK_SECONDS", 0)
    after, _ = position(connection)
    with other() as slow:
        slow.execute("SELECT pg_current_xact_id()")
        scene.order("waits")
        found = held_back(connection, 1)
        assert found is not None
        assert found["pid"]
        slow.rollback()
    moved(after, 1)
    assert held_back(connection, 1) is None


@pytest.mark.parametrize("query", ["", "?watch=", "?watch=forged:abc:def"])
def test_a_stream_that_no_page_asked_for_is_refused(other: Any, ada: Client, query: str) -> None:
    assert ada.get("/orders/live/" + query).status_code == 400
    assert ada.get("/orders/rows/" + query).status_code == 400


async def _open(signed_in: Client, path: str) -> Any:
    client = AsyncClient()
    client.cookies = signed_in.cookies
    return await client.get(path)


def test_a_stream_passes_proxies_and_ends_with_its_run(other: Any, ada: Client) -> None:
    scene.order("over", status="done", step="notify_buyer")

    async def read() -> tuple[dict[str, str], bytes]:
        answer = await _open(ada, "/run/live/" + run_query("over"))
        body = b"".join([chunk async for chunk in answer.streaming_content])
        return dict(answer.items()), body

    headers, body = asyncio.run(read())
    assert headers["Content-Type"] == "text/event-stream"
    assert headers["X-Accel-Buffering"] == "no"
    assert headers["Content-Encoding"] == "identity"
    assert "no-transform" in headers["Cache-Control"]
    assert b"event: update" in body
    assert body.endswith(frames.END)


def test_a_quiet_stream_sends_comment_lines(other: Any, ada: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "COMMENT_SECONDS", 0.05)
    monkeypatch.setattr(streams.tailer, "ensure", lambda: None)
    scene.order("a", status="started", lease=20)

    async def read() -> list[bytes]:
        answer = await _open(ada, "/run/live/" + run_query("a"))
        chunks = []
        async for chunk in answer.streaming_content:
            chunks.append(chunk)
            if len(chunks) == 3:
                break
        return chunks

    assert asyncio.run(read()) == [frames.OPENED, frames.STILL_HERE, frames.STILL_HERE]


def test_a_stream_judges_on_no_connection_of_its_viewers(other: Any, ada: Client) -> None:
    scene.order("a", status="started", lease=20)
    page = ada.get("/orders/", {"state": "open"})
    assert page.context["stream"].after <= position(connection)[0]
    assert str(page.context["stream"].after) in page.content.decode()


@pytest.mark.parametrize("lost", ["role", "account", "another role"])
def test_c28_who_loses_a_role_is_sent_nothing_more(other: Any, ada: Client, lost: str) -> None:
    """The connection ends without a word, within fifteen seconds, and is not opened again."""
    scene.order("a", status="started", lease=600, attempt=1)
    user = User.objects.get(username="ada")
    path = "/run/live/" + run_query("a")

    async def scene_of_it() -> bool:
        opened = await _open(ada, path)
        chunks = aiter(opened.streaming_content)
        await anext(chunks)
        await asyncio.to_thread(_lose, user, lost)
        await asyncio.wait_for(_drained(chunks), 15)
        return True

    assert asyncio.run(scene_of_it())
    assert ada.get(path).status_code == (200 if lost == "another role" else 403 if lost == "role" else 401)


def _lose(user: User, lost: str) -> None:
    if lost == "account":
        User.objects.filter(pk=user.pk).update(is_active=False)
    elif lost == "role":
        user.groups.clear()
    else:
        user.groups.add(Group.objects.get(name="ops"))
    connection.close()


async def _drained(chunks: Any) -> None:
    async for _ in chunks:
        pass
