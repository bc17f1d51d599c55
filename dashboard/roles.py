"""Who may what: three roles as groups, made by migration and by tests whose flush takes them away."""

from __future__ import annotations

from typing import Any

from django.apps import apps as installed

SEE_ORDERS = "dashboard.see_orders"

ROLES: dict[str, tuple[str, ...]] = {
    "support": ("see_orders",),
    "ops": ("see_orders",),
    "manager": ("see_orders",),
}
NAMES = {"see_orders": "May look at orders and their runs"}


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
