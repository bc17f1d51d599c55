"""Labels: what people search a run by, taken from its input or from a result as it is committed."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runs.workflow import Workflow

VALUE_MAX = 500


def brought_by(source: str, flow: Workflow, values: dict[str, Any]) -> list[dict[str, str]]:
    """The labels whose path begins at source ("input", or a step's first name), as rows for run_label.

    A path that leads nowhere brings no label: a result may lack what another build gave.
    """
    found = []
    for label in flow.labels:
        if label.path.partition(".")[0] != source:
            continue
        value = _at(values, label.path)
        if value is None or isinstance(value, dict | list):
            continue
        text = str(value)[:VALUE_MAX]
        currency = str(_at(values, label.money) or "") if label.money else ""
        found.append(
            {
                "name": label.name,
                "value": text,
                "folded": folded(text) if label.searchable else "",
                "currency": currency,
            }
        )
    return found


def folded(text: str) -> str:
    """The form in which labels are compared: normalised, case folded, single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _at(values: dict[str, Any], path: str) -> Any:
    value: Any = values
    for part in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value
