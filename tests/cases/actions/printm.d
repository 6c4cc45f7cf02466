/*
 * printm() shows the bytes that a reference points to: as many as it says,
 * but no more than the size given.
 * @@args: -q
 * @@run: $PROGS/known data
 */
uintptr_t ref[2];

syscall::write:entry
/pid == $target && arg2 == 56/
{
	ref[0] = (uintptr_t)copyin(arg1 + 32, 24);
	ref[1] = 18;
	printm(24, ref);
	printm(4, ref);
	ref[1] = 0;
	printm(8, ref);
	exit(0);
}
