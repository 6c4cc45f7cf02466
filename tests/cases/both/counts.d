/*
 * An aggregation that both parts update has the values of both.
 * @@kernel: it is about both substrates
 * @@args: -q -x substrate=both -x aggsortkey
 * @@needs: prog:mixed
 * @@run: $PROGS/mixed 1000
 */
pid$target:a.out:step:entry
{
	@count[execname] = count();
	@sum = sum(arg0);
	@max = max(arg0);
	@place["step"] = count();
}
pid$target:a.out:other:entry
{
	@count[execname] = count();
	@place["other"] = count();
}
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@count[execname] = count();
	@sum = sum(arg1);
	@max = max(arg1 + 1);
	@place["mark"] = count();
}
END
{
	printa("%s %@d\n", @count);
	printa("%s %@d\n", @place);
	printa("sum %@d\n", @sum);
	printa("max %@d\n", @max);
}
