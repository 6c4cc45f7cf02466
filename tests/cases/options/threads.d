/*
 * Option threads: several threads read the blocks of a recording, and the
 * answers are those of one thread.
 * @@needs: prog:known
 */
syscall:::
/execname == "known"/
{
	@c[probefunc, probename, arg0 % 3] = count();
	@q[tid == pid] = quantize(arg1);
	@l = lquantize(arg0, 0, 20, 4);
	@p = percentile(arg1, 50, 99);
	@min = min(arg1);
	@max = max(timestamp);
	@avg = avg(arg1);
	@dev = stddev(timestamp);
	@even[host] = sum(1 / (arg1 & 1));
}
dtrace:::BEGIN
{
	began = timestamp;
	@c["BEGIN", "", 0] = count();
}
dtrace:::END
{
	@max = max(began);
	printa(@max);
}
