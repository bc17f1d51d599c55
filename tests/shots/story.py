"""One afternoon of a small shop, with every state that a page must tell; no figure in it is random."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from tests.dashboard import past, scene

BUYERS = (
    "Müller Maschinenbau", "Brandt & Söhne", "Kärntner Holzwerke", "Nordlicht Fahrzeugbau", "Ostsee Dichtungen",
    "Leitgeb Anlagenbau", "Quelle & Söhne Vereinigte Werkstätten für Feinmechanik GmbH",
)  # fmt: skip
AMOUNTS = ("14200.00", "412.00", "58310.40", "1940.00", "77.15", "118612.00", "14238902.10")
LONG_NAME = "RECONCILIATION-OF-THE-NOVEMBER-LEDGER-2026-11-PART-7-OF-12-A1"
POD = "purchase-order-worker-7c9f6d5b8d-xk2vq-eu-central-1b#f00dcafe"
MOVING, LATE = 14, 90


@dataclass(frozen=True)
class Shot:
    """A page to look at: its file's name, and its path."""

    name: str
    path: str


SHOTS = (
    Shot("orders", "/orders/"),
    Shot("orders-open", "/orders/?state=open"),
    Shot("orders-all", "/orders/?state=all"),
    Shot("orders-none-match", "/orders/?q=nothing-of-the-kind"),
    Shot("run-moving", "/run/?run=run_moving_0"),
    Shot("run-taken-over", "/run/?run=run_8f3c1a"),
    Shot("run-in-doubt", "/run/?run=run_doubt"),
    Shot("run-needs-a-person", "/run/?run=run_blocked"),
    Shot("run-failed", "/run/?run=run_failed"),
    Shot("run-retrying", "/run/?run=run_retrying"),
    Shot("run-waiting", "/run/?run=run_waiting"),
    Shot("run-held", "/run/?run=run_held"),
    Shot("run-lost", "/run/?run=run_lost"),
    Shot("run-done", "/run/?run=run_done"),
    Shot("run-of-three-steps", "/run/?run=run_three"),
    Shot("run-of-forty-steps", "/run/?run=run_forty"),
    Shot("run-not-known", "/run/?run=run_odd"),
    Shot("not-found", "/run/?run=nobody"),
)


def tell() -> None:
    """Write the story into an empty database."""
    scene.publish(within_seconds=300, money={"charge_card": "charge", "credit_check": "fee"})
    scene.publish(
        "reconcile",
        [(f"stage_{n}", f"Reconcile part {n}", f"reconciling part {n}", "pure", "") for n in range(1, 41)],
    )
    scene.publish("letter", [(n, n.capitalize(), f"{n}ing", "pure", "") for n in ("draft", "print", "post")])
    for owner in (scene.OWNER, POD, past.NEW):
        scene.worker(owner)
    for n in range(MOVING):
        step = scene.STEPS[n % 4][0]
        more = {"items_done": 92, "items_total": 240} if step == "quote" else {}
        _order(
            f"run_moving_{n}",
            n,
            status="started",
            step=step,
            lease=28 - n,
            attempt=1,
            guard=scene.STEPS[n % 4][3],
            **more,
        )
    with transaction.atomic():
        past.taken_over("run_8f3c1a", ref="PO-2026-0041")
    scene.label("run_8f3c1a", "buyer", BUYERS[0])
    scene.label("run_8f3c1a", "amount", AMOUNTS[0], "EUR")
    _order(
        "run_doubt",
        20,
        status="in_doubt",
        step="charge_card",
        attempt=1,
        reason="Its worker stopped after this call was begun.",
    )
    _order(
        "run_blocked",
        21,
        status="blocked",
        step="quote",
        reason="Three workers died at this step: worker-3, worker-9, worker-11.",
    )
    _order(
        "run_failed",
        22,
        status="failed",
        step="credit_check",
        attempt=5,
        reason="Creditline refused the enquiry: account closed.",
    )
    _order("run_retrying", 23, status="started", step="notify_buyer", attempt=2, lease=20, guard="keyed")
    scene.retry("run_retrying", "Postmail answered 503: turned away at the door.")
    _order(
        "run_waiting", 24, status="waiting", step="charge_card", signal="approve_over_50000", may="manager"
    )
    _order(
        "run_held", 25, status="held", step="credit_check", reason="The buyer asked us to wait until noon."
    )
    _order("run_lost", 26, status="started", step="quote", attempt=1, lease=-4, guard="repeat_ok")
    _order("run_done", 27, status="done", step="notify_buyer", attempt=1)
    _order("run_cancelled", 28, status="cancelled", step="quote", reason="Ordered twice.")
    scene.order(
        "run_three", ref="LETTER-7", workflow="letter", status="started", step="print", lease=20, attempt=1
    )
    scene.order(
        "run_forty", ref=LONG_NAME, workflow="reconcile", status="waiting", step="stage_17", wake=4000
    )
    scene.order("run_odd", ref="PO-2026-0099", status="paused_by_v3", step="quote")
    scene.age("run_doubt", LATE + 300)


def _order(run_id: str, n: int, **told: object) -> None:
    scene.order(run_id, ref=f"PO-2026-0{100 + n}", labels={"buyer": BUYERS[n % len(BUYERS)]}, **told)  # type: ignore[arg-type]
    scene.label(run_id, "amount", AMOUNTS[n % len(AMOUNTS)], "EUR")
