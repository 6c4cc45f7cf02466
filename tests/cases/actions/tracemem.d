/*
 * tracemem() prints a hex dump, of rows of 16 bytes.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known data
 */
syscall::write:entry
/pid == $target && (int)arg0 == -1/
{
	tracemem(copyin(arg1 + 32, 24), 24);
}
