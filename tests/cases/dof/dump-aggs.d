/*
 * Every aggregating function, and what is done to aggregations, as DOF.
 * @@args: -q -e --dump=dof
 */
syscall:::entry
{
	@a = count();
	@b[execname] = min(arg0);
	@c[execname, stack(2)] = max(arg0);
	@d[1] = avg(arg0);
	@e[1] = sum(arg0);
	@f[1] = stddev(arg0);
	@g[1] = quantize(arg0);
	@h[1] = lquantize(arg0, -10, 10, 5, 2);
	@i[1] = llquantize(arg0, 10, 0, 3, 20);
}

END
{
	trunc(@b, 3);
	trunc(@c);
	normalize(@d, 1000);
	denormalize(@d);
	clear(@e);
	printa("%s %@d\n", @b);
	printa("%d %@d %@d\n", @d, @e);
	printa(@g);
}
