/*
 * args[0] and args[1] of a system call's return are its result.
 * @@args: -q
 * @@run: $PROGS/callargs
 */
syscall::getsid:return,
syscall::write:return
/pid == $target/
{
	printf("%s %d %d %d\n", probefunc, args[0], args[1], errno);
}
