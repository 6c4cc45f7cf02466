/*
 * A function of the kernel is its address, with & and without, from any module
 * or its own.
 * @@args: -q
 */
BEGIN
{
	printf("%a\n", (uintptr_t)&`vfs_read);
	printf("%d %d %d\n", `vfs_read == &`vfs_read,
	    vmlinux`vfs_read == `vfs_read, 
	    (uintptr_t)`vfs_read == (uintptr_t)`vfs_write);
	printf("%d\n", sizeof (`vfs_read));
	exit(0);
}
