/*
 * strsize is 256 by default, so 255 characters are kept.
 * @@args: -q
 * @@needs: prog:known
 * @@run: $PROGS/known long
 */
syscall::access:entry
/pid == $target/
{
	printf("%d\n", strlen(copyinstr(arg0)));
}
