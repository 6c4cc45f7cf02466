/*
 * cwd is where the process is, as the kernel tells it the process: through
 * mounts, below its own root, deleted.  root is where its root directory is,
 * as the system sees it (dtrace itself may have been given another one).
 * @@args: -q -x strsize=4096
 * @@needs: kernel prog:places
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
/pid == $target && arg0 == 0x7001 && arg1 == 2/
{
	this->in_top = copyinstr(arg2);
	this->want = top == "/" ? this->in_top : this->in_top == "/" ? top :
	    strjoin(top, this->in_top);
	printf("root %s: %s\n", copyinstr(arg3),
	    root == this->want ? "same" : root);
}
