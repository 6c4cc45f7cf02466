/*
 * Addresses in one symbol are one key, in all programs that the process
 * executes, though each is loaded elsewhere; those of uaddr() stay apart.
 * @@args: -q
 * @@needs: prog:syms
 * @@run: $PROGS/syms 3
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@f[usym(arg1)] = count();
	@f[usym(arg1 - 4)] = count();
	@f[usym(arg2)] = count();
	@m[umod(arg1), umod(arg2)] = count();
	@none[usym(arg5)] = count();
	@mixed[ufunc(arg1), "x", ufunc(arg3)] = count();
}
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@k[sym((uintptr_t)&`vfs_read + 1), mod((uintptr_t)&`vfs_read)] = count();
	@k[sym((uintptr_t)&`vfs_read), mod((uintptr_t)&`vfs_write)] = count();
}
END
{
	printa("%A %@d\n", @f);
	printa(@m); printa(@none); printa(@mixed); printa(@k);
}
