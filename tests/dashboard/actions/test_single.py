"""Hold, lift, nudge, flag, retry, mark seen, cancel: a form that says now → after, one push, one effect."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from runs.models import RunAudit, RunState, RunTransition
from tests.dashboard import scene
from tests.support.forms import opened, pushed, words

# address -> where a run stands for it, what is typed, the status and marks after it
VERBS: dict[str, tuple[dict[str, Any], dict[str, str], str]] = {
    "/run/hold/": ({"status": "pending"}, {}, "held"),
    "/run/lift/": ({"status": "held"}, {}, "pending"),
    "/run/nudge/": ({"status": "pending", "wake": 500.0}, {}, "pending"),
    "/run/flag/": ({"status": "pending"}, {"reason": "Two bookings."}, "in_doubt"),
    "/run/retry-failed/": ({"status": "failed"}, {}, "pending"),
    "/run/mark-seen/": ({"status": "failed"}, {}, "failed"),
    "/run/cancel/": ({"status": "pending"}, {"reason": "Ordered twice.", "last": "26-0041"}, "cancelled"),
    "/run/take-over/": ({"status": "started", "guard": "pure", "lease": -5.0}, {}, "started"),
}


def stands(run_id: str) -> str:
    return RunState.objects.get(pk=run_id).status


def log_length(run_id: str) -> int:
    return RunTransition.objects.filter(run_id=run_id).count()


@pytest.fixture(params=VERBS)
def verb(request: pytest.FixtureRequest, broker_url: str) -> tuple[str, dict[str, str], str]:
    where, typed, after = VERBS[request.param]
    scene.order("a", ref="PO-2026-0041", **where)
    return request.param, typed, after


def test_the_form_says_now_after_and_what_it_leaves_and_nothing_is_changed_by_looking(
    ada: Client, verb: Any
) -> None:
    address, _, _ = verb
    length = log_length("a")
    said = words(ada.get(address, {"run": "a"}))
    for heading in ("Now", "After", "What it does not touch", "PO-2026-0041", "Leave it as it is"):
        assert heading in said
    assert log_length("a") == length and not RunAudit.objects.exists()


def test_one_push_does_it_writes_it_down_and_leads_to_the_order(ada: Client, verb: Any) -> None:
    address, typed, after = verb
    length = log_length("a")
    answer = pushed(ada, address, "a", **typed)
    assert (answer.status_code, answer["Location"]) == (303, "/run/?run=a")
    assert (stands("a"), log_length("a")) == (after, length + 1)
    told = RunAudit.objects.get()
    assert (told.actor, told.role, told.via, told.outcome) == ("ada", "support", "page", "done")


def test_c20_a_form_sent_again_changes_nothing_and_says_who_was_quicker(
    ada: Client, olga: Client, verb: Any
) -> None:
    address, typed, after = verb
    hers, mine = opened(olga, address, "a") | typed, opened(ada, address, "a") | typed
    assert ada.post(address, mine).status_code == 303
    length = log_length("a")
    for client, form in ((olga, hers), (ada, mine)):
        answer = client.post(address, form)
        assert answer.status_code == 409
        assert "Not done, nothing was changed. ada " in words(answer)
    assert (stands("a"), log_length("a")) == (after, length)
    assert list(RunAudit.objects.order_by("id").values_list("outcome", flat=True)) == [
        "done",
        "refused",
        "refused",
    ]


def test_c28_who_has_no_right_is_denied_by_form_and_by_push_alike_for_any_run(
    mara: Client, cy: Client, verb: Any
) -> None:
    address, typed, _ = verb
    length, status = log_length("a"), stands("a")
    for client in (mara, cy):
        for run_id in ("a", "no-such-run"):
            assert client.get(address, {"run": run_id}).status_code == 403
            forged = {
                "run": run_id,
                "epoch": "0",
                "place": "",
                "at": "2026-01-01T00:00Z",
                "log": "1",
                **typed,
            }
            assert client.post(address, forged).status_code == 403
    assert (stands("a"), log_length("a")) == (status, length)
    denied = RunAudit.objects.filter(outcome="denied", told=f"POST {address}")
    assert sorted(denied.values_list("actor", "run_id")) == [
        ("cy", "a"), ("cy", "no-such-run"), ("mara", "a"), ("mara", "no-such-run"),
    ]  # fmt: skip


def test_an_absent_run_and_a_form_of_nobody(ada: Client, verb: Any) -> None:
    address, _, _ = verb
    assert ada.get(address, {"run": "no-such-run"}).status_code == 404
    assert ada.post(address, {"run": "a", "epoch": "x"}).status_code == 400
    assert ada.put(address).status_code == 405


def test_a_status_of_somebody_elses_is_left_alone_and_says_why(ada: Client, verb: Any) -> None:
    address, _, _ = verb
    scene.order("b", status="paused_by_v3")
    answer = ada.get(address, {"run": "b"})
    assert answer.status_code == 409
    assert "“paused_by_v3”, which this version does not know, so nothing here acts on it" in words(answer)


def test_c20_a_tab_of_yesterday_is_told_that_it_finished_and_nothing_is_written(ada: Client) -> None:
    scene.order("a", ref="PO-1", status="started", step="charge_card", lease=-5.0, guard="pure")
    form = opened(ada, "/run/take-over/", "a")
    RunState.objects.filter(pk="a").update(
        epoch=9, lease_owner=None, lease_expires_at=None, cursor={"step": "notify_buyer", "status": "done"}
    )
    length = log_length("a")
    answer = ada.post("/run/take-over/", form)
    said = words(answer)
    assert answer.status_code == 409 and log_length("a") == length
    for part in ("It finished at", "epoch 7 → 9", "“Charge the card” → “Notify the buyer”", "owner nobody"):
        assert part in said


def test_a_flag_without_a_reason_comes_back_with_what_was_typed(ada: Client) -> None:
    scene.order("a", ref="PO-1")
    answer = pushed(ada, "/run/flag/", "a", reason="  ")
    assert answer.status_code == 422
    assert "Say why" in words(answer) and not RunAudit.objects.exists()


@pytest.mark.parametrize("typed", ["260041", "26-0041", "po-2026-0041", " PO20260041 ", "6-0041"])
def test_the_last_six_characters_forgive_case_and_dashes(ada: Client, typed: str) -> None:
    scene.order("a", ref="PO-2026-0041")
    assert pushed(ada, "/run/cancel/", "a", reason="Twice.", last=typed).status_code == 303


@pytest.mark.parametrize("typed", ["", "0041", "260042", "-", "PO-2026-0042"])
def test_other_characters_end_nothing(ada: Client, typed: str) -> None:
    scene.order("a", ref="PO-2026-0041")
    answer = pushed(ada, "/run/cancel/", "a", reason="Twice.", last=typed)
    assert (answer.status_code, stands("a")) == (422, "pending")
    assert "not the last six characters of PO-2026-0041" in words(answer)


def test_on_a_good_lease_a_hold_names_its_boundary_and_can_be_withdrawn(ada: Client) -> None:
    scene.order(
        "a", ref="PO-1", status="started", step="credit_check", lease=25.0, guard="repeat_ok", attempt=1
    )
    said = words(ada.get("/run/hold/", {"run": "a"}))
    assert "On hold before “Charge the card”, once “Check credit” is recorded." in said
    assert "What is under way is finished, not cut." in said
    pushed(ada, "/run/hold/", "a")
    assert RunState.objects.get(pk="a").signals["marks"]["hold"]["actor"] == "ada"
    assert "its worker goes straight on" in words(ada.get("/run/lift/", {"run": "a"}))
    pushed(ada, "/run/lift/", "a")
    assert "marks" not in RunState.objects.get(pk="a").signals


def test_a_row_that_another_session_keeps_locked_is_told_within_two_seconds(
    ada: Client, transactional_db: None, database_url: str
) -> None:
    import psycopg

    scene.order("a", ref="PO-1")
    form = opened(ada, "/run/hold/", "a")
    with psycopg.connect(database_url) as other:
        other.execute("SELECT 1 FROM run_state WHERE run_id = 'a' FOR NO KEY UPDATE")
        answer = ada.post("/run/hold/", form)
    assert answer.status_code == 409 and "Another session holds the row" in words(answer)


def test_reasons_and_ids_are_shown_as_text(ada: Client) -> None:
    name = '<img src=x onerror=alert(1)>" autofocus onfocus="'
    scene.order(name, ref=name, status="failed", reason="</script><script>alert(1)</script>")
    answer = ada.get("/run/retry-failed/", {"run": name})
    assert answer.status_code == 200
    assert "<img src" not in answer.content.decode() and "<script>alert" not in answer.content.decode()
    assert pushed(ada, "/run/retry-failed/", name, reason=name).status_code == 303
    assert "<img src" not in ada.get("/run/", {"run": name}).content.decode()
