/*
 * A probe that waits for a page when tracing ends is awaited: what it records
 * is printed.
 * @@args: -q
 * @@needs: prog:waits
 * @@run: $PROGS/waits
 * @@kernel: dtrace cannot wait for what a process reads
 */
pid$target:a.out:look:entry
{
	printf("%s\n", copyinstr(arg0));
}

pid$target:a.out:stop:entry
{
	exit(0);
}
