/*
 * cwd is where the process is, as the kernel tells it the process: through
 * mounts, below its own root, deleted.  root is where its root directory is,
 * as the system sees it.
 * @@args: -q -x strsize=4096
 * @@needs: prog:places
 * @@run: $PROGS/places
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 1/
{
	printf("cwd %s: %s\n", copyinstr(arg3),
	    cwd == copyinstr(arg2) ? "same" : cwd);
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 2/
{
	printf("root %s: %s\n", copyinstr(arg3),
	    root == copyinstr(arg2) ? "same" : root);
}
