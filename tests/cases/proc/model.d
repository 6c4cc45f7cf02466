/*
 * A program of 32 bits, and one that uses the interface of these.
 * @@args: -q
 * @@needs: prog:compat32 prog:int80 bits32
 */
syscall::getpid:entry
/pid == $target/
{
	printf("%s %d\n", execname, curpsinfo->pr_dmodel);
}
