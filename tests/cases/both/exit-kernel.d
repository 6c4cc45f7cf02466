/*
 * exit() in the kernel ends both parts.
 * @@kernel: it is about both substrates
 * @@args: -q -x substrate=both
 * @@needs: prog:mixed
 * @@run: $PROGS/mixed 1000000 1000
 * @@exit: 4
 */
pid$target:a.out:step:entry { @steps = count(); }
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001 && arg1 >= 20/
{
	printf("enough\n");
	exit(4);
}
END { printf("end\n"); clear(@steps); trunc(@steps); }
