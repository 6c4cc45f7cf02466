/*
 * With aggpercpu, each value also has what each CPU has of it.
 */
syscall::getpriority:entry
/progenyof($target) && arg0 == 0x7001/
{
	@n["calls"] = count();
	@q["dist"] = quantize(1);
}
