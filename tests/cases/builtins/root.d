/*
 * root is where the process's root directory is, as the system sees it (dtrace
 * itself may have been given another one).
 * @@args: -q -x strsize=4096
 * @@needs: kernel prog:places
 * @@run: $PROGS/places
 */
BEGIN { top = root; }

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 2/
{
	this->in_top = copyinstr(arg2);
	this->want = top == "/" ? this->in_top : this->in_top == "/" ? top :
	    strjoin(top, this->in_top);
	printf("root %s: %s\n", copyinstr(arg3),
	    root == this->want ? "same" : root);
}
