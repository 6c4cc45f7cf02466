/*
 * A firing that waits for a page is not disturbed by another one on its CPU.
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
	other = probefunc;
}

END
{
	printf("%s\n", other);
}
