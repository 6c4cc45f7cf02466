#!/usr/sbin/dtrace -s
/*
 * pagecache [PROGRAM]: pages that come into the page cache and leave it
 *
 * PROGRAM selects those of that name.  They are counted by folios, which have
 * one page or more.
 */
#pragma D option quiet
#pragma D option defaultargs

sdt:::mm_filemap_add_to_page_cache
/$$1 == "" || execname == $$1/
{
	@in[execname] = count();
}

sdt:::mm_filemap_delete_from_page_cache
/$$1 == "" || execname == $$1/
{
	@out[execname] = count();
}

END
{
	printf("%-16s %10s %10s\n", "PROGRAM", "ADDED", "REMOVED");
	printa("%-16s %@10d %@10d\n", @in, @out);
}
