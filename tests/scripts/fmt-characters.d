#!/usr/sbin/dtrace -s
/*
 * fmt-characters.d: each printable character by %c, and the others escaped by
 * %C and %S.
 *
 * @@load: prog known seq:127
 * @@truth: output
 * @@check: "".join(l for l in lines if l.startswith("c"))[1::2] ==
 *     "".join(map(chr, range(33, 127)))
 * @@check: "esc \\n \\t \\a ok\\tdone\\n" in out
 */

#pragma D option quiet

syscall::getpriority:entry
/pid == $target && arg1 > 32/
{
	printf("c%c\n", arg1);
}

END
{
	printf("esc %C %C %C %S\n", '\n', '\t', '\a', "ok\tdone\n");
}
