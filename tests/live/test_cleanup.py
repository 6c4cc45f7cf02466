#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""kill -9 of dtrace leaves no program, map or link in the kernel."""

import signal

from kernel_ids import exists, held_ids, still_there
from live import background, start

SCRIPT = r"""
BEGIN { printf("ready\n"); }
syscall:::entry { self->t = timestamp; @[execname] = count(); }
syscall:::return /self->t/ { @q = quantize(timestamp - self->t); }
profile-97 { @p = count(); }
tick-1s { printf("tick\n"); }
"""


def main():
    tap = start()
    with background("-q", "-x", "switchrate=10ms", "-n", SCRIPT) as proc:
        tap.ok(proc.stdout.readline() == "ready\n", "dtrace begins")
        ids = held_ids(proc.pid)
        kinds = {kind for kind, _ in ids}
        tap.ok({"prog_id", "map_id"} <= kinds, "it holds programs and maps",
               ids)
        tap.ok(all(exists(*i) for i in ids), "they are found by id", ids)
        proc.send_signal(signal.SIGKILL)
    left = still_there(ids, 10)
    tap.ok(not left, f"none of {len(ids)} objects outlives it", left)
    tap.done()


main()
