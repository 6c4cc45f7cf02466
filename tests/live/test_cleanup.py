#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""kill -9 of dtrace leaves no program, map or link in the kernel."""

import ctypes
import os
import re
import signal
import time

from live import background, start

SCRIPT = r"""
BEGIN { printf("ready\n"); }
syscall:::entry { self->t = timestamp; @[execname] = count(); }
syscall:::return /self->t/ { @q = quantize(timestamp - self->t); }
profile-97 { @p = count(); }
tick-1s { printf("tick\n"); }
"""
# bpf(2) commands that turn an id into a descriptor.
BY_ID = {"prog_id": 13, "map_id": 14, "link_id": 30}


def held_ids(pid):
    """(kind, id) of every BPF object that a process holds open."""
    found = set()
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{fd}") as f:
                text = f.read()
        except OSError:
            continue
        for kind, number in re.findall(r"^(\w+_id):\s*(\d+)", text, re.M):
            if kind in BY_ID:
                found.add((kind, int(number)))
    return found


def exists(kind, number):
    libc = ctypes.CDLL(None, use_errno=True)
    attr = (ctypes.c_uint32 * 32)(number)
    fd = libc.syscall(321, BY_ID[kind], ctypes.byref(attr), 12)
    if fd < 0:
        return False
    os.close(fd)
    return True


def still_there(ids, seconds):
    """Ids that still exist after the time that the kernel needs to free
    them."""
    end = time.monotonic() + seconds
    left = set(ids)
    while left and time.monotonic() < end:
        left = {i for i in left if exists(*i)}
        time.sleep(0.05)
    return left


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
