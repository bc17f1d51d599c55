from __future__ import annotations

from django.apps import AppConfig


class PurchaseOrdersConfig(AppConfig):
    """Makes the example's management commands available; it has no tables of its own."""

    name = "examples.purchase_orders"
    label = "purchase_orders"
    verbose_name = "Purchase orders"
