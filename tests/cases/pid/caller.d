/*
 * caller is an address at probes of programs, too: that of the program's
 * function that called.
 * @@needs: prog:known
 * @@args: -q
 * @@run: $PROGS/known args
 * @@kernel: caller is not available in processes
 */
pid$target:a.out:main:entry
{
	printf("%d %d\n", caller != 0, caller == ucaller);
	exit(0);
}
