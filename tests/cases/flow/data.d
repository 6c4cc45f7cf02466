/*
 * -F prints data after the name.
 * @@args: -F
 * @@needs: prog:known kernel
 * @@run: taskset -c 0 $PROGS/known seq:1
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	trace(arg1);
}

syscall::getpriority:return
/pid == $target/
{
	trace(errno);
}
