#!/usr/sbin/dtrace -s
/*
 * fmt-kernel-symbol.d: an address of the kernel by its name: %a, sym() and
 * func() name the function of which /proc/kallsyms has the address.
 *
 * @@load: sh :
 * @@how: self
 * @@truth: output
 * @@check: len(out.split()) == 3
 * @@check: [w.split("`")[1] for w in out.split()] == ["vfs_read", "vfs_read",
 *     "vfs_write"]
 */

#pragma D option quiet

BEGIN
{
	printf("%a ", (uintptr_t)&`vfs_read);
	sym((uintptr_t)&`vfs_read);
	func((uintptr_t)&`vfs_write);
	exit(0);
}
