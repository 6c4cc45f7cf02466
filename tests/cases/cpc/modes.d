/*
 * Page faults of a program: each, every third, and none while the kernel runs;
 * by the kernel's name and by libpfm's.
 * @@args: -q
 * @@needs: prog:kernel lib:libpfm.so.4
 * @@run: $PROGS/kernel zeroed 90
 */
self int on;

syscall::getppid:entry
/pid == $target/
{
	self->on = !self->on;
	@["page_faults-kernel-1"] = sum(0);
}

cpc:::page_faults-all-1, cpc:::page_faults-user-1, cpc:::page_faults-kernel-1,
cpc:::minor_faults-all-1, cpc:::PERF_COUNT_SW_PAGE_FAULTS-all-1
/self->on/
{
	@[probename] = sum(1);
	@bad = sum(probename == "page_faults-all-1" &&
	    (arg0 != 0 || args[0] != arg0 ||
	    args[1] != arg1 || arg1 == 0));
}

END
{
	printa("%s %@d\n", @);
	printa("%@d\n", @bad);
}
