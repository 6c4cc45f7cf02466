# SPDX-License-Identifier: BSD-2-Clause
"""The objects of BPF in the kernel: programs, maps and links by their ids."""

import ctypes
import os
import re
import time

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
