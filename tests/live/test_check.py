#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""dtrace --check says what tracing then does, and why it does not.

Each claim is held against a program of this test's own that needs the thing:
what the check calls possible traces, and what it calls missing is refused by
tracing for the same reason.  The same as an ordinary user, and in mount
namespaces where files are hidden.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile

from live import DTRACE, run, start

CHILD = ["-c", "true"]
# name of the check -> arguments of a dtrace that needs the thing
USES = {
    "dtrace": ["-n", "BEGIN"],
    "syscall": ["-n", "syscall::write:entry"],
    "profile": ["-n", "profile-11"],
    "sdt": ["-n", "sdt:::sched_process_fork"],
    "fbt": ["-n", "fbt::vfs_write:return"],
    "cpc": ["-n", "cpc:::task_clock-all-1000000000"],
    "proc": ["-n", "proc:::exec-success"],
    "sched": ["-n", "sched:::on-cpu"],
    "tcp": ["-n", "tcp:::send"],
    "vminfo": ["-n", "vminfo:::"],
    "pid": [*CHILD, "-x", "substrate=kernel", "-n",
            "pid$target:libc.so.6:free:return"],
    "process": [*CHILD, "-x", "substrate=process", "-n",
                "pid$target:libc.so.6:free:return"],
    "kernel-types": ["-n", "BEGIN { trace(curthread->tgid); }"],
    "copyout": ["-w", "-n",
                'syscall::read:entry /pid == 0/ { copyoutstr("", arg1, 1); }'],
}


def reads(ran):
    found = json.loads(ran.out)["checks"]
    return {row["name"]: row for row in found}


def core(why):
    """The part of a reason that does not name a probe: the probes differ."""
    for mark in (" is not available: ", " needs the ", "cannot be decoded: ",
                 "cannot read "):
        if mark in why:
            return (mark + why.split(mark)[-1]).split(": run dtrace")[0]
    return why


def agree(tap, where, prefix, path):
    """The claims under this prefix hold there; returns the rows."""
    ran = run([*prefix, path, "--check", "-x", "oformat=json"])
    try:
        rows = reads(ran)
    except ValueError:
        tap.ok(False, f"{where}: JSON", ran)
        return {}
    lacks = any(row["works"] is False for row in rows.values())
    tap.ok(ran.status == (1 if lacks else 0) and ran.err == "",
           f"{where}: status {ran.status}, nothing else is said", ran)
    for name, use in USES.items():
        real = run([*prefix, path, "-q", *use, "-n", "BEGIN { exit(0); }"])
        works, why = rows[name]["works"], rows[name]["why"]
        some = re.search(r" of its probes .* such as (\S+): ", why or "")
        if some:
            real = run([*prefix, path, "-q", "-n", some[1]])
        if works:
            tap.ok(real.status == 0, f"{where}: {name} works", why, real)
        else:
            tap.ok(real.status != 0 and core(why) in real.err,
                   f"{where}: {name} is refused with that reason", why, real)
    return rows


def hidden(*paths):
    """A prefix that runs a command where these files and folders are hidden."""
    mounts = "".join(
        f"mount -t tmpfs none {path} && " if os.path.isdir(path) else
        f"mount --bind /dev/null {path} && " for path in paths)
    return ["unshare", "-m", "sh", "-c", mounts + 'exec "$@"', "sh"]


def library(name):
    out = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True,
                         text=True, check=True).stdout
    return next((os.path.realpath(line.split()[-1])
                 for line in out.splitlines() if name in line), None)


def every_provider(tap, rows):
    """A provider without a check would be forgotten."""
    here = os.path.dirname(os.path.abspath(__file__))
    src = os.path.join(here, "..", "..", "src", "provider", "providers.def")
    with open(src, encoding="ascii") as f:
        names = re.findall(r"^DT_PROVIDER\((\w+)\)", f.read(), re.M)
    for name in set(names) - {"derived"}:
        tap.ok(name in rows, f"provider {name} has a check", rows)
    listed = {line.split()[1] for line in run([DTRACE, "-l"]).out.splitlines()
              if len(line.split()) > 2}
    others = {name for name in listed if not name[-1].isdigit()}
    tap.ok(others - {"PROVIDER"} <= set(rows),
           "so has each provider that -l lists", listed, rows)


def as_root(tap):
    rows = agree(tap, "root", [], DTRACE)
    for name in "dtrace", "syscall", "sched", "process", "others":
        tap.ok(rows[name]["works"], f"root: {name}", rows[name])
    every_provider(tap, rows)
    wordless = {name for name, row in rows.items() if "library's" in row["what"]}
    tap.ok(not wordless, "root: a library's provider says what it has", wordless)
    text = run([DTRACE, "--check", "mib", "nfsv3"]).out
    tap.ok("probe mib" not in text and "probe description" not in text,
           "reasons name no probes that the user has not written", text)
    absent = {name for name, row in rows.items() if row["works"] is None}
    tap.ok(absent == {"fpuinfo", "mib"},
           "root: providers that Linux cannot have", rows)
    kprobes = os.path.exists("/sys/bus/event_source/devices/kprobe")
    tap.ok(rows["kprobes"]["works"] == kprobes, "root: kprobes", rows)


def as_nobody(tap, folder):
    path = os.path.join(folder, "dtrace")
    user = ["setpriv", "--reuid", "65534", "--regid", "65534",
            "--clear-groups"]
    rows = agree(tap, "nobody", user, path)
    for name in "syscall", "sched", "pid", "others", "uprobe-multi":
        row = rows[name]
        tap.ok(not row["works"] and "CAP_" in row["why"] and
               row["gives"] is None, f"nobody: {name} takes a capability", row)
    lines = run([*user, path, "--check"]).out.splitlines()
    tap.ok(sum("CAP_BPF" in line for line in lines) == 1 and
           sum(line.endswith(": needs the same capabilities")
               for line in lines) > 10,
           "nobody: the capabilities are named once", lines)
    ran = run([*user, "--inh-caps", "+bpf,+perfmon", "--ambient-caps",
               "+bpf,+perfmon", path, "--check", "sdt", "-x", "oformat=json"])
    row = reads(ran)["sdt"]
    tap.ok(row["works"] or ("tracefs" in row["why"] and row["gives"] is None),
           "without tracefs, sdt is not told to need BTF", ran)
    row = rows["kprobes"]
    tap.ok(row["works"] or "CONFIG_KPROBES" in (row["gives"] or ""),
           "nobody: what gives a thing that takes none", row)


def without_capabilities(tap):
    """CAP_SYS_ADMIN includes CAP_BPF and CAP_PERFMON, which include not all of
    it.  A mount namespace has no tracefs, which dtrace then mounts itself."""
    usual = reads(run([DTRACE, "--check", "-x", "oformat=json"]))
    alone = ["unshare", "-m", "sh", "-c", "while umount /sys/kernel/tracing; "
             "do :; done 2>/dev/null; exec \"$@\"", "sh"]
    rows = agree(tap, "without CAP_SYS_ADMIN",
                 [*alone, "setpriv", "--bounding-set", "-sys_admin"], DTRACE)
    for name in "sdt", "fbt", "copyout":
        row = rows[name]
        tap.ok(not row["works"] and "CAP_SYS_ADMIN" in row["why"] and
               "locked" not in row["why"] and row["gives"] is None,
               f"without CAP_SYS_ADMIN: {name} says so", row)
    for name in "syscall", "profile", "rawtp", "pid", "process":
        tap.ok(rows[name]["works"] == usual[name]["works"],
               f"without CAP_SYS_ADMIN: {name}", rows[name], usual[name])
    tap.ok(not rows["proc"]["works"] and "CAP_SYS_ADMIN" in rows["proc"]["why"],
           "without CAP_SYS_ADMIN: proc lacks some", rows["proc"])
    for cap in "bpf", "perfmon", "sys_resource", "dac_override", "sys_ptrace":
        rows = reads(run(["setpriv", "--bounding-set", "-" + cap, DTRACE,
                          "--check", "-x", "oformat=json"]))
        differ = {name for name, row in rows.items() if row != usual[name]}
        tap.ok(differ == ({"others"} if cap == "sys_ptrace" else set()),
               f"without CAP_{cap.upper()} alone: {differ or 'as before'}",
               rows)
    tap.ok("CAP_SYS_PTRACE" in rows["others"]["why"],
           "without CAP_SYS_PTRACE: others", rows["others"])


def with_things_hidden(tap):
    zydis = library("libZydis.so")
    rows = agree(tap, "without Zydis", hidden(zydis), DTRACE)
    row = rows["process"]
    tap.ok(not row["works"] and "libZydis" in row["why"] and
           "Debian package" in row["why"], "without Zydis: its package", row)
    tap.ok(rows["syscall"]["works"], "without Zydis: system calls", rows)
    rows = agree(tap, "without BTF", hidden("/sys/kernel/btf"), DTRACE)
    tap.ok(not rows["kernel-types"]["works"], "without BTF: no types", rows)
    for name, path in ("libdw", library("libdw.so")), \
            ("libpfm", library("libpfm.so")):
        for prefix, there in ([], True), (hidden(path), False):
            ran = run([*prefix, DTRACE, "--check", name, "-x",
                       "oformat=json"])
            row = reads(ran)[name]
            tap.ok(row["works"] == there and ran.status == (not there) and
                   (there or "Debian package" in row["why"]),
                   f"{name} is {'there' if there else 'hidden'}", ran)
    ran = run(["unshare", "--pid", "--fork", "--mount-proc", DTRACE,
               "--check", "syscall"])
    tap.ok(ran.status == 0, "in a PID namespace", ran)


def arguments(tap):
    ran = run([DTRACE, "--check", "syscall", "proc"])
    tap.ok(ran.status == 0 and ran.out.split()[:3] ==
           ["PROBES", "yes", "syscall"] and len(ran.out.splitlines()) == 3,
           "only the checks that are named", ran)
    ran = run(["sh", "-c", "$0 --check | true", DTRACE])
    tap.ok(ran.err == "", "a reader that ends is no error", ran)
    ran = run([DTRACE, "--check", "mib"])
    tap.ok(ran.status == 1 and ran.out.split()[1:3] == ["--", "mib"] and
           "Linux has no event" in ran.out,
           "a provider of other systems, asked for by name", ran)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "syscall"), "w", encoding="ascii"):
            pass
        ran = run([DTRACE, "--check", "syscall"], cwd=folder)
        tap.ok(ran.status == 0, "a name is not a script", ran)
    ran = run([DTRACE, "--check", "sycall"])
    tap.ok(ran.status == 2 and "no check named 'sycall'" in ran.err and
           ran.out == "", "a name that is none", ran)
    ran = run(["strace", "-f", "-e", "trace=bpf", "-o", "/dev/stderr",
               DTRACE, "--check", "sycall"])
    tap.ok(ran.status == 2 and "bpf(" not in ran.err,
           "for which the kernel is asked nothing", ran)
    ran = run([DTRACE, "--check", "-n", "BEGIN"])
    tap.ok(ran.status == 2 and "--check takes" in ran.err,
           "no program beside it", ran)
    ran = run([DTRACE, "--check", "-x", "nonsense"])
    tap.ok(ran.status == 1 and len(ran.err.splitlines()) == 1 and
           ran.out == "", "a wrong option", ran)


def main():
    tap = start("root bpf cmd:strace lib:libZydis.so.4.0 lib:libdw.so.1 "
                "lib:libpfm.so.4")
    as_root(tap)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        shutil.copy(DTRACE, folder)
        for name in os.listdir(os.path.dirname(DTRACE)):
            if name == "dlib":
                shutil.copytree(os.path.join(os.path.dirname(DTRACE), name),
                                os.path.join(folder, name))
        as_nobody(tap, folder)
    without_capabilities(tap)
    with_things_hidden(tap)
    arguments(tap)
    tap.done()


main()
