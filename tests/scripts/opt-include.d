#!/usr/sbin/dtrace -s
/*
 * opt-include.d: constants of the system's own headers, by the preprocessor.
 *
 * @@load: prog known str
 * @@args: -C
 * @@truth: output
 * @@check: out.split() == [str(getattr(__import__("errno"), e)) for e in
 *     ("ENOENT", "EINVAL", "ENOSYS")] + ["right"]
 */

#pragma D option quiet

#include <asm/errno.h>

BEGIN
{
	printf("%d %d %d ", ENOENT, EINVAL, ENOSYS);
}

syscall::access:return
/pid == $target/
{
	printf("%s\n", errno == ENOENT ? "right" : "wrong");
}
