"""A wrong setting is refused with its name, its value and the remedy; a right one is read."""

from __future__ import annotations

import pytest

from dashboard import env


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://host/name"),
        ("CELERY_BROKER_URL", "localhost:6379"),
        ("LEASEBOARD_TTL_SECONDS", "half a minute"),
        ("LEASEBOARD_TTL_SECONDS", "nan"),
        ("LEASEBOARD_HEARTBEAT_SECONDS", "0"),
        ("LEASEBOARD_GRACE_SECONDS", "-1"),
        ("LEASEBOARD_POOL", "2.5"),
        ("LEASEBOARD_WORKFLOWS", "orders/workflow.py"),
        ("LEASEBOARD_TRUSTED_ORIGINS", "leaseboard.example.com"),
        ("PORT", "65536"),
        ("DEBUG", "maybe"),
    ],
)
def test_a_wrong_value_is_refused_by_name(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(env.SettingRefused) as refusal:
        env.refuse_wrong_values()
    assert str(refusal.value).startswith(f'{name} is "{value}": set it to ')


def test_a_refusal_keeps_the_password_to_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://ada:secret@host/name")
    with pytest.raises(env.SettingRefused, match="mysql://ada:…@host/name"):
        env.DATABASE_URL.value()


def test_an_empty_variable_counts_as_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASEBOARD_TTL_SECONDS", " ")
    assert env.TTL_SECONDS.value() == 30
    assert not env.TTL_SECONDS.is_given


def test_names_are_split_at_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASEBOARD_WORKFLOWS", "shop.orders, shop.returns,")
    assert env.WORKFLOWS.value() == ["shop.orders", "shop.returns"]
