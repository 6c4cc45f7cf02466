#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Many processes: forks and execs are followed and none is lost."""

from live import dtrace, prog, start, table

CHILDREN = 20
MARKS = r"""
syscall::getpriority:entry /progenyof($target) && arg0 == 0x7001/
{
	@marks = count();
	@who[pid] = count();
	@parent[ppid] = count();
}
END
{
	printa("marks %@d\n", @marks);
	printa("who %d %@d\n", @who);
	printa("parent %d %@d\n", @parent);
}
"""
EXECS = r"""
syscall::execve:return /progenyof($target) && pid != $target/
{
	@[execname, arg0 == 0 ? "good" : "bad"] = count();
}
END { printa("%s-%s %@d\n", @); }
"""


def main():
    tap = start("root bpf prog:forks")
    command = f"{prog('forks')} {CHILDREN}"
    ran = dtrace("-q", "-n", MARKS, "-c", command)
    rows = [line.split() for line in ran.out.splitlines() if line]
    marks = [int(r[1]) for r in rows if r[0] == "marks"]
    who = [r for r in rows if r[0] == "who"]
    parents = [r for r in rows if r[0] == "parent"]
    tap.ok(marks == [CHILDREN], f"{CHILDREN} marks", ran)
    tap.ok(len(who) == CHILDREN and all(r[2] == "1" for r in who),
           "each by a process of its own", ran)
    tap.ok(len(parents) == CHILDREN, "each with a parent of its own", ran)
    ran = dtrace("-q", "-n", EXECS, "-c", command)
    tap.ok(table(ran.out) == {"forks-good": CHILDREN} or
           table(ran.out) == {"exe-good": CHILDREN},
           "a successful execve returns in the new program", ran)
    tap.done()


main()
