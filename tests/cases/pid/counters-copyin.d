/*
 * A clause may copy memory of the process and read a CPU's counters.  The
 * kernel refuses programs that may wait for a page and read counters: this one
 * copies what is in memory.
 * @@kernel: processes have no counters of CPUs
 * @@needs: prog:copies
 */
pid$target:a.out:give:entry
/arg2 == 25/
{
	this->v = vcycles;
	this->c = cpuinstrs;
	printf("%s %d %d\n", copyinstr(arg0, 9), this->v > 0, this->c > 0);
	printf("%d\n", ((char *)copyin(arg0, 4))[0]);
	exit(0);
}
