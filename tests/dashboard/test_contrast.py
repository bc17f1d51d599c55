"""Text stands out from its ground by 4.5 : 1, parts of controls and graphics by 3 : 1, in both themes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TOKENS = (Path(__file__).parents[2] / "static/css/tokens.css").read_text()
COLOURS = re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", TOKENS)
THEMES = {
    "light": {name: light for name, light, _ in COLOURS},
    "dark": {name: dark for name, _, dark in COLOURS},
}
TONES = ("moving", "amber", "red", "doubt", "blue", "grey")
TEXT = [
    *[(ink, ground) for ink in ("text", "text-soft", "quiet", "accent") for ground in ("ground", "card", "raised")],
    *[(tone, f"{tone}-soft") for tone in TONES],
    *[(tone, ground) for tone in TONES for ground in ("card", "ground")],
    ("accent", "accent-soft"), ("on-accent", "accent"), ("on-accent", "accent-deep"), ("text", "grey-soft"),
    ("text", "accent-soft"), ("text-soft", "grey-soft"),
]  # fmt: skip
PARTS = [
    (ink, ground) for ink in ("line", "accent", "amber-line", "red-line") for ground in ("card", "raised")
]


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("ink", "ground"), TEXT)
def test_text_can_be_read(theme: str, ink: str, ground: str) -> None:
    assert contrast(THEMES[theme][ink], THEMES[theme][ground]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("ink", "ground"), PARTS)
def test_parts_of_controls_can_be_seen(theme: str, ink: str, ground: str) -> None:
    assert contrast(THEMES[theme][ink], THEMES[theme][ground]) >= 3


@pytest.mark.parametrize("theme", THEMES)
def test_in_doubt_is_not_taken_for_waiting(theme: str) -> None:
    """Seen with red-blind and green-blind eyes (Machado, severity 1), the two inks stay apart."""
    for matrix in (
        ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
        ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    ):
        doubt, blue = (_seen(THEMES[theme][tone], matrix) for tone in ("doubt", "blue"))
        assert sum((a - b) ** 2 for a, b in zip(doubt, blue, strict=True)) ** 0.5 > 40


def _seen(colour: str, matrix: tuple[tuple[float, ...], ...]) -> list[float]:
    rgb = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    return [sum(m * c for m, c in zip(row, rgb, strict=True)) for row in matrix]
