/*
 * More scratch than there is gives a fault, not a crash.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	printf("%d\n", *(char *)copyin(arg1, 100000000));
}
