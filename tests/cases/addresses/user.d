/*
 * usym() and ufunc() name the symbol, umod() the module, uaddr() the address,
 * of the process that fired; each in a column of 50.
 * @@args: -q
 * @@needs: prog:syms
 * @@run: $PROGS/syms
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	usym(arg1); ufunc(arg2); printf("\n");
	umod(arg1); uaddr(arg1); printf("\n");
	uaddr(arg3); uaddr(arg4); printf("\n");
	usym(arg5); umod(arg5); uaddr(arg5); printf("|\n");
	exit(0);
}
