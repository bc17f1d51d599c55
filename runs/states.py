"""The words for where a run stands: one vocabulary, one sentence each, used from SQL to page."""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """``cursor.status``. A foreign worker may write another word; readers must bear it."""

    PENDING = "pending"
    STARTED = "started"
    WAITING = "waiting"
    IN_DOUBT = "in_doubt"
    HELD = "held"
    BLOCKED = "blocked"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


SENTENCES: dict[Status, str] = {
    Status.PENDING: "Stands before this step; the attempt has not begun.",
    Status.STARTED: "The attempt has begun and its outcome is not recorded yet.",
    Status.WAITING: "Waits for a time or a signal; nobody holds the lease.",
    Status.IN_DOUBT: "An effect may have happened; held until its case is resolved.",
    Status.HELD: "A person asked it to wait.",
    Status.BLOCKED: "Cannot go on without a person; the reason is written beside it.",
    Status.DONE: "Every step is finished.",
    Status.FAILED: "A step gave up for good.",
    Status.CANCELLED: "A person ended it before its last step.",
}

TERMINAL = frozenset({Status.DONE, Status.FAILED, Status.CANCELLED})
UNFINISHED = tuple(s for s in Status if s not in TERMINAL)


class Guard(StrEnum):
    """What settles an attempt whose outcome nobody recorded; written into the start mark."""

    PURE = "pure"
    KEYED = "keyed"
    PROBED = "probed"
    REPEAT_OK = "repeat_ok"
    UNPROTECTED = "unprotected"


class Kind(StrEnum):
    """What a row of the log tells, the most telling word of a statement that did several things."""

    STARTED_RUN = "started_run"
    CLAIMED = "claimed"
    TAKEN_OVER = "taken_over"
    STEP_STARTED = "step_started"
    STEP_COMPLETED = "step_completed"
    RETRY_SCHEDULED = "retry_scheduled"
    WAITING = "waiting"
    WOKEN = "woken"
    RELEASED = "released"
    HELD = "held"
    LIFTED = "lifted"
    FLAGGED = "flagged"
    SIGNALLED = "signalled"
    NUDGED = "nudged"
    IN_DOUBT = "in_doubt"
    RESOLVED = "resolved"
    LANDED_LATE = "landed_late"
    NOT_SENT = "not_sent"
    REWOUND = "rewound"
    RETRIED = "retried"
    BLOCKED = "blocked"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    SEEN = "seen"
    EDITED = "edited"
    DELETED = "deleted"
    COMMIT_REFUSED = "commit_refused"
    LOSS_NOTICED = "loss_noticed"


# A losing worker inserts these itself; they report, and move no run.
REPORTS = frozenset({Kind.COMMIT_REFUSED, Kind.LOSS_NOTICED})
