"""Signals: named buttons for the role that the step asks, a sentence for the others, one answer to one question."""

from __future__ import annotations

import pytest
from django.test import Client

from runs.models import RunAudit, RunState
from tests.dashboard import scene
from tests.support.forms import opened, pushed, words


@pytest.fixture(autouse=True)
def asks(published: None, broker_url: str) -> None:
    scene.order("a", ref="RET-1", status="waiting", signal="approve", may="manager")


def told() -> list[dict[str, object]]:
    found: list[dict[str, object]] = RunState.objects.get(pk="a").signals.get("told", [])
    return found


def test_who_is_asked_has_a_button_by_its_name_and_the_others_read_whom_it_waits_for(
    mara: Client, ada: Client, olga: Client
) -> None:
    page = mara.get("/run/?run=a").content.decode()
    assert 'href="/run/signal/?run=a">Approve</a>' in page and "waits for Manager" not in page
    for client in (ada, olga):
        page = client.get("/run/?run=a").content.decode()
        assert "/run/signal/" not in page and "waits for Manager" in page


def test_a_manager_touches_no_run_but_answers_what_is_asked_of_managers(mara: Client) -> None:
    form = opened(mara, "/run/signal/", "a")
    answer = mara.post("/run/signal/", form | {"answer": "no", "reason": "Used goods."})
    assert answer.status_code == 303
    (signal,) = told()
    assert (signal["name"], signal["payload"], signal["actor"]) == (
        "approve", {"approved": False, "note": "Used goods."}, "mara",
    )  # fmt: skip
    deed = RunAudit.objects.get()
    assert (deed.deed, deed.told, deed.role, deed.outcome) == ("signal", "approve", "manager", "done")


def test_c28_others_are_denied_and_so_is_an_absent_run_in_the_same_words(ada: Client, mara: Client) -> None:
    assert ada.get("/run/signal/?run=a").status_code == 403
    form = opened(mara, "/run/signal/", "a")
    answers = [ada.post("/run/signal/", form | {"run": run_id}) for run_id in ("a", "no-such-run")]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert words(answers[0]) == words(answers[1])
    assert told() == []
    assert RunAudit.objects.filter(actor="ada", deed="signal", outcome="denied").count() == 3


def test_c20_a_second_answer_is_refused_whoever_gives_it_and_whatever_it_says(mara: Client) -> None:
    from tests.dashboard.actions.conftest import signed_in

    max_ = signed_in("max", "manager")
    mine, his = opened(mara, "/run/signal/", "a"), opened(max_, "/run/signal/", "a")
    assert mara.post("/run/signal/", mine | {"answer": "yes"}).status_code == 303
    for client, form in ((max_, his | {"answer": "no"}), (mara, mine | {"answer": "yes"})):
        answer = client.post("/run/signal/", form)
        assert answer.status_code == 409
        assert "Not done, nothing was changed. mara answered it" in words(answer)
    assert [signal["payload"] for signal in told()] == [{"approved": True, "note": ""}]
    assert list(RunAudit.objects.order_by("id").values_list("outcome", flat=True)) == [
        "done",
        "refused",
        "refused",
    ]


def test_an_answer_after_the_run_has_gone_on_is_refused(mara: Client) -> None:
    form = opened(mara, "/run/signal/", "a")
    RunState.objects.filter(pk="a").update(
        cursor={"step": "quote", "status": "pending", "attempt": 0, "item": None}
    )
    answer = mara.post("/run/signal/", form)
    assert answer.status_code == 409 and "“Parse the request” → “Build the quote”" in words(answer)
    assert told() == []


def test_a_question_without_a_role_is_for_whoever_acts_on_orders(ada: Client, mara: Client) -> None:
    scene.order("b", status="waiting", signal="parts_came", may="")
    assert pushed(ada, "/run/signal/", "b").status_code == 303
    assert mara.get("/run/signal/?run=b").status_code == 403
    assert "Say no" not in ada.get("/run/").content.decode()


@pytest.mark.parametrize("generation", ["", "x", "-1", "99999999999"])
def test_a_form_of_nobody_is_no_question(mara: Client, generation: str) -> None:
    form = opened(mara, "/run/signal/", "a")
    assert mara.post("/run/signal/", form | {"generation": generation}).status_code == 400
