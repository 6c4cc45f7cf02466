# SPDX-License-Identifier: BSD-2-Clause
"""A program is run untraced, and then with probes within it.

Output, errors and exit status must be the same, and a probe must fire.

A stripped program may have no names of functions.  Then some hundred of its
instructions are traced by their addresses, as objdump lists them, and the
kernel must load it at its usual place (setarch -R).
"""

import contextlib
import functools
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import tempfile

SECONDS = 300
NOBODY = 65534
# The system's path: folders of root's own path may be closed to other users.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
COUNT = " { @n = count(); }"
STATUS = (" syscall::exit_group:entry /pid == $target/"
          " { printf(\"status %d\\n\", (int)arg0 & 255); }"
          " END { printa(\"fired %@d\\n\", @n); }")
MODES = {
    "functions": "pid$target:::entry, pid$target:::return" + COUNT,
    "instructions": "pid$target:a.out::" + COUNT,
    "calls": "syscall:::entry, syscall:::return" + COUNT,
}
REFUSED = re.compile(r"cannot be (traced|entered)|cannot trace|has no names of "
                     r"functions|no probe|does not match any probes|"
                     r"more than \d+ places")
BY_NAME_NOT = re.compile(r"has no names of functions|more than \d+ places")
ADDRESSES = 300      # limit of traced instructions of a program
LISTED = 256 * 1024  # bytes of code from which they are chosen
BY_ADDRESS = []      # for each such run: has a probe fired?
FIXED = 0x555555554000 # load address of programs that may be loaded anywhere
# With such a message, exit_group() may be among the calls that are not traced.
LOST = re.compile(r"places cannot be probed|firings dropped|"
                  r"system calls made by \d+ files are not seen")


# ---- instructions without names ---------------------------------------------

def executed(argv, folder):
    """The file that runs; for a script, its interpreter."""
    path = os.path.join(folder, argv[0]) if argv[0][0] == "." \
        else shutil.which(argv[0], path=PATH)
    with open(path, "rb") as f:
        line = f.readline(256)
    if line[:2] != b"#!":
        return os.path.realpath(path)
    words = line[2:].decode().split()
    name = words[1] if words[0].endswith("/env") else words[0]
    return os.path.realpath(shutil.which(name, path=PATH))


def bias(path):
    """The address of a file without randomness; None: unknown."""
    ran = subprocess.run(["readelf", "-hlW", path], capture_output=True,
                         text=True, check=False)
    if re.search(r"Type: +EXEC", ran.stdout):
        return 0
    aligns = re.findall(r"^ +LOAD .* (0x\w+)$", ran.stdout, re.M)
    is_usual = " INTERP " in ran.stdout and set(aligns) == {"0x1000"}
    return FIXED if is_usual else None


def text_start(path):
    ran = subprocess.run(["objdump", "-h", "-j", ".text", path],
                         capture_output=True, text=True, check=False)
    row = re.search(r"\.text +\w+ +(\w+)", ran.stdout)
    return int(row[1], 16) if row else None


@functools.cache
def addresses(path):
    """Addresses of some of its instructions, the same in each run."""
    start = text_start(path)
    if start is None:
        return []
    ran = subprocess.run(
        ["objdump", "-d", "-j", ".text", "--no-show-raw-insn",
         f"--stop-address={start + LISTED}", path], capture_output=True,
        text=True, errors="replace", check=False)
    found = re.findall(r"^ +([0-9a-f]+):\t(?!\(bad\))", ran.stdout, re.M)
    chosen = random.Random(1).sample(found, min(ADDRESSES, len(found)))
    return sorted(chosen)


def by_addresses(path):
    """A script that traces them, or None."""
    there, base = addresses(path), bias(path)
    if not there or base is None:
        return None
    return ", ".join(f"pid$target:a.out:-:{base + int(at, 16):x}"
                     for at in there) + COUNT


# ---- running ----------------------------------------------------------------

class Ran:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __eq__(self, other):
        return (self.status, self.out, self.err) == \
            (other.status, other.out, other.err)

    def __str__(self):
        return f"status {self.status}, {len(self.out)} bytes of output\n" \
            f"{self.out[:400]!r}\nerrors:\n{self.err[:2000]!r}"


def run(cmd, folder, env):
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        proc = subprocess.Popen(cmd, cwd=folder, env=env, stdout=out,
                                stderr=err, stdin=subprocess.DEVNULL,
                                start_new_session=True)
        try:
            status = proc.wait(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            status = f"none after {SECONDS} s"
        with contextlib.suppress(ProcessLookupError):
            os.killpg(proc.pid, signal.SIGKILL)
        proc.wait()
        out.seek(0)
        err.seek(0)
        return Ran(status, out.read(), err.read())


def at_fixed(wrap):
    return lambda cmd: wrap(["setarch", "-R", *cmd])


def as_user(cmd, is_root, hides):
    """Run without privileges, and without debug files, which a mount hides."""
    drop = [] if is_root else [
        "setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY),
        "--clear-groups"]
    hide = ["unshare", "-m", "sh", "-c",
            "mount -t tmpfs none /usr/lib/debug && exec \"$@\"", "sh"] \
        if hides and os.path.isdir("/usr/lib/debug") else []
    return [*hide, *drop, *cmd]


def traced(argv, script, folder, env, wrap):
    """Run traced; the result, and dtrace's messages."""
    told = os.path.join(folder, "told.d")
    cmd = [env["DTRACE_COPY"], "-q", "-x", "substrate=process", "-o", told,
           "-n", script + STATUS, "-c", shlex.join(argv)]
    ran = run(wrap(cmd), folder, env)
    lines = ran.err.splitlines(keepends=True)
    said = b"".join(x for x in lines if x.startswith(b"dtrace: "))
    ran.err = b"".join(x for x in lines if not x.startswith(b"dtrace: "))
    text = ""
    if os.path.exists(told):
        with open(told, encoding="ascii", errors="replace") as f:
            text = f.read()
        os.unlink(told)
    status = re.search(r"status (\d+)", text)
    fired = re.search(r"fired (\d+)", text)
    return ran, said.decode(errors="replace"), \
        int(status.group(1)) if status else None, \
        int(fired.group(1)) if fired else 0


def try_once(argv, mode, is_root, hides, base):
    """(good, why); good is None if dtrace refused.

    The program runs in a copy of base/work, traced by base/dtrace.
    """
    with tempfile.TemporaryDirectory(dir=base) as folder:
        work = os.path.join(base, "work")
        env = {"PATH": PATH, "HOME": folder, "TERM": "dumb",
               "LC_ALL": "C.UTF-8", "DTRACE_COPY": os.path.join(base, "dtrace")}

        def fresh():
            shutil.rmtree(os.path.join(folder, "w"), ignore_errors=True)
            path = shutil.copytree(work, os.path.join(folder, "w"))
            for name in [folder, path, *os.listdir(path)]:
                os.chown(os.path.join(path, name), 0 if is_root else NOBODY, -1)
            return path

        def wrap(cmd):
            return as_user(cmd, is_root, hides)

        plain = run(wrap(argv), fresh(), env)
        did, script = traced(argv, MODES[mode], fresh(), env, wrap), None
        if BY_NAME_NOT.search(did[1]):
            script = by_addresses(executed(argv, work))
            if script:
                wrap = at_fixed(wrap)
                plain = run(wrap(argv), fresh(), env)
                did = traced(argv, script, fresh(), env, wrap)
                BY_ADDRESS.append(did[3] > 0)
    ran, said, status, fired = did
    if ran.status == 1 and status is None and REFUSED.search(said) and \
            not ran.out:
        return None, said
    own = ran.status
    # dtrace's own status reports signals, even if no probe does
    is_lost = status is None and LOST.search(said) is not None
    ran.status = plain.status if is_lost else status
    if is_lost and ran == plain and own == 0 and fired == 0:
        return None, said
    # only some places of a stripped program are traced, and may not be
    # executed
    has_fired = fired > 0 or mode == "instructions" or script is not None
    return (ran == plain and own == 0 and has_fired,
            f"untraced: {plain}\ntraced: {ran}\n{fired} firings, dtrace's "
            f"status {own}\n{said}")
