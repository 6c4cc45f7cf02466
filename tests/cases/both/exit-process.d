/*
 * exit() in a process ends both parts; END sees that part's variables.
 * @@kernel: it is about both substrates
 * @@args: -q -x substrate=both
 * @@needs: prog:mixed
 * @@run: $PROGS/mixed 1000000 1000
 * @@exit: 3
 */
pid$target:a.out:step:entry
/n++ == 20/
{
	printf("enough\n");
	exit(3);
}
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@marks = count();
}
END { printf("end after %d\n", n); trunc(@marks); }
