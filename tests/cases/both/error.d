/*
 * A fault in a process and one in the kernel both fire ERROR, with their EPIDs.
 * @@kernel: it is about both substrates
 * @@args: -q -x substrate=both
 * @@needs: prog:mixed
 * @@run: $PROGS/mixed 2
 */
ERROR { printf("enabling %d, address %x\n", arg1, arg5); }
pid$target:a.out:step:entry /arg0 == 0/ { trace(*(int *)0x10); }
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 == 1/
{
	trace(*(int *)0x20);
}
