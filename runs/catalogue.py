"""What this build knows, as data: published to the database, so that pages draw workflows written elsewhere or long deleted."""

from __future__ import annotations

import json
from typing import Any

from runs.declare import Step
from runs.workflow import Workflow, declared


def published() -> dict[str, dict[str, Any]]:
    """The body to publish for each declared workflow, by its name."""
    return {name: _body(flow) for name, flow in declared().items() if flow.steps}


def vendors_by_step() -> str:
    """JSON of "workflow/step" to vendor, for every step that this build knows: what a claim demands."""
    known = {
        f"{flow.name}/{step.first_name}": step.vendor_name
        for flow in declared().values()
        for step in flow.steps
    }
    return json.dumps(known)


def _body(flow: Workflow) -> dict[str, Any]:
    return {
        "workflow": flow.name,
        "steps": [_step(step) for step in flow.steps],
        "labels": [
            {
                "name": label.name,
                "path": label.path,
                "searchable": label.searchable,
                "money": label.money,
                "roles": list(label.roles),
            }
            for label in flow.labels
        ],
        "promise": {"until": flow.promise.until, "within_seconds": flow.promise.within.total_seconds()}
        if flow.promise
        else None,
    }


def _step(step: Step) -> dict[str, Any]:
    return {
        "name": step.name,
        "first_name": step.first_name,
        "title": step.title,
        "doing": step.doing,
        "saying": step.saying,
        "guard": step.guard.value,
        "vendor": step.vendor_name,
        "timeout": step.timeout,
        "settle": step.settle,
        "money": step.money if step.is_effect else "",
        "retry": {"attempts": step.retry.attempts},
        "key_hours": step.key_memory.hours if step.key_memory else None,
        "decides": step.decides,
        "within_seconds": step.within.total_seconds() if step.within else None,
        "check": step.check,
        "harm": step.harm,
    }


def as_json(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False)
