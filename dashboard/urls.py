"""The URLs of the dashboard. A run is named by ?run=, never by the path: see runs/watching/links.py."""

from __future__ import annotations

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path

from dashboard.views import (
    audit,
    export,
    follows,
    frame,
    health,
    notes,
    orders,
    payloads,
    reveal,
    run,
    saved_views,
    streams,
)
from dashboard.views.actions import rewind, signal, single

# prefix: /orders/
orders_urls = [
    path("", orders.orders, name="orders"),
    path("rows/", orders.rows, name="orders-rows"),
    path("live/", streams.orders_live, name="orders-live"),
    path("follow/", follows.follows, name="orders-follow"),
    path("view/", saved_views.opened, name="orders-view"),
    path("views/", saved_views.kept, name="orders-views"),
    path("views/keep/", saved_views.keep, name="orders-views-keep"),
    path("views/change/", saved_views.change, name="orders-views-change"),
    path("views/delete/", saved_views.delete, name="orders-views-delete"),
    path("export/", export.export, name="orders-export"),
]

# prefix: /run/
run_urls = [
    path("", run.run, name="run"),
    path("log/", run.log, name="run-log"),
    path("now/", run.now, name="run-now"),
    path("live/", streams.run_live, name="run-live"),
    path("note/", notes.note, name="run-note"),
    path("payload/", payloads.payload, name="payload"),
    path("payload/download/", payloads.download, name="payload-download"),
    path("reveal/", reveal.reveal, name="reveal"),
    path("payloads/", payloads.card, name="run-payloads"),
    path("items/", payloads.items, name="run-items"),
    path("hold/", single.hold, name="hold"),
    path("lift/", single.lift, name="lift"),
    path("nudge/", single.nudge, name="nudge"),
    path("flag/", single.flag, name="flag"),
    path("retry-failed/", single.retry_failed, name="retry-failed"),
    path("mark-seen/", single.mark_seen, name="mark-seen"),
    path("cancel/", single.cancel, name="cancel"),
    path("take-over/", single.take_over, name="take-over"),
    path("rewind/", rewind.rewind, name="rewind"),
    path("signal/", signal.signal, name="signal"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", frame.home, name="home"),
    path("orders/", include(orders_urls)),
    path("run/", include(run_urls)),
    path("audit/", audit.audit, name="audit"),
    path("preferences/", frame.keep_preferences, name="preferences"),
    path("sign-in/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]

handler400 = frame.bad_request
handler403 = frame.forbidden
handler404 = frame.not_found
handler500 = frame.broken
