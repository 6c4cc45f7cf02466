/*
 * A thread's scheduling class, and the CPU that it is bound to.
 * @@args: -q
 * @@needs: prog:kernel cpus2
 * @@run: $PROGS/kernel classes
 */
syscall::getppid:entry
/pid == $target/
{
	printf("%s %d\n", curlwpsinfo->pr_clname, curlwpsinfo->pr_bindpro);
}
