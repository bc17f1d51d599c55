"""How a run is named in a link and in a page: one encoding, whatever characters its id has.

A run id may hold a slash, a dot pair, a quote or a percent sign, which proxies and browsers rewrite in a
path; as the value of ?run= it travels whole.
"""

from __future__ import annotations

from hashlib import blake2b
from urllib.parse import parse_qs, urlencode, urlsplit


def run_query(run_id: str, **more: object) -> str:
    """`?run=…`, to stand behind a page's path."""
    return "?" + urlencode({"run": run_id, **more})


def run_of(link: str) -> str:
    """The run id in a link. The inverse of run_query, for every id the record takes."""
    return parse_qs(urlsplit(link).query, keep_blank_values=True, strict_parsing=True)["run"][0]


def dom_key(run_id: str) -> str:
    """A short name that is fit for an element's id."""
    return blake2b(run_id.encode(), digest_size=8).hexdigest()
