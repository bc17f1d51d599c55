"""Notes by people: once, for ever, with a time to look again, shown as text."""

from __future__ import annotations

import re
import uuid
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from dashboard import notes
from dashboard.models import Follow, Note
from tests.dashboard import scene


@pytest.fixture
def page(ada: Client) -> Client:
    scene.publish()
    scene.order("a", status="started", lease=20)
    return ada


def write(
    client: Client, text: str = "Told the buyer.", again: str = "", once: str = "", run: str = "a"
) -> int:
    form = {"run": run, "text": text, "follow_up_at": again, "once": once or str(uuid.uuid4())}
    return client.post("/run/note/", form).status_code


def ahead(**delta: float) -> str:
    return f"{timezone.now() + timedelta(**delta):%Y-%m-%dT%H:%M}"


def test_a_note_stands_on_the_page_with_its_author_and_time(page: Client) -> None:
    assert write(page, "Told the buyer:\nconfirmation by 14:06.") == 302
    shown = page.get("/run/?run=a").content.decode()
    assert "<b>ada</b>" in shown
    assert "Told the buyer:\nconfirmation by 14:06." in shown


def test_the_time_is_the_databases(page: Client) -> None:
    write(page)
    with connection.cursor() as db:
        db.execute("SELECT abs(extract(epoch FROM at - clock_timestamp())) < 60 FROM dashboard_note")
        assert db.fetchone() == (True,)


def test_the_same_form_sent_twice_is_one_note(page: Client) -> None:
    once = str(uuid.uuid4())
    assert [write(page, once=once), write(page, once=once)] == [302, 302]
    assert Note.objects.count() == 1


def test_a_time_to_look_again_goes_to_the_authors_own_list(page: Client) -> None:
    page.cookies["zone"] = "Asia/Tokyo"
    again = timezone.now().replace(second=0, microsecond=0) + timedelta(hours=2)
    write(page, again=f"{again.astimezone(ZoneInfo('Asia/Tokyo')):%Y-%m-%dT%H:%M}")
    assert Note.objects.get().follow_up_at == again
    follow = Follow.objects.get()
    assert (follow.user.username, follow.run_id, follow.follow_up_at) == ("ada", "a", again)
    later = again + timedelta(hours=1)
    write(page, again=f"{later.astimezone(ZoneInfo('Asia/Tokyo')):%Y-%m-%dT%H:%M}")
    assert Follow.objects.get().follow_up_at == later
    assert "Look again at" in page.get("/run/?run=a").content.decode()


def test_a_note_without_a_time_follows_nothing(page: Client) -> None:
    write(page)
    assert not Follow.objects.exists()


@pytest.mark.parametrize(
    ("text", "again", "said"),
    [
        ("", "", "Write something first."), ("   ", "", "Write something first."), ("x" * 2001, "", "at most 2000 characters"),
        ("fine", "2020-01-01T10:00", "has passed already"), ("fine", "soon", "needs a day and a time"),
        ("a\0b", "", "Null characters"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_shown_again_with_the_reason(
    page: Client, text: str, again: str, said: str
) -> None:
    answer = page.post(
        "/run/note/", {"run": "a", "text": text, "follow_up_at": again, "once": str(uuid.uuid4())}
    )
    assert answer.status_code == 422
    shown = answer.content.decode()
    assert said in shown
    assert not Note.objects.exists()


def test_a_note_is_never_changed(page: Client) -> None:
    write(page)
    for change in (lambda: Note.objects.update(text="other"), lambda: Note.objects.all().delete()):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            change()
    assert Note.objects.get().text == "Told the buyer."


def test_c27_a_note_is_text_and_nothing_else(page: Client) -> None:
    for bad in (
        "<img src=x onerror=alert(1)>",
        "</script><script>alert(1)</script>",
        '" autofocus onfocus="alert(1)',
    ):
        write(page, bad)
    shown = page.get("/run/?run=a").content.decode()
    assert "<img src=x" not in shown
    assert "<script>alert" not in shown
    assert '" autofocus onfocus="' not in shown


def test_c30_a_card_number_in_a_note_is_hidden(page: Client) -> None:
    write(page, "The card is 4242 4242 4242 4242, pw=hunter2")
    shown = page.get("/run/?run=a").content.decode()
    assert "The card is [hidden], pw=[hidden]" in shown


def test_a_run_that_is_not_there_takes_no_note(page: Client) -> None:
    assert write(page, run="none") == 404


def test_who_may_not_write_is_shown_no_form_and_turned_away(client: Client, db: None) -> None:
    scene.publish()
    scene.order("a")
    person = scene.person("cy", None)
    client.force_login(person)
    assert write(client) == 403
    assert not Note.objects.exists()


def test_many_notes_are_cut_and_the_page_says_so(page: Client) -> None:
    Note.objects.bulk_create(Note(run_id="a", author="ada", text=f"note {n}") for n in range(60))
    shown = page.get("/run/?run=a").content.decode()
    assert len(re.findall('class="note-text"', shown)) == 50
    assert "Older notes are not shown." in shown


def test_one_query_tells_which_runs_have_newer_notes(page: Client, django_assert_num_queries: object) -> None:
    write(page)
    scene.order("b")
    write(page, run="b")
    with django_assert_num_queries(1):  # type: ignore[operator]
        found = notes.newest(["a", "b", "c"])
    assert found == {note.run_id: note.id for note in Note.objects.all()}
    assert User.objects.count() == 1
