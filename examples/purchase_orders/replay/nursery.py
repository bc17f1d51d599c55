"""The parent of all workers: it imports everything once, stays free of threads and connections, and forks.

python -m examples.purchase_orders.replay.nursery new|old; commands come in by standard input, one JSON line
each, and answers leave by standard output. When the input ends, every child is killed.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Any

PR_SET_PDEATHSIG = 1
Role = Callable[..., None]


class Nursery:
    def __init__(self, roles: dict[str, Role], commands: int, answers: int) -> None:
        self.roles, self.commands, self.answers = roles, commands, answers
        self.children: set[int] = set()
        self._pid = os.getpid()
        self._rest = b""
        self._woken, self._wakes = os.pipe()
        os.set_blocking(self._wakes, False)

    def serve(self) -> None:
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakes, warn_on_full_buffer=False)
        self._say(ready=True)
        while True:
            ready, _, _ = select.select([self.commands, self._woken], [], [])
            if self._woken in ready:
                os.read(self._woken, 4096)
                self._reap()
            if self.commands in ready and not self._read():
                break
        for pid in self.children:
            os.kill(pid, signal.SIGKILL)

    def _read(self) -> bool:
        chunk = os.read(self.commands, 65536)
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            self._obey(json.loads(line))
        return bool(chunk)

    def _obey(self, command: dict[str, Any]) -> None:
        if "signal" in command:
            # Only this process collects its children, so the number cannot be anybody else's.
            if command["pid"] in self.children:
                os.kill(command["pid"], command["signal"])
            return
        self._say(forked=self._fork(command["role"], command["given"]), fork=command["fork"])

    def _fork(self, role: str, given: dict[str, Any]) -> int:
        pid = os.fork()
        if pid == 0:
            self._become(role, given)
        self.children.add(pid)
        return pid

    def _become(self, role: str, given: dict[str, Any]) -> None:
        """In the child: shed the parent's ears, do the role, and end without the parent's way out."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            die_with(self._pid)
            for descriptor in (self.commands, self.answers, self._woken, self._wakes):
                os.close(descriptor)
            self.roles[role](**given)
            status = 0
        except SystemExit as ending:
            status = ending.code if isinstance(ending.code, int) else 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(status)

    def _reap(self) -> None:
        while self.children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            self.children.discard(pid)
            self._say(died=pid, at=time.time(), code=os.waitstatus_to_exitcode(status))

    def _say(self, **facts: Any) -> None:
        os.write(self.answers, json.dumps(facts).encode() + b"\n")


def die_with(parent: int) -> None:
    """Ask the kernel to kill this process when its parent is gone, however that ended."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have died before the wish was heard; then this process has another one already.
    if os.getppid() != parent:
        os._exit(1)


def main(which: str) -> None:
    # A terminal's Ctrl-C goes to whoever leads the replay; it ends this family in order.
    os.setsid()
    die_with(int(os.environ["REPLAY_LEADER"]))
    # What libraries print belongs into the log, and not between our answers.
    commands, answers = os.dup(0), os.dup(1)
    path = os.path.join(os.environ["REPLAY_FOLDER"], "workers.log")
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(log, 1)
    os.dup2(log, 2)
    roles = _preload(which)
    # Children share the parent's pages as long as nobody's collector touches them.
    gc.collect()
    gc.freeze()
    if threading.active_count() != 1:
        raise RuntimeError(f"The parent of the workers has threads: {threading.enumerate()}")
    Nursery(roles, commands, answers).serve()


def _preload(which: str) -> dict[str, Role]:
    import django

    django.setup()
    if which == "old":
        from examples.purchase_orders.replay.old_worker import ROLES as roles
    else:
        from examples.purchase_orders.replay.roles import ROLES as roles
    return roles


if __name__ == "__main__":
    main(sys.argv[1])
