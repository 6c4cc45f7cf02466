/*
 * memref() makes a reference for printm().
 * @@args: -q
 * @@run: $PROGS/known data
 */
syscall::write:entry
/pid == $target && arg2 == 56/
{
	printm(16, memref(copyin(arg1 + 32, 24), 6));
	exit(0);
}
