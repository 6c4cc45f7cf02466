#!/usr/sbin/dtrace -s
/*
 * pagecache: additions to the page cache and removals from it, by program
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:::mm_filemap_add_to_page_cache
{
	@in[execname] = count();
}

sdt:::mm_filemap_delete_from_page_cache
{
	@out[execname] = count();
}

END
{
	printf("%-16s %10s %10s\n", "PROGRAM", "ADDED", "REMOVED");
	printa("%-16s %@10d %@10d\n", @in, @out);
}
