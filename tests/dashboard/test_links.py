"""A run is named by ?run= and survives the way there and back, whatever characters its id has."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from runs.watching.links import dom_key, run_of, run_query
from tests.dashboard import scene

NAUGHTY = [
    "x_'some/value'|50% #?+ é=", "..", ".", "a%2Fb", "a//b", "http://e.com/x", "<img src=x onerror=alert(1)>",
    '" autofocus onfocus="', "javascript:alert(1)", "a&b=c;d", "a b", "%00", "%", "\\", "日本語", "😀", "a~b", "?run=x",
]  # fmt: skip
allowed = st.text(st.characters(blacklist_categories=("Cc", "Cs")), min_size=1, max_size=200)


@given(allowed)
def test_decode_of_link_is_the_id(run_id: str) -> None:
    assert run_of("/run/" + run_query(run_id)) == run_id
    assert re.fullmatch(r"\?run=[\w.~%+*-]+", run_query(run_id), re.ASCII)


@given(allowed)
def test_the_key_is_fit_for_an_elements_id(run_id: str) -> None:
    assert re.fullmatch("[0-9a-f]{16}", dom_key(run_id))


@pytest.mark.parametrize("run_id", NAUGHTY)
def test_c01_a_naughty_id_opens_from_the_list_and_from_the_search(ada: Client, run_id: str) -> None:
    scene.publish()
    scene.order(run_id, status="blocked")
    scene.order("another", status="blocked")
    listed = ada.get("/orders/", {"state": "all"}).content.decode()
    links = [unescape(link) for link in re.findall(r'class="order" href="([^"]+)"', listed)]
    link = next(link for link in links if run_of(link) == run_id)
    assert ada.get(link).context["line"].run_id == run_id
    found = ada.get("/orders/", {"q": run_id})
    assert found.status_code == 302
    assert run_of(found["Location"]) == run_id


def test_what_looks_like_markup_is_shown_as_text(ada: Client) -> None:
    scene.publish()
    bad = "<script>alert(1)</script>"
    scene.order(bad, ref=bad, status="blocked", step=bad, reason=bad, labels={"buyer": bad, "reference": bad})
    for url in ("/orders/?state=all", "/run/" + run_query(bad)):
        assert "<script>alert" not in ada.get(url).content.decode()
