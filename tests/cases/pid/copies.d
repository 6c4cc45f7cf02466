/*
 * Strings and bytes are copied whole, whatever they lie in, whatever page ends
 * in the middle of them, and cut where strsize says.  What is not there is a
 * fault, and the next clause goes on.
 * @@args: -x allfaults -q -C
 * @@needs: prog:copies
 * @@run: $PROGS/copies
 */
pid$target:a.out:give:entry
{
	@calls = count();
}

pid$target:a.out:give:entry
/arg2 != 0 && copyinstr(arg0) == NULL/
{
	printf("no string of %d\n", arg2);
}

pid$target:a.out:give:entry
/copyinstr(arg0) != copyinstr(arg1)/
{
	printf("another string of %d\n", arg2);
}

pid$target:a.out:give:entry
/strlen(copyinstr(arg0)) != (arg2 < 256 ? arg2 : 256)/
{
	printf("a string of %d has %d\n", arg2, strlen(copyinstr(arg0)));
}

pid$target:a.out:give:entry
/((uint64_t *)copyin(arg0, 8))[0] != arg3 ||
    ((uint64_t *)copyin(arg0 + 8, 8))[0] != arg4/
{
	printf("other words at a string of %d\n", arg2);
}

pid$target:a.out:give:entry
/((uint64_t *)copyin(arg0, 16))[0] != arg3 ||
    ((uint64_t *)copyin(arg0, 16))[1] != arg4/
{
	printf("other 16 bytes at a string of %d\n", arg2);
}

pid$target:a.out:give:entry
/((uint64_t *)copyin(arg0, 64))[7] != ((uint64_t *)copyin(arg1, 64))[7]/
{
	printf("other 64 bytes at a string of %d\n", arg2);
}

pid$target:a.out:give:entry
/((uint64_t *)copyin(arg0, 65))[7] != ((uint64_t *)copyin(arg1, 64))[7]/
{
	printf("other 65 bytes at a string of %d\n", arg2);
}

#define LAST(n)	((char *)copyin(arg0, n))[n - 1] != \
    ((char *)copyin(arg1, n))[n - 1]

pid$target:a.out:give:entry
/LAST(1) || LAST(2) || LAST(3) || LAST(4) || LAST(5) || LAST(6) || LAST(7) ||
    LAST(9) || LAST(12) || LAST(15) || LAST(31) || LAST(63)/
{
	printf("another last byte at a string of %d\n", arg2);
}

/* nothing but the copy */
pid$target:a.out:nowhere:entry
/((uint64_t *)copyin(arg0, 8))[0] == 0x1122334455667788/
{
	@read = count();
}

pid$target:a.out:nowhere:entry
{
	@behind[arg1] = count();
}

ERROR
{
	@faults[arg4, arg5] = count();
}

END
{
	printa("%@d calls\n", @calls);
	printa("%@d read\n", @read);
	printa("behind %d %@d\n", @behind);
	printa("fault %d at %d: %@d\n", @faults);
}
