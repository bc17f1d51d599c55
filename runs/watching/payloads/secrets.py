"""Names that say of themselves that their value is not for everybody: password, apiKey, X-Auth-Token, cvv."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

# What opens something. A value under such a name is hidden wherever it stands, in a field or in a sentence.
_OPENS = frozenset({
    "password", "passwords", "passwd", "passwort", "pwd", "pw", "pass", "passphrase", "passcode", "kennwort", "contrasena",
    "secret", "secrets", "token", "bearer", "authorization", "auth", "cookie", "cookies", "credential", "credentials", "jwt",
    "apikey", "accesskey", "privatekey", "secretkey", "session", "sessionid", "authtoken", "accesstoken", "otp", "totp",
})  # fmt: skip
# Numbers of people and cards. In a sentence the word alone says nothing: "Card: declined" stays readable.
_NUMBERS = frozenset({
    "card", "cards", "cardnumber", "cardno", "creditcard", "ccnumber", "pan", "cvv", "cvv2", "cvc", "cvc2", "csc", "pin", "ssn",
    "iban",
})  # fmt: skip
_ENDINGS = ("password", "passwd", "secret", "token", "apikey")
_KEYS = ("api", "access", "private", "secret", "signing", "encryption", "auth", "service", "client", "master")
_WORD = re.compile(r"[A-Z]+(?![a-z])\d*|[A-Z]?[a-z]+\d*|\d+")


@lru_cache(maxsize=4096)
def opens_something(name: str) -> bool:
    """A name of credentials. Any part of it counts: db_password, X-Auth-Token, clientSecret, api_key."""
    words = _words(name)
    pairs = pairwise(words)
    return (
        any(word in _OPENS or word.endswith(_ENDINGS) for word in words)
        or any(first.endswith(_KEYS) and second in ("key", "keys") for first, second in pairs)
        or "".join(words) in _OPENS
    )


@lru_cache(maxsize=4096)
def numbers_somebody(name: str) -> bool:
    """A name of a card's or a person's number."""
    words = _words(name)
    return not _NUMBERS.isdisjoint(words) or "".join(words) in _NUMBERS


def looks_secret(name: str, is_number: bool = False) -> bool:
    """Is a field of this name hidden? A *number* of tokens is a count, not a credential."""
    if opens_something(name) or numbers_somebody(name):
        return True
    return not is_number and "tokens" in _words(name)


def _words(name: str) -> list[str]:
    # A name of kilobytes is no name; what it begins with is enough to judge it, and keeps the judging short.
    return [word.lower() for word in _WORD.findall(name[:200])]
