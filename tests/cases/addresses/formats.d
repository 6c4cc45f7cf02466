/*
 * %A prints an address of the process that fired, which is recorded with it;
 * %a and %A print what symbols the functions give, of programs and the kernel.
 * @@args: -q
 * @@needs: prog:syms
 * @@run: $PROGS/syms
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("[%A] [%A] [%A]\n", arg1, (char *)arg4, arg5);
	printf("[%A] [%a] [%-8A] [%24A]\n", usym(arg1), usym(arg2), umod(arg1),
	    uaddr(arg2));
	printf("[%a] [%a] [%A]\n", sym((uintptr_t)&`vfs_read),
	    mod((uintptr_t)&`vfs_read), func((uintptr_t)&`vfs_read + 1));
	printf("[%a] %*d [%A]\n", &`vfs_read, 5, 7, arg1);
	exit(0);
}
