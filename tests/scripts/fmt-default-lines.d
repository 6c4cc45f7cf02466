#!/usr/sbin/dtrace -s
/*
 * fmt-default-lines.d: without -q each firing is a line: CPU, id, function and
 * name, and what it traces.
 *
 * @@load: prog known seq:5
 * @@truth: output
 * @@check: rows[0] == ["CPU", "ID", "FUNCTION:NAME"]
 * @@check: [r[2:] for r in rows[1:]] == [["getpriority:entry", str(10 + i)]
 *     for i in range(5)]
 * @@check: all(int(r[0]) < os.cpu_count() for r in rows[1:])
 * @@check: len({r[1] for r in rows[1:]}) == 1
 */

syscall::getpriority:entry
/pid == $target/
{
	trace(10 + arg1);
}
