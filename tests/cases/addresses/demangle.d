/*
 * With option demangle, names of C++ and Rust are those of their source.
 * @@args: -q -x demangle
 * @@needs: prog:mangled
 * @@run: $PROGS/mangled
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%A %A %A %A\n", arg1, arg2, arg3, arg4);
	@[usym(arg2)] = count();
	@[usym(arg3)] = count();
	exit(0);
}
