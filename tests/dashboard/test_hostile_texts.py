"""What others wrote is text on the list, in its fragments, its title and its file, whatever it looks like."""

from __future__ import annotations

from html import escape

import pytest
from django.test import Client

from tests.dashboard import scene
from tests.dashboard.test_links import NAUGHTY

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    '" autofocus onfocus="alert(1)',
    "javascript:alert(1)",
    "{{ 7 }}{% now %}",
)


@pytest.fixture
def orders(ada: Client) -> Client:
    scene.publish(within_seconds=300, labels=[{"name": "buyer", "path": "input.buyer"}])
    return ada


def harmless(page: str, text: str) -> None:
    """It is there as text, and nowhere as markup: an attribute that it closes would leave its quote bare."""
    assert escape(text).replace("&#x27;", "&#39;") in page.replace("&#x27;", "&#39;")
    for raw in ("<img src=x", "<script>alert", '" autofocus'):
        assert raw not in page
    assert 'href="javascript:' not in page


@pytest.mark.parametrize("text", HOSTILE)
def test_c27_every_text_of_a_row_is_shown_as_text(orders: Client, text: str) -> None:
    scene.order(text, ref=text, status="held", step=text, labels={"buyer": text}, reason=text, item=text)
    scene.order("odd", status=text)
    page = orders.get("/orders/", {"state": "on_hold"})
    harmless(page.content.decode(), text)
    harmless(orders.get("/orders/", {"state": "other"}).content.decode(), text)
    harmless(orders.get(page.context["stream"].poll_url).content.decode(), text)


@pytest.mark.parametrize("text", HOSTILE)
def test_c27_what_a_link_brings_is_shown_as_text(orders: Client, text: str) -> None:
    harmless(orders.get("/orders/", {"q": text}).content.decode(), text)
    harmless(orders.get("/orders/", {"f": text}).content.decode(), text)


@pytest.mark.parametrize("text", HOSTILE)
def test_c27_the_name_of_a_view_is_shown_as_text(orders: Client, text: str) -> None:
    orders.post("/orders/views/keep/", {"name": text, "role": "support", "query": "state=done"})
    harmless(orders.get("/orders/").content.decode(), text)
    harmless(orders.get("/orders/views/").content.decode(), text)


@pytest.mark.parametrize("run_id", NAUGHTY)
def test_c01_an_id_is_followed_and_filtered_by_whatever_its_characters(orders: Client, run_id: str) -> None:
    from dashboard.filters.grammar import Word
    from dashboard.models import Follow

    scene.order(run_id, status="blocked")
    scene.order("another", status="blocked")
    orders.post("/orders/follow/", {"run": f"{run_id}|0"})
    assert Follow.objects.get().run_id == run_id
    for query in ({"mine": "1"}, {"f": str(Word("run", run_id))}):
        assert [line.run_id for line in orders.get("/orders/", query).context["lines"]] == [run_id], query
