#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Memory stays flat at full load, in dtrace and in the kernel.

    test_flat.py DTRACE        SOAK_SECONDS in the environment: 600

Two producers on two CPUs make system calls as fast as they can, in processes
and threads that come and go; the script uses each of the stores that could
grow: records, keyed aggregations that are cleared and truncated, thread-local
variables, an associative array whose elements are freed, speculations,
strings, commands.  Memory is compared between the first third and the last
third of the run: memory that is taken once, and then used again, is not
growth.

The kernel's memory is the charge of dtrace's own memory cgroup, which includes
BPF maps and the elements that programs allocate.  Without such a cgroup, it is
the size that the maps report.
"""

import contextlib
import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "live"))
from live import DTRACE, prog, start

SCRIPT = r"""
BEGIN { printf("ready\n"); }

syscall::getpriority:entry /arg0 == 0x7001/
{
	self->ts = timestamp;
	self->name = strjoin(execname, probefunc);
	seen[arg1, arg2 & 1023] = arg2;
	fired++;
	printf("%d %d %s\n", arg1, arg2, execname);
	@calls[execname, arg2 & 255] = count();
	@args = quantize(arg2);
}

syscall::getpriority:entry /arg0 == 0x7001/
{
	seen[arg1, (arg2 + 512) & 1023] = 0;
}

syscall::getpriority:return /self->ts/
{
	@took[self->name] = quantize(timestamp - self->ts);
	self->ts = 0;
	self->name = 0;
}

syscall::getpriority:entry /arg0 == 0x7001 && !(arg2 & 63)/
{
	self->spec = speculation();
}

syscall::getpriority:entry /self->spec/
{
	speculate(self->spec);
	printf("speculated %d\n", arg2);
}

syscall::getpriority:entry /self->spec && arg2 & 64/
{
	commit(self->spec);
	self->spec = 0;
}

syscall::getpriority:entry /self->spec/
{
	discard(self->spec);
	self->spec = 0;
}

tick-1s
{
	printa(@calls);
	clear(@calls);
	trunc(@took, 1);
}

tick-5s
{
	trunc(@calls);
	system("true");
}

END { printf("fired %d\n", fired); }
"""

SAMPLE_S = 2
KIB = 1024


class Cgroup:
    """A memory cgroup of dtrace's own."""

    def __init__(self):
        self.path = self.usage = None
        name = f"dtrace-soak-{os.getpid()}"
        for root, usage in (("/sys/fs/cgroup/memory",
                             "memory.kmem.usage_in_bytes"),
                            ("/sys/fs/cgroup", "memory.stat")):
            path = os.path.join(root, name)
            with contextlib.suppress(OSError):
                os.mkdir(path)
                if os.path.exists(os.path.join(path, usage)):
                    self.path = path
                    self.usage = os.path.join(path, usage)
                    return
                os.rmdir(path)

    def enter(self):
        if self.path is not None:
            with open(os.path.join(self.path, "cgroup.procs"), "w") as f:
                f.write(str(os.getpid()))

    def remove(self):
        """Remove the cgroup; ended processes may need a moment to leave it."""
        for _ in range(50):
            if self.path is None or not os.path.exists(self.path):
                return
            with contextlib.suppress(OSError):
                os.rmdir(self.path)
            time.sleep(0.1)

    def kernel_kib(self, pid):
        if self.path is None:
            return maps_kib(pid)
        with open(self.usage) as f:
            text = f.read()
        match = re.search(r"^(?:kernel )?(\d+)$", text, re.M)
        return int(match.group(1)) // KIB


def maps_kib(pid):
    """The memory of a process's BPF maps, as the kernel reports it."""
    sizes = {}
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        with contextlib.suppress(OSError), open(path) as f:
            text = f.read()
            map_id = re.search(r"^map_id:\s*(\d+)", text, re.M)
            size = re.search(r"^memlock:\s*(\d+)", text, re.M)
            if map_id and size:
                sizes[map_id.group(1)] = int(size.group(1))
    return sum(sizes.values()) // KIB


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as f:
        return int(re.search(r"^VmRSS:\s*(\d+)", f.read(), re.M).group(1))


class Load:
    """Runs `burst` again and again, two threads on two CPUs."""

    def __init__(self):
        self.proc, self.rounds = None, 0

    def keep_up(self):
        if self.proc is None or self.proc.poll() is not None:
            self.rounds += 1
            self.proc = subprocess.Popen([prog("burst"), "2", "200000"])

    def stop(self):
        if self.proc is not None:
            self.proc.kill()
            self.proc.wait()


def sample(pid, cgroup, seconds):
    """[(resident, kernel, descriptors)], sampled over that time under load."""
    load, samples = Load(), []
    end = time.monotonic() + seconds
    due = time.monotonic() + SAMPLE_S
    try:
        while time.monotonic() < end:
            load.keep_up()
            time.sleep(0.01)
            if time.monotonic() >= due:
                due += SAMPLE_S
                samples.append((resident_kib(pid), cgroup.kernel_kib(pid),
                                len(os.listdir(f"/proc/{pid}/fd"))))
    finally:
        load.stop()
    return samples, load.rounds


def flat(tap, what, values, slack):
    third = len(values) // 3
    first, then, last = (max(values[i * third:(i + 1) * third])
                         for i in range(3))
    tap.ok(last <= first + slack, f"{what}: at most {first}, {then}, {last} "
           "in the thirds of the time", values)


def run(tap, cgroup, out, err, seconds):
    proc = subprocess.Popen(
        [DTRACE, "-qw", "-x", "nspec=16", "-x", "aggrate=100ms", "-n", SCRIPT],
        stdin=subprocess.DEVNULL, stdout=out, stderr=err,
        preexec_fn=cgroup.enter)
    try:
        time.sleep(1)
        samples, rounds = sample(proc.pid, cgroup, seconds)
        proc.send_signal(signal.SIGINT)
        proc.wait(timeout=60)
    finally:
        proc.kill()
        proc.wait()
    tap.ok(proc.returncode == 0, "dtrace ends well")
    # Allocators may keep a page more or less.
    flat(tap, "KiB resident in dtrace", [s[0] for s in samples], 512)
    flat(tap, "KiB of the kernel" + (
        "" if cgroup.path else ", in maps"), [s[1] for s in samples], 512)
    flat(tap, "open files", [s[2] for s in samples], 0)
    return rounds


def tail(f, size=65536):
    length = os.fstat(f.fileno()).st_size
    return os.pread(f.fileno(), size,
                    max(0, length - size)).decode(errors="replace")


def main():
    tap = start("root bpf cpus2 prog:burst")
    seconds = float(os.environ.get("SOAK_SECONDS", "600"))
    cgroup = Cgroup()
    reader, writer = os.pipe()
    try:
        with tempfile.TemporaryFile() as last, \
                tempfile.TemporaryFile() as err:
            # tail reads all output, and keeps its end.
            keep = subprocess.Popen(["tail", "-c", "65536"], stdin=reader,
                                    stdout=last)
            os.close(reader)
            rounds = run(tap, cgroup, writer, err, seconds)
            os.close(writer)
            keep.wait()
            fired = re.search(r"^fired (\d+)$", tail(last), re.M)
            tap.ok(fired is not None and
                   int(fired.group(1)) > 100000 * (rounds - 1),
                   f"END comes, after {rounds} rounds of 400000 calls in "
                   f"{seconds:.0f} s: {fired and fired.group(1)} firings",
                   tail(last)[-300:], tail(err)[-1000:])
    finally:
        cgroup.remove()
    tap.done()


main()
