#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""CTF of a program stays small: each type is stored once, however many compile
units have it.

test_ctf_size.py DTRACE [UNITS]

The program is made here.  Its units include some hundred headers of the
system, as units of large programs do, and have types, functions and
variables of their own.  The DWARF of every unit repeats the headers'
declarations.  With 300 units (make soak), there is more than 50 MB of
DWARF, and CTF may take 2 % of that.  With a few units (make check), DWARF
is too small for a ratio; instead, the size that a further unit adds is
limited.
"""

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
from tap import Tap

FEW, MANY = 4, 16
LARGE = 50_000_000
PERCENT = 2
PER_UNIT = 400          # bytes of CTF: two structs, a union, an enum, symbols

HEADERS = """stdio stdlib string unistd errno fcntl signal time math wchar
locale pthread semaphore netdb poll pwd grp sched search setjmp spawn termios
ucontext utime wctype dirent dlfcn elf fenv ftw glob iconv ifaddrs inttypes
langinfo libgen link mqueue obstack printf regex resolv shadow
sys/socket sys/stat sys/types sys/wait sys/mman sys/ioctl sys/epoll sys/inotify
sys/ptrace sys/resource sys/select sys/sem sys/shm sys/msg sys/statvfs
sys/sysinfo sys/time sys/timerfd sys/uio sys/un sys/user sys/utsname sys/vfs
netinet/in netinet/tcp netinet/udp netinet/ip netinet/ip6 netinet/icmp6 net/if
net/ethernet net/route arpa/inet arpa/nameser
linux/bpf linux/btf linux/perf_event linux/nl80211 linux/videodev2
linux/netlink linux/rtnetlink linux/input linux/kvm linux/io_uring linux/fuse
linux/can linux/ethtool linux/if_link linux/genetlink linux/usb/ch9 linux/cdrom
linux/fb linux/hdreg linux/i2c linux/media linux/nvme_ioctl linux/openvswitch
linux/pkt_cls linux/pkt_sched linux/snmp linux/taskstats linux/tipc
linux/uinput linux/vfio linux/vhost linux/xfrm sound/asound""".split()

UNIT = """
enum kind_{n} {{ A_{n}, B_{n}, C_{n} = {n} }};
struct item_{n} {{ struct item_{n} *next; enum kind_{n} kind; long v[{n} + 1]; }};
union any_{n} {{ struct item_{n} item; double d; }};
struct table_{n} {{ union any_{n} *slots; size_t n; struct stat st; }} table_{n};
static int order_{n}(const struct item_{n} *a, const struct item_{n} *b)
{{ return a->kind < b->kind ? -1 : a->v[0] > b->v[0]; }}
long find_{n}(struct table_{n} *t, const struct item_{n} *what)
{{
	for (size_t i = 0; i < t->n; i++)
		if (order_{n}(&t->slots[i].item, what) == 0)
			return (long)i;
	return -1;
}}
"""


def compile_unit(where, n):
    path = os.path.join(where, f"u{n}.c")
    with open(path, "w") as f:
        f.write("#define _GNU_SOURCE\n")
        f.writelines(f"#include <{h}.h>\n" for h in HEADERS)
        f.write(UNIT.format(n=n))
    subprocess.run(["gcc", "-g", "-fno-eliminate-unused-debug-types", "-w",
                    "-c", path, "-o", path[:-2] + ".o"], check=True)
    return path[:-2] + ".o"


def link(where, objects):
    """Link the objects to a library; the sizes of its DWARF and of its CTF."""
    lib = os.path.join(where, f"lib{len(objects)}.so")
    ctf = lib + ".ctf"
    subprocess.run(["gcc", "-shared", "-nostdlib", "-o", lib] + objects,
                   check=True)
    sections = subprocess.run(["size", "-A", lib], check=True, text=True,
                              stdout=subprocess.PIPE).stdout
    dwarf = sum(int(line.split()[1]) for line in sections.splitlines()
                if line.startswith(".debug_"))
    convert = os.path.join(os.path.dirname(sys.argv[1]), "ctfconvert")
    subprocess.run([convert, "-r", "-o", ctf, lib], check=True)
    return dwarf, os.path.getsize(ctf)


def main():
    tap = Tap()
    units = int(sys.argv[2]) if len(sys.argv) > 2 else MANY
    with tempfile.TemporaryDirectory() as where, ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(lambda n: compile_unit(where, n),
                                range(units)))
        dwarf, ctf = link(where, objects)
        _, few = link(where, objects[:FEW])
    notes = f"{units} units, {dwarf} bytes of DWARF, {ctf} of CTF; " \
            f"{FEW} units, {few} of CTF"
    tap.ok(ctf - few <= PER_UNIT * (units - FEW),
           f"types that all units include are stored once: {notes}")
    if dwarf >= LARGE:
        tap.ok(ctf * 100 <= PERCENT * dwarf,
               f"CTF is at most {PERCENT} % of {dwarf} bytes of DWARF: {ctf}")
    elif len(sys.argv) > 2:
        tap.ok(False, f"{units} units are too few for {LARGE} bytes: {dwarf}")
    tap.done()


if __name__ == "__main__":
    main()
