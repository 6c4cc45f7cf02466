#!/usr/sbin/dtrace -s
/*
 * flocks.d: locks of files, taken and given back.
 *
 * @@load: toil flocks 35
 * @@truth: strace
 * @@check: n("LOCK_EX") == strace.seen(r"^flock.*LOCK_EX") == 35
 * @@check: n("LOCK_UN") == strace.seen(r"^flock.*LOCK_UN") == 35
 */

#pragma D option quiet

inline int LOCK_EXCLUSIVE = 2;
inline int LOCK_UNLOCK = 8;

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

vfs:::lock
/execname == "toil" && args[0]->fi_name == "lock"/
{
	@[args[1] == LOCK_EXCLUSIVE ? "LOCK_EX" :
	    args[1] == LOCK_UNLOCK ? "LOCK_UN" : "other"] = count();
}
