/*
 * Addresses of kernel symbols are filled in where the program runs.
 */
BEGIN
{
	printf("%a %d\n", (uintptr_t)&`vfs_read, &`vfs_read == &`vfs_write);
	exit(0);
}
