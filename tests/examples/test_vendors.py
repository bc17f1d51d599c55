"""The vendors as their callers meet them, each test against a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest
from urllib3.exceptions import ReadTimeoutError

from examples.purchase_orders.vendors.books import Books
from examples.purchase_orders.vendors.process import PROJECT, Simulator, start_simulator
from tests.examples.conftest import BODIES, FAST, Caller, wait_for


@pytest.mark.parametrize("path", BODIES)
def test_every_vendor_answers_and_writes_the_call_down(caller: Caller, path: str):
    assert caller.post(path).status == 200
    (call,) = caller.simulator.books().calls
    assert (call.run_id, call.owner, call.epoch, call.attempt) == ("run_a", "w1#a1", 4, 2)
    assert call.received_at <= call.applied_at <= call.answered_at
    assert (call.outcome, call.status) == ("done", 200)


def test_bills_are_as_agreed(caller: Caller):
    for path in ("parsewell/parse", "creditline/enquiries", "cardline/charges", "nordfracht/bookings"):
        caller.post(path)
    spent = caller.simulator.books().spent()
    assert spent["Creditline", "EUR"] == Decimal("0.40")
    assert spent["Cardline", "EUR"] == Decimal("120.50")
    assert spent["Nordfracht", "EUR"] == Decimal("49.35")
    assert Decimal("0.04") < spent["Parsewell", "EUR"] < Decimal("0.08")


def test_a_parse_takes_about_fourteen_thousand_tokens(caller: Caller):
    assert 13_000 < caller.post("parsewell/parse").json()["usage"]["input_tokens"] < 16_000


def test_a_call_without_a_key_is_done_every_time(caller: Caller):
    first, second = caller.post("cardline/charges").json(), caller.post("cardline/charges").json()
    assert first["charge_id"] != second["charge_id"]
    (duplicates,) = caller.simulator.books().duplicates()
    assert (duplicates.vendor, duplicates.calls, duplicates.amount) == ("Cardline", 1, Decimal("120.50"))


def test_a_key_replayed_is_billed_once(caller: Caller):
    first, second = (caller.post("cardline/charges", key="k1") for _ in range(2))
    assert first.json() == second.json()
    books = caller.simulator.books()
    assert books.duplicates() == []
    assert [(call.applied, call.replayed) for call in books.calls] == [(True, False), (False, True)]


def test_a_key_with_another_request_is_refused(caller: Caller):
    caller.post("cardline/charges", key="k1")
    answer = caller.post("cardline/charges", key="k1", amount="999.00")
    assert (answer.status, answer.json()["error"]) == (422, "key_reused_with_other_request")


def test_a_key_in_use_is_a_conflict_until_the_first_call_ends(caller: Caller):
    caller.simulator.control(vendor="Cardline", latency_factor=50)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(caller.post, "cardline/charges", key="k1")
        wait_for(lambda: caller.simulator.books().calls)
        conflict = caller.post("cardline/charges", key="k1")
        assert (conflict.status, conflict.json()) == (409, {"error": "key_in_use"})
        assert first.result().status == 200
    assert caller.post("cardline/charges", key="k1").json() == first.result().json()


def test_a_key_is_forgotten_after_its_memory(caller: Caller):
    caller.simulator.control(vendor="Cardline", key_memory_seconds=0)
    assert (
        caller.post("cardline/charges", key="k1").json() != caller.post("cardline/charges", key="k1").json()
    )


def test_a_key_of_a_call_that_did_nothing_is_free_again(caller: Caller):
    caller.simulator.control(vendor="Cardline", next=["refuse", "error_before"])
    assert [caller.post("cardline/charges", key="k1").status for _ in range(3)] == [402, 500, 200]


def test_a_shipment_can_be_looked_up_by_its_reference(caller: Caller):
    assert caller.get("nordfracht/bookings/PO-1-ab12").status == 404
    booked = caller.post("nordfracht/bookings").json()
    assert caller.get("nordfracht/bookings/PO-1-ab12").json() == booked
    assert [call.action for call in caller.simulator.books().calls] == ["look_up", "book", "look_up"]


def test_an_effect_is_applied_although_its_caller_has_gone(caller: Caller):
    caller.simulator.control(vendor="Creditline", latency_factor=30)
    with pytest.raises(ReadTimeoutError):
        caller.post("creditline/enquiries", timeout=0.05)
    (call,) = wait_for(lambda: [c for c in caller.simulator.books().calls if c.applied])
    assert call.amount == Decimal("0.40")


def test_half_a_request_has_not_reached_a_vendor(caller: Caller, simulator: Simulator):
    """A caller that is killed between its headers and its body: nothing was asked for."""
    host, port = simulator.url.removeprefix("http://").split(":")
    head = f"POST /pricebook/prices HTTP/1.1\r\nHost: {host}\r\nX-Run: run_half\r\nContent-Length: 40\r\n\r\n"
    with socket.create_connection((host, int(port))) as gone:
        gone.sendall(head.encode())
    caller.post("pricebook/prices")
    assert not Books.load(simulator.books_dir).for_run("run_half")


def test_books_survive_a_killed_vendor(caller: Caller):
    for number in range(20):
        caller.post("cardline/charges", run_id=f"run_{number}")
    caller.simulator.kill()
    answered = [call for call in caller.simulator.books().calls if call.status == 200]
    assert len(answered) == 20 and all(call.applied for call in answered)


def test_a_restarted_vendor_remembers_keys_and_bookings(tmp_path: Path):
    with start_simulator(FAST, tmp_path) as before:
        charged = Caller(before).post("cardline/charges", key="k1").json()
        booked = Caller(before).post("nordfracht/bookings").json()
        before.kill()
    with start_simulator(FAST, tmp_path) as after:
        assert Caller(after).post("cardline/charges", key="k1").json() == charged
        assert Caller(after).get("nordfracht/bookings/PO-1-ab12").json() == booked
    assert Books.load(tmp_path).duplicates() == []


def test_an_unfinished_last_line_costs_nothing_else(tmp_path: Path):
    with start_simulator(FAST, tmp_path) as before:
        Caller(before).post("cardline/charges")
        before.kill()
    (file,) = tmp_path.glob("books-*.jsonl")
    with file.open("a") as books:
        books.write('{"event": "received", "call": "cut o')
    with start_simulator(FAST, tmp_path) as after:
        Caller(after).post("cardline/charges")
    assert [call.outcome for call in Books.load(tmp_path).calls] == ["done", "done"]


def test_a_nonsense_request_is_answered_and_billed_to_nobody(caller: Caller):
    assert caller.post("cardline/charges", amount="a lot").status == 400
    assert not any(call.applied for call in caller.simulator.books().calls)


def test_it_ends_on_a_signal_with_status_zero(simulator: Simulator):
    simulator.process.send_signal(signal.SIGTERM)
    assert simulator.process.wait(timeout=5) == 0


def test_it_ends_when_its_parent_is_killed(tmp_path: Path):
    script = (
        "from examples.purchase_orders.vendors.process import start_simulator\n"
        f"with start_simulator(1, {str(tmp_path)!r}) as s: print(s.process.pid, flush=True); input()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", script], cwd=PROJECT, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )
    assert parent.stdout is not None and parent.stdin is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()
    wait_for(lambda: not is_running(child))


def is_running(pid: int) -> bool:
    try:
        return b"\x00" in Path(f"/proc/{pid}/cmdline").read_bytes() and os.getpgid(pid) >= 0
    except OSError:
        return False


def test_a_taken_port_is_one_sentence(simulator: Simulator, tmp_path: Path):
    port = simulator.url.rpartition(":")[2]
    command = [
        sys.executable,
        "-m",
        "examples.purchase_orders.vendors",
        "--port",
        port,
        "--books",
        str(tmp_path),
    ]
    ended = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr == f"Port {port} is taken: stop what uses it, or pass --port 0.\n"
