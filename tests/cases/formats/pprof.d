/*
 * Aggregations by stacks are a profile that go tool pprof reads: samples of
 * each aggregation with their labels, locations of files with build ids.
 * @@needs: prog:chain_fp
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	@[execname, stack(), ustack(), -7] = count();
	@bytes["a\n\"\377", ustack()] = sum(4096);
	@sizes[ustack(2)] = quantize(3);
	@sizes[ustack(2)] = quantize(300);
	@latest[ustack()] = max(arg1);
	@plain[execname] = count();
}
