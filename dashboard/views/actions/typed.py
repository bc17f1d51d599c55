"""What a person typed into a form that asks for it: a reason, and the order's last six characters."""

from __future__ import annotations

import unicodedata

LAST = 6
REASON_MAX = 500


def reason_of(text: str) -> str:
    """Trimmed and cut; a form's own field is no longer than that."""
    return text.replace("\0", "").strip()[:REASON_MAX]


def names(typed: str, order: str) -> bool:
    """Are these the last six characters of the order, or all of it? Case, spaces and dashes are forgiven."""
    given, whole = _plain(typed), _plain(order)
    return bool(given) and given in (whole, whole[-LAST:], _plain(order[-LAST:]))


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = "".join(letter for letter in folded if letter.isalnum())
    # An order of signs alone is compared as it stands.
    return kept or folded.strip()
