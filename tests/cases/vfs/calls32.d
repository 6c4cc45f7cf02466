/*
 * A 32-bit program's files.
 * @@args: -q -x strsize=128
 * @@needs: prog:files32 bits32
 * @@run: $PROGS/files32
 */
vfs:::open, vfs:::create, vfs:::fsync, vfs:::unlink
/pid == $target/
{
	printf("%s %s\n", probename, args[0]->fi_pathname);
}

vfs:::write
/pid == $target/
{
	printf("%s %s %d\n", probename, args[0]->fi_pathname, args[1]);
}

vfs:::rename
/pid == $target/
{
	printf("%s %s %s\n", probename, args[0]->fi_pathname,
	    args[1]->fi_pathname);
}
