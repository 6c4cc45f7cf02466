#!/usr/sbin/dtrace -s
/*
 * lang-macro-arguments.d: operands are numbers, names or strings as they are
 * used: thresholds, part of a description, texts.
 *
 * @@load: prog known seq:8
 * @@operands: 3 getpriority '"two words"' entry
 * @@truth: output
 * @@check: [" ".join(r) for r in rows] == [f"two words: {i}" for i in range(4,
 *     8)] + [f"getpriority {len('getpriority')} 3"]
 */

#pragma D option quiet

syscall::$2:$4
/pid == $target && arg1 > $1/
{
	printf("%s: %d\n", $3, arg1);
}

END
{
	printf("%s %d %s\n", $$2, strlen($$2), $$1);
}
