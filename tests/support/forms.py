"""Forms as a browser without scripts fills and sends them: every field that the page holds, and what a person types."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from django.http import HttpResponse
from django.test import Client

Fields = dict[str, str]


class _Reader(HTMLParser):
    """The fields of each form, by its address."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[tuple[str, Fields]] = []
        self.open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.open = True
            self.forms.append((given.get("action", ""), {}))
        elif tag == "input" and self.open and "name" in given:
            self.forms[-1][1][given["name"]] = given.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        self.open = self.open and tag != "form"


def fields(answer: HttpResponse, address: str) -> Fields:
    """What the form at this address holds."""
    reader = _Reader()
    reader.feed(answer.content.decode())
    return next(fields for action, fields in reader.forms if action.partition("?")[0] == address)


def opened(client: Client, address: str, run_id: str, **asked: str) -> Fields:
    """Open a verb's form for a run, and take what it holds."""
    answer = client.get(address, {"run": run_id, **asked})
    assert answer.status_code == 200, answer.content.decode()
    return fields(answer, address)


def pushed(client: Client, address: str, run_id: str, **typed: str) -> Any:
    """Open the form, fill it and push its button."""
    return client.post(address, opened(client, address, run_id) | typed)


def words(answer: Any) -> str:
    """The page's text between its tags, as one reads it."""

    class Text(HTMLParser):
        found: list[str] = []

        def handle_data(self, data: str) -> None:
            self.found.append(data)

    text = Text()
    text.found = []
    text.feed(answer.content.decode().partition("<main")[2].partition("</main>")[0])
    return " ".join(" ".join(text.found).partition(">")[2].split())
