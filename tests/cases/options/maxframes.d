/*
 * No stack has more frames than maxframes says, whatever asks for them.
 * @@args: -q -x maxframes=2
 * @@run: /bin/sleep 0.05
 */
sdt:sched::sched_switch
/pid == $target && curthread->__state != 0 && !n++/
{
	stack();
	stack(7);
	stack(1);
	exit(0);
}
