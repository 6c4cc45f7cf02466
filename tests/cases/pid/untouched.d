/*
 * Strings and memory that only the probe reads: what is not in memory yet is
 * brought in.  A wild address is a fault.
 * @@args: -q
 * @@needs: prog:untouched
 * @@run: $PROGS/untouched
 */
pid$target:a.out:untouched:entry
{
	printf("%d %s", (int)arg1, copyinstr(arg0));
}

pid$target:a.out:untouched:entry
/arg1 == 1/
{
	this->p = (char *)copyin(arg0 + 20 * 4096, 4);
	printf(" %d\n", *this->p);
}

pid$target:a.out:untouched:entry
/arg1 == 2/
{
	printf(" %d\n", *(char *)copyin(arg0, 4));
}

ERROR
{
	printf("fault %d at %x\n", arg4, arg5);
}
