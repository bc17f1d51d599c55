"""Canaries: values that nobody may find, put wherever a worker can put one, and looked for in every answer there is."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connection, connections
from django.test import AsyncClient, Client

from dashboard.faults import Line
from dashboard.roles import ROLES
from dashboard.views import streams
from runs.queries import run_query
from tests.dashboard import past, scene
from tests.dashboard.test_access import CLOSED

CANARIES = ("4242424242424242", "4242 4242 4242", "4242-4242", "sk_live_abc", "hunter2")
SECRET = {
    "card": "4242424242424242", "api_key": "sk_live_abc", "note": "pw=hunter2", "spaced": "4242 4242 4242 4242",
    "deep": [{"password": "hunter2"}, "dashed 4242-4242-4242-4242"], "number": 4242424242424242,
}  # fmt: skip
QUOTED = f"VendorError: {json.dumps(SECRET)} and {SECRET}"


def caged(run_id: str, **row: Any) -> str:
    """A run with canaries in every place that a worker, a buyer, a vendor or a person can write to."""
    scene.order(run_id, ref="PO-1", reason=QUOTED, item="pw=hunter2", signal="pw=hunter2",
                labels={"buyer": "Quelle pw=hunter2", "reference": "4242424242424242", "amount": "9"}, **row)  # fmt: skip
    with connection.cursor() as db:
        db.execute("UPDATE run_state SET input = %s, completed = %s, signals = %s WHERE run_id = %s", [
            json.dumps({"order_ref": "PO-1", **SECRET}), json.dumps({"parse_request": SECRET, "quote": SECRET}),
            json.dumps({"told": [{"id": "1", "name": "approve", "step": "quote", "generation": 0, "payload": SECRET}]}), run_id,
        ])  # fmt: skip
        results = [("refused", json.dumps(SECRET), None), ("displaced", json.dumps(SECRET), None)]
        for kind, value, raw in [("error", None, QUOTED), ("raw", None, QUOTED), *results]:
            db.execute("""INSERT INTO run_output (run_id, step, generation, epoch, kind, value, raw)
                          VALUES (%s, 'quote', 0, 1, %s, %s, %s)""", [run_id, kind, value, raw])  # fmt: skip
        db.execute(
            """INSERT INTO run_item (run_id, step, item, generation, epoch, attempt, result)
                      VALUES (%s, 'quote', 'pw=hunter2', 0, 1, 1, %s)""",
            [run_id, json.dumps(SECRET)],
        )
        db.execute(
            """INSERT INTO run_doubt (run_id, step, item, generation, reason, epoch, start_cursor)
                      VALUES (%s, 'quote', 'pw=hunter2', 0, %s, 1, %s)""",
            [run_id, QUOTED, json.dumps(SECRET)],
        )
        for kind in ("commit_refused", "retry_scheduled", "failed", "held", "signalled"):
            db.execute("""INSERT INTO run_transition (run_id, kind, epoch, generation, owner_before, cursor_before,
                              cursor_after, reason, told)
                          VALUES (%s, %s, 1, 0, 'w#1', %s, %s, %s, 'pw=hunter2')""",
                       [run_id, kind, json.dumps({"step": "quote", **SECRET}),
                        json.dumps({"step": "quote", "reason": QUOTED, "item": "pw=hunter2"}), QUOTED])  # fmt: skip
        db.execute(
            "INSERT INTO dashboard_note (run_id, author, text, once) VALUES (%s, 'ben', %s, gen_random_uuid())",
            [run_id, QUOTED],
        )
    return run_id


def questions(run_id: str) -> list[dict[str, str]]:
    """What may stand behind a path: the run, and each of its payloads."""
    with connection.cursor() as db:
        db.execute("SELECT id FROM run_output WHERE run_id = %s", [run_id])
        outputs = [str(row[0]) for row in db.fetchall()]
    asked = [{"part": "input"}, {"part": "signals"}, {"part": "result", "step": "quote"}, {"step": "quote"}, {"state": "all"},
             {"state": "all", "format": "json"}, *({"part": "output", "step": "quote", "id": n} for n in outputs)]  # fmt: skip
    return [{"run": run_id, **more} for more in asked]


def found(answer: Any) -> list[str]:
    body = b"".join(answer.streaming_content) if answer.streaming and not answer.is_async else answer.content
    text = body.decode("utf-8", "replace") + str(answer.headers)
    return [canary for canary in CANARIES if canary in text]


@pytest.mark.parametrize("role", ROLES)
def test_c30_no_answer_of_any_url_holds_a_canary(
    client: Client, db: None, role: str, caplog: pytest.LogCaptureFixture
) -> None:
    scene.publish()
    caged("a", status="failed", step="quote")
    client.force_login(scene.person("someone", role))
    client.raise_request_exception = False
    answers = 0
    for route in CLOSED:
        if "live" in route or "export" in route:
            continue
        for asked in questions("a"):
            answer = client.get("/" + route, asked)
            assert found(answer) == [], (route, asked)
            answers += answer.status_code == 200
    assert answers >= 20
    assert not [canary for canary in CANARIES for record in caplog.records if canary in Line().format(record)]


def test_c30_no_stream_nor_export_holds_a_canary(transactional_db: None, client: Client) -> None:
    scene.publish()
    caged("a", status="done", step="notify_buyer")
    client.force_login(scene.person("someone", "ops"))

    async def read(path: str) -> bytes:
        asking = AsyncClient()
        asking.cookies = client.cookies
        answer: Any = await asking.get(path)
        assert answer.status_code == 200
        body = b"".join([chunk async for chunk in answer.streaming_content])
        # The middleware ran in a thread of its own, whose connection nobody else hands back.
        await sync_to_async(connections.close_all)()
        return body

    paths = [
        "/run/live/" + run_query("a"),
        "/orders/export/?state=all",
        "/orders/export/?state=all&format=json",
    ]
    try:
        for path in paths:
            text = asyncio.run(read(path)).decode()
            assert "PO-1" in text
            assert [canary for canary in CANARIES if canary in text] == [], path
    finally:
        streams.tailer.stop()


def test_c30_a_worker_whose_step_quotes_its_input_logs_none_of_it(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("leaseboard.drive")
    try:
        raise ValueError(QUOTED)
    except ValueError:
        log.exception("the amount of step quote of run a")
    assert "ValueError" in Line().format(caplog.records[-1])
    assert not [canary for canary in CANARIES if canary in Line().format(caplog.records[-1])]


def test_c30_the_sentences_of_a_takeover_hold_none(ada: Client) -> None:
    scene.publish()
    past.taken_over("a", reason=QUOTED)
    assert found(ada.get("/run/?run=a")) == []
