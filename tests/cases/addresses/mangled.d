/*
 * Without option demangle, names are those of the symbol table.
 * @@args: -q
 * @@needs: prog:mangled
 * @@run: $PROGS/mangled
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%A %A %A %A\n", arg1, arg2, arg3, arg4);
	exit(0);
}
