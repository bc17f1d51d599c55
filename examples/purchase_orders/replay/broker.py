"""A corner of the broker: a queue, and for Redis and Valkey a prefix of every key, of this replay's own."""

from __future__ import annotations

import os
from typing import Any


def keep_apart(app: Any) -> None:
    """Let a Celery app talk in this replay's corner only. Before its first connection."""
    name = os.environ["REPLAY_NAME"]
    app.conf.task_default_queue = name
    if _is_redis(app):
        options = dict(app.conf.broker_transport_options or {})
        app.conf.broker_transport_options = {**options, "global_keyprefix": f"{name}:"}


def clear(app: Any) -> None:
    """Leave nothing in the broker, not even the messages that killed workers had not acknowledged."""
    name = os.environ["REPLAY_NAME"]
    with app.connection_for_write() as connection:
        channel = connection.default_channel
        channel.queue_delete(name)
        if _is_redis(app):
            client = channel.client
            # The client prefixes the names that it knows to be keys; those of a scan are whole already.
            for key in list(client.scan_iter(match=f"{name}:*", count=1000)):
                client.execute_command("UNLINK", key)


def _is_redis(app: Any) -> bool:
    return str(app.conf.broker_url).startswith(("redis", "rediss"))
