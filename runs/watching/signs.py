"""The sign of each kind of log row: a word, an icon and a tone."""

from __future__ import annotations

from runs.states import Kind

# kind -> the word on the badge, icon, tone
SIGNS: dict[str, tuple[str, str, str]] = {
    Kind.STARTED_RUN: ("received", "received", "grey"),
    Kind.CLAIMED: ("claimed", "claimed", "grey"),
    Kind.TAKEN_OVER: ("taken over", "lost", "amber"),
    Kind.STEP_STARTED: ("began", "moving", "grey"),
    Kind.STEP_COMPLETED: ("completed", "done", "moving"),
    Kind.RETRY_SCHEDULED: ("will retry", "retrying", "amber"),
    Kind.WAITING: ("waits", "waiting", "blue"),
    Kind.WOKEN: ("woken", "claimed", "grey"),
    Kind.RELEASED: ("handed over", "released", "grey"),
    Kind.HELD: ("held", "on-hold", "grey"),
    Kind.LIFTED: ("lifted", "moving", "grey"),
    Kind.FLAGGED: ("flagged", "in-doubt", "doubt"),
    Kind.SIGNALLED: ("signal", "received", "blue"),
    Kind.NUDGED: ("nudged", "retrying", "grey"),
    Kind.IN_DOUBT: ("in doubt", "in-doubt", "doubt"),
    Kind.RESOLVED: ("resolved", "done", "moving"),
    Kind.LANDED_LATE: ("landed late", "done", "moving"),
    Kind.NOT_SENT: ("not sent", "released", "grey"),
    Kind.REWOUND: ("rewound", "retrying", "amber"),
    Kind.RETRIED: ("retried", "retrying", "grey"),
    Kind.BLOCKED: ("needs a person", "needs-a-person", "red"),
    Kind.DONE: ("done", "done", "moving"),
    Kind.FAILED: ("failed", "failed", "red"),
    Kind.CANCELLED: ("cancelled", "cancelled", "grey"),
    Kind.SEEN: ("seen", "done", "grey"),
    Kind.EDITED: ("edited by hand", "edited", "amber"),
    Kind.DELETED: ("deleted", "cancelled", "red"),
    Kind.COMMIT_REFUSED: ("refused", "failed", "red"),
    Kind.LOSS_NOTICED: ("loss noticed", "lost", "amber"),
}
