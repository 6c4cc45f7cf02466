#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Names of addresses in real programs.

The programs run, have ended, have a file that was replaced or deleted, or
one in a file system that only they see."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time

from live import background, dtrace, start

# Each line that the shell reads becomes a system call deep inside of it.
LOOP = "while read -r x; do kill -0 $$; done"
STACK = r"""
BEGIN { printf("ready\n"); }
syscall::kill:entry /pid == $1/ { ustack(40); exit(0); }
"""
BASH = "/bin/bash"


def frames(text):
    """Modules and functions of the frames."""
    return re.findall(r"^ +(\S+)`([^+\s]+)", text, re.M)


def unnamed(text):
    return re.findall(r"^ +0x[0-9a-f]+$", text, re.M)


def of_python(tap):
    script = "import os; os.kill(os.getpid(), 0)"
    ran = dtrace("-q", "-n", "syscall::kill:entry /pid == $target/ "
                 "{ ustack(60); }", "-c", f"python3 -c '{script}'")
    names = {name for _, name in frames(ran.out)}
    want = {"_PyEval_EvalFrameDefault", "Py_BytesMain", "PyEval_EvalCode"}
    tap.ok(want <= names, "functions of python3, as its symbols have them",
           f"missing: {want - names}", ran)
    modules = {module for module, _ in frames(ran.out)}
    tap.ok(not unnamed(ran.out) and "libc.so.6" in modules,
           "every frame is in a module", ran)


@contextlib.contextmanager
def shell(argv, **kwargs):
    """Run a shell that waits for lines."""
    proc = subprocess.Popen(argv, stdin=subprocess.PIPE, text=True, **kwargs)
    try:
        yield proc
    finally:
        proc.kill()
        proc.communicate()


def wait_until(what, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if what():
            return True
        time.sleep(0.05)
    return False


def runs(pid, name):
    with contextlib.suppress(OSError):
        return os.readlink(f"/proc/{pid}/exe").split("/")[-1].startswith(name)
    return False


def stack_of(proc):
    """dtrace's output for a shell's next line."""
    with tempfile.NamedTemporaryFile("w", suffix=".d") as script:
        script.write(STACK)
        script.flush()
        with background("-q", "-s", script.name, str(proc.pid)) as tracer:
            text = tracer.stdout.readline()
            proc.stdin.write("line\n")
            proc.stdin.flush()
            return text + tracer.stdout.read()


def check(tap, claim, text, module):
    names = [name for mod, name in frames(text) if mod == module]
    tap.ok({"execute_command", "main", "reader_loop"} <= set(names) or
           {"execute_command", "main", "parse_and_execute"} <= set(names),
           claim, text)


def replaced(tap):
    """Another file has the name by now; the process still maps the old one."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mybash")
        shutil.copy(BASH, path)
        with shell([path, "-c", "true; " + LOOP]) as proc:
            wait_until(lambda: runs(proc.pid, "mybash"))
            other = os.path.join(folder, "other")
            shutil.copy("/bin/true", other)
            os.rename(other, path)
            check(tap, "a program whose file was replaced", stack_of(proc),
                  "mybash")
        shutil.copy(BASH, path)
        with shell([path, "-c", "true; " + LOOP]) as proc:
            wait_until(lambda: runs(proc.pid, "mybash"))
            os.unlink(path)
            check(tap, "a program whose file was deleted", stack_of(proc),
                  "mybash")


def hidden(tap):
    """The program's file is in a private file system."""
    script = ("mount -t tmpfs none /mnt && cp /bin/bash /mnt/hidden && "
              f"exec /mnt/hidden -c 'true; {LOOP}'")
    with shell(["unshare", "-m", "bash", "-c", script]) as proc:
        if not wait_until(lambda: runs(proc.pid, "hidden")):
            tap.skip("a program of another mount namespace", "no unshare")
            return
        check(tap, "a program of another mount namespace", stack_of(proc),
              "hidden")


ENDED = """
syscall::exit_group:entry /progenyof($target) && execname == "true"/
{
	@calls = count();
	@modules[umod(ucaller)] = count();
	@functions[usym(ucaller)] = count();
}
END { printa("calls %@d\\n", @calls); printa("module %A %@d\\n", @modules);
	printa("function %A %@d\\n", @functions); }
"""


def ended(tap):
    """Processes that lived for some milliseconds have all their names at the
    end."""
    ran = dtrace("-q", "-n", ENDED, "-c",
                 "bash -c 'for i in {1..40}; do /bin/true; done'")
    modules = re.findall(r"^module (\S+) 1$", ran.out, re.M)
    functions = re.findall(r"^function (\S+) 1$", ran.out, re.M)
    tap.ok("calls 40" in ran.out and len(modules) == len(functions) == 40,
           "40 processes that have ended have 40 keys", ran)
    tap.ok(set(modules) == {"libc.so.6"} and
           all(f.startswith("libc.so.6`") for f in functions),
           "and all of them have their names", ran)


def main():
    tap = start()
    of_python(tap)
    replaced(tap)
    hidden(tap)
    ended(tap)
    tap.done()


main()
