"""Every environment variable that Leaseboard reads, with its default and the remedy of a wrong value."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

REPOSITORY = Path(__file__).resolve().parent.parent

T = TypeVar("T")


class Refused(Exception):
    """Leaseboard cannot run like this. The message is one sentence for a person and names the remedy."""


class SettingRefused(Refused, ImproperlyConfigured):
    """An environment variable holds a value that Leaseboard cannot work with."""


@dataclass(frozen=True)
class Setting(Generic[T]):
    """One variable. `wants` ends the sentence "set it to …" that a person reads when the value is refused."""

    name: str
    parse: Callable[[str], T]
    default: Callable[[], T]
    wants: str

    def value(self) -> T:
        """The parsed value; an empty variable counts as absent. Raises SettingRefused, without passwords."""
        raw = os.environ.get(self.name, "").strip()
        if not raw:
            return self.default()
        try:
            return self.parse(raw)
        except ValueError:
            raise SettingRefused(f'{self.name} is "{_shown(raw)}": set it to {self.wants}.') from None

    @property
    def is_given(self) -> bool:
        return bool(os.environ.get(self.name, "").strip())


def _shown(raw: str) -> str:
    """A URL loses its password before it reaches a terminal or a log."""
    try:
        password = urlsplit(raw).password
    except ValueError:
        return raw
    return raw.replace(f":{password}@", ":…@") if password else raw


def _flag(raw: str) -> bool:
    if raw.lower() not in ("1", "true", "yes", "on", "0", "false", "no", "off"):
        raise ValueError(raw)
    return raw.lower() in ("1", "true", "yes", "on")


def _positive(raw: str) -> float:
    number = float(raw)
    if not 0 < number < 86_400 * 365:
        raise ValueError(raw)
    return number


def _count(raw: str) -> int:
    number = int(raw)
    if number < 1:
        raise ValueError(raw)
    return number


def _port(raw: str) -> int:
    number = int(raw)
    if not 1 <= number <= 65_535:
        raise ValueError(raw)
    return number


def _names(raw: str) -> list[str]:
    return [name.strip() for name in raw.split(",") if name.strip()]


def _modules(raw: str) -> list[str]:
    modules = _names(raw)
    if not all(part.isidentifier() for module in modules for part in module.split(".")):
        raise ValueError(raw)
    return modules


def _origins(raw: str) -> list[str]:
    origins = _names(raw)
    if not all(origin.startswith(("https://", "http://")) for origin in origins):
        raise ValueError(raw)
    return origins


def _url(*schemes: str) -> Callable[[str], str]:
    def parse(raw: str) -> str:
        if urlsplit(raw).scheme not in schemes:
            raise ValueError(raw)
        return raw

    return parse


DATABASE_URL: Setting[str | None] = Setting(
    "DATABASE_URL",
    _url("postgresql", "postgres"),
    lambda: None,
    "a URL such as postgresql://user:password@host:5432/name, or leave it out for the embedded PostgreSQL",
)
CELERY_BROKER_URL: Setting[str | None] = Setting(
    "CELERY_BROKER_URL",
    _url("redis", "rediss", "redis+socket", "amqp", "amqps", "memory"),
    lambda: None,
    "a URL such as redis://host:6379/0 or amqp://user:password@host//, or leave it out for embedded Valkey",
)
DATA: Setting[Path | None] = Setting(
    "LEASEBOARD_DATA", lambda raw: Path(raw).expanduser().resolve(), lambda: None, "a directory of your own"
)
SECRET_KEY: Setting[str | None] = Setting(
    "SECRET_KEY", str, lambda: None, "a long random text, the same on every host"
)
DEBUG = Setting("DEBUG", _flag, lambda: False, "1 or 0")
HTTPS = Setting("LEASEBOARD_HTTPS", _flag, lambda: False, "1 when every visitor comes over HTTPS, else 0")
ALLOWED_HOSTS = Setting(
    "ALLOWED_HOSTS",
    _names,
    lambda: ["127.0.0.1", "localhost", "[::1]"],
    "host names separated by commas",
)
TRUSTED_ORIGINS: Setting[list[str]] = Setting(
    "LEASEBOARD_TRUSTED_ORIGINS",
    _origins,
    list,
    "origins such as https://leaseboard.example.com, separated by commas",
)
PORT = Setting("PORT", _port, lambda: 8000, "a port number between 1 and 65535")
APPS = Setting(
    "LEASEBOARD_APPS",
    _modules,
    lambda: ["examples.purchase_orders"],
    "dotted module names of Django apps, separated by commas",
)
WORKFLOWS = Setting(
    "LEASEBOARD_WORKFLOWS",
    _modules,
    lambda: ["examples.purchase_orders.workflow"],
    "dotted module names such as shop.orders.workflow, separated by commas",
)
BUILD = Setting("LEASEBOARD_BUILD", str, lambda: "dev", "the name of the code version that is running")
TTL_SECONDS = Setting("LEASEBOARD_TTL_SECONDS", _positive, lambda: 30.0, "seconds above zero, such as 30")
HEARTBEAT_SECONDS = Setting(
    "LEASEBOARD_HEARTBEAT_SECONDS", _positive, lambda: 10.0, "seconds above zero, such as 10"
)
GRACE_SECONDS = Setting("LEASEBOARD_GRACE_SECONDS", _positive, lambda: 30.0, "seconds above zero, such as 30")
WORKER = Setting("LEASEBOARD_WORKER", str, socket.gethostname, "a name for this host's workers")
POD = Setting("POD_NAME", str, lambda: "", "the name of the pod, as the cluster knows it")
NODE = Setting("NODE_NAME", str, lambda: "", "the name of the pod's node, as the cluster knows it")
POOL = Setting("LEASEBOARD_POOL", _count, lambda: 4, "a whole number of connections, 1 or more")
VENDOR_SIMULATOR_URL: Setting[str | None] = Setting(
    "VENDOR_SIMULATOR_URL", _url("http", "https"), lambda: None, "a URL such as http://127.0.0.1:8010"
)
# Real vendors take up to minutes for a step; in the demo an order should move before one's eyes.
VENDOR_SPEED = Setting("VENDOR_SPEED", _positive, lambda: 10.0, "a number above zero, such as 10")

ALL: tuple[Setting[Any], ...] = tuple(value for value in vars().copy().values() if isinstance(value, Setting))


def refuse_wrong_values() -> None:
    """Raise SettingRefused for the first variable that cannot be used."""
    for setting in ALL:
        setting.value()
