"""The vendors that the workflows call, and how patiently."""

from __future__ import annotations

from examples.purchase_orders.client import scaled
from runs.workflow import Retry, Vendor

parsewell = Vendor("Parsewell")
pricebook = Vendor("Pricebook")
creditline = Vendor("Creditline")
cardline = Vendor("Cardline")
nordfracht = Vendor("Nordfracht")
accounts = Vendor("Accounts")
postmail = Vendor("Postmail")

# A vendor that is away for ten minutes should cost an order its time and not its place.
patient = Retry(attempts=12, first=scaled(2, floor=0.5), factor=2.0, ceiling=scaled(60, floor=5))
