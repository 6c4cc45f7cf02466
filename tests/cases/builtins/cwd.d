/*
 * cwd is where the process is, as the kernel tells it the process: through
 * mounts, below its own root, deleted.  root is that of dtrace, if nobody has
 * changed it.
 * @@args: -q -x strsize=4096
 * @@needs: root prog:places
 * @@run: $PROGS/places
 */
BEGIN { top = root; }

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 1/
{
	printf("cwd %s: %s\n", copyinstr(arg3),
	    cwd == copyinstr(arg2) ? "same" : cwd);
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 2 && copyinstr(arg3) == "plain"/
{
	printf("root: %s\n", root == top ? "same" : root);
}
