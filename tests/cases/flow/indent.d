/*
 * What happens after an entry is indented by 2 more.
 * @@args: -F
 * @@needs: prog:known kernel
 * @@run: taskset -c 0 $PROGS/known seq:3
 */
syscall::getpriority:entry
/pid == $target/
{
	trace(arg1);
}

syscall::getpriority:return
/pid == $target && ++n == 3/
{
}
