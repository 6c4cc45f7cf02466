/*
 * A ring keeps the time order of both parts.
 * @@kernel: it is about both substrates
 * @@args: -q -x substrate=both -x bufpolicy=ring
 * @@needs: prog:mixed
 * @@run: $PROGS/mixed 3
 */
BEGIN { printf("begin\n"); }
pid$target:a.out:step:entry { printf("step %d\n", arg0); }
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("mark %d\n", arg1);
}
pid$target:a.out:step:return { printf("back %d\n", arg1); }
END { printf("end\n"); }
