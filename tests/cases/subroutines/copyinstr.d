/*
 * copyinstr brings a string, whole or at most so many bytes of it.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known str
 */
syscall::access:entry
/pid == $target/
{
	printf("[%s]\n", copyinstr(arg0));
	printf("[%s]\n", copyinstr(arg0, 4));
	printf("[%s]\n", copyinstr(arg0, 0));
	printf("[%s]\n", copyinstr(arg0, 999));
}
