/*
 * A body that does nothing but copy, and so saves few registers: memory that is
 * there is read, other memory is a fault, and the program goes on as before.
 * @@args: -x allfaults -q
 * @@needs: prog:copies
 * @@run: $PROGS/copies
 */
pid$target:a.out:give:entry
/((uint64_t *)copyin(arg0, 16))[1] == arg4 &&
    ((uint64_t *)copyin(arg0, 13))[0] == arg3/
{
	@same = count();
}

pid$target:a.out:nowhere:entry
/((char *)copyin(arg0, 1))[0] == (char)0x88/
{
	@read = count();
}

END
{
	printa("%@d same\n", @same);
	printa("%@d read\n", @read);
}
