/*
 * args[] of a system call has the call's types: an int is narrowed to its own
 * half of the register, a pointer is the process's.
 * @@args: -q
 * @@run: $PROGS/callargs
 */
syscall::getsid:entry
/pid == $target/
{
	printf("%d %d\n", args[0], arg0 == args[0]);
}

syscall::openat:entry
/pid == $target && args[1] == "/dev/null"/
{
	printf("%d %s %c%c %d\n", args[0], stringof(args[1]), *args[1],
	    args[1][5], args[2]);
}

syscall::write:entry
/pid == $target && args[2] == 5/
{
	this->copied = (char *)copyin((uintptr_t)args[1], args[2]);
	printf("%c%c %s\n", this->copied[1], *(args[1] + 2),
	    stringof(args[1]));
}
