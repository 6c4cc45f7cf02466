#!/usr/sbin/dtrace -s
/*
 * opt-forms-of-flags.d: flags are set by many words, and the last setting is
 * the one that holds.
 *
 * @@load: prog known seq:3
 * @@truth: output
 * @@check: out.split() == ["2", "2", "1", "1", "0", "0"]
 */

#pragma D option quiet=off
#pragma D option quiet=yes
#pragma D option aggsortrev=disable
#pragma D option aggsortrev=on
#pragma D option aggsortkey
#pragma D option defaultargs=true

syscall::getpriority:entry
/pid == $target/
{
	@[arg1] = sum(arg1 + $1);
}

END
{
	printa("%d %@d\n", @);
}
