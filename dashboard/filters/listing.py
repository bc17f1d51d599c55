"""What the URL of a list asks for, and the URLs of its neighbours: the URL is the whole state of the page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse
from runs.queries import STATES, Key, normalised

from dashboard import paging


@dataclass(frozen=True)
class Listing:
    """`q` finds runs by what a caller knows; `state` and `filter` narrow the list; `mine` is what one follows.

    An empty state stands for what needs attention, or everything in flight where nothing does.
    """

    q: str = ""
    state: str = ""
    filter: str = ""
    is_mine: bool = False
    view: str = ""
    key: Key | None = None

    @classmethod
    def parse(cls, query: QueryDict) -> Listing:
        """Anything that no page of ours made reads as not asked."""
        state = query.get("state", "")
        return cls(
            q=normalised(query.get("q", "")),
            state=state if state in STATES else "",
            filter=query.get("f", "").replace("\0", "").strip(),
            is_mine=bool(query.get("mine")),
            view=query.get("view", "") if query.get("view", "").isdigit() else "",
            key=paging.parsed(query.get("after", "")),
        )

    def query(self, **changes: Any) -> str:
        """The query string of this list, or of one that differs as told. The key is kept only if given."""
        other = replace(self, **({"key": None} | changes))
        given = {
            "q": other.q,
            "mine": "1" if other.is_mine else "",
            "state": other.state,
            "f": other.filter,
            "view": other.view,
            "after": paging.printed(other.key),
        }
        return urlencode({name: value for name, value in given.items() if value})

    def url(self, name: str = "orders", **changes: Any) -> str:
        query = self.query(**changes)
        return reverse(name) + (f"?{query}" if query else "")

    @property
    def csv_url(self) -> str:
        return self.url("orders-export") + self._form("csv")

    @property
    def json_url(self) -> str:
        return self.url("orders-export") + self._form("json")

    def _form(self, form: str) -> str:
        return ("&" if self.query() else "?") + urlencode({"form": form})
