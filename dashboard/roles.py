"""Who may what: three roles as groups, made by migration and by tests whose flush takes them away."""

from __future__ import annotations

from typing import Any

from django.apps import apps as installed

SEE_ORDERS = "dashboard.see_orders"
ACT_ON_ORDERS = "dashboard.act_on_orders"
TAKE_OVER_HELD = "dashboard.take_over_held"
REWIND_ORDERS = "dashboard.rewind_orders"
CANCEL_ORDERS = "dashboard.cancel_orders"
WRITE_NOTES = "dashboard.write_notes"
REVEAL_PAYLOADS = "dashboard.reveal_payloads"
SEE_AUDIT = "dashboard.see_audit"
EXPORT_ORDERS = "dashboard.export_orders"
SHARE_VIEWS = "dashboard.share_views"

ROLES: dict[str, tuple[str, ...]] = {
    "support": (
        "see_orders",
        "write_notes",
        "act_on_orders",
        "cancel_orders",
        "export_orders",
        "share_views",
    ),
    "ops": (
        "see_orders",
        "write_notes",
        "act_on_orders",
        "take_over_held",
        "rewind_orders",
        "cancel_orders",
        "reveal_payloads",
        "see_audit",
        "export_orders",
        "share_views",
    ),
    "manager": ("see_orders", "write_notes", "see_audit", "export_orders", "share_views"),
}
NAMES = {
    "see_orders": "May look at orders and their runs",
    "write_notes": "May write notes on orders and set times to look again",
    "act_on_orders": "May hold, lift, nudge, flag, retry and mark seen, and take over a run that nobody holds",
    "take_over_held": "May take a run from a worker whose lease is good",
    "rewind_orders": "May put a run back to an earlier step, which buys again",
    "cancel_orders": "May end a run before its last step",
    "reveal_payloads": "May open hidden fields of inputs and results",
    "see_audit": "May read who did what",
    "export_orders": "May download the list of orders",
    "share_views": "May share a saved view with a role",
}


def ensure_roles(apps: Any = installed) -> None:
    """Make the groups and give each its permissions. Safe to repeat; what a person added to a group stays.

    Inside a migration Django has not made the permissions yet, so they are made here, under the same names.
    """
    content_type, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="dashboard", model="access"
    )
    permission = apps.get_model("auth", "Permission").objects
    for role, codenames in ROLES.items():
        group, _ = apps.get_model("auth", "Group").objects.get_or_create(name=role)
        for codename in codenames:
            given, _ = permission.get_or_create(
                content_type=content_type, codename=codename, defaults={"name": NAMES[codename]}
            )
            group.permissions.add(given)
