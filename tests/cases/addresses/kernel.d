/*
 * As actions, sym() and func() name a kernel address by module and symbol,
 * wherever in the symbol it is; mod() by its module.
 * @@args: -q
 */
BEGIN
{
	sym((uintptr_t)&`vfs_read);
	func((uintptr_t)&`vfs_read + 2);
	mod((uintptr_t)&`vfs_write);
	exit(0);
}
