/*
 * Copies are kept as long as the clause, or the variable, that has them; the
 * next one does not write over them.
 * @@args: -q
 * @@needs: prog:copies
 * @@run: $PROGS/copies
 */
pid$target:a.out:give:entry
{
	this->a = copyinstr(arg0);
	this->b = (char *)copyin(arg0, 7);
	this->c = copyinstr(arg0);
}

pid$target:a.out:give:entry
/this->a != this->c || this->b[6] != (char)(arg3 >> 48)/
{
	printf("a copy of %d was written over\n", arg2);
}

pid$target:a.out:give:entry
{
	self->last = copyinstr(arg0);
	@calls = count();
}

pid$target:a.out:nowhere:entry
/arg1 == 0/
{
	printf("%s\n", substr(self->last, 0, 20));
}

END
{
	printa("%@d calls\n", @calls);
}
