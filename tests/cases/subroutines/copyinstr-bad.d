/*
 * copyinstr of a bad address is a fault that names it.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known badptr
 */
syscall::access:entry
/pid == $target/
{
	printf("%s\n", copyinstr(arg0));
}
