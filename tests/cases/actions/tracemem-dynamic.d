/*
 * tracemem()'s third argument limits what is printed.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	tracemem(copyin(arg1 + 40, 16), 16, arg2 - 52);
}
