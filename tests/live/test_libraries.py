#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Every provider of the D libraries compiles with this kernel's types: none of
its clauses and arguments lacks a member, a type or an enumerator."""

import re
import subprocess

from live import DTRACE, run, start

PROVIDERS = """io ip lockstat nfsv3 nfsv4 proc sched sysevent sysinfo tcp udp vfs
    vminfo""".split()
OF_MODULES = "nfsv3 nfsv4".split()
OF_FBT = ["sysevent"]
MODULES = "nfs nfsv3 nfsv4 nfsd".split()
# Clauses about events that this machine lacks are not checked.
ELSEWHERE = re.compile(r"this kernel has no [\w:*]+:|fbt is not available|"
                       r"its predicate is never true here")
LEFT_OUT = re.compile(r'no (?:arg\d of )?fire\("(\S+)"\) here: (.*)')


def lacking(text):
    return [f"{probe}: {why}" for probe, why in LEFT_OUT.findall(text)
            if not ELSEWHERE.search(why)]


def has_probes(provider):
    return run([DTRACE, "-l", "-P", provider]).out.count("\n") > 1


def tell_none(tap, provider):
    """A provider without probes is right if its events do not exist here."""
    if provider in OF_MODULES:
        tap.skip(provider, "its module cannot be loaded here")
    elif provider in OF_FBT and not has_probes("fbt"):
        tap.skip(provider, "fbt is not available")
    else:
        tap.ok(False, f"{provider} has probes")


def main():
    tap = start()
    subprocess.run(["busybox", "modprobe", "-a", *MODULES], check=False,
                   stderr=subprocess.DEVNULL)
    for provider in PROVIDERS:
        if not has_probes(provider):
            tell_none(tap, provider)
            continue
        ran = run([DTRACE, "-e", "-x", "debug", "-n", f"{provider}:::"])
        wrong = lacking(ran.err + ran.out)
        tap.ok(ran.status == 0 and not wrong,
               f"{provider}: all of its clauses and arguments compile", wrong,
               ran)
    tap.done()


main()
