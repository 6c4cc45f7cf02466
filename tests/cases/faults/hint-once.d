/*
 * The hint of a fault is given once for each clause and fault: not again with
 * each second's number, nor with -x allfaults.
 * @@needs: prog:known
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	trace(*(int *)0x12345678);
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	trace(*(int *)0x12345678);
}

syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	trace((int)alloca(1 << 20));
}
