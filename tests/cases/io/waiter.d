/*
 * The end of a wait for a device is told in the thread that waited, when the
 * kernel changes to it.
 * @@args: -q
 * @@needs: cmd:losetup cmd:mkfs.ext4
 */
io:::wait-start
/execname == "dd" && progenyof($target)/
{
	self->waits = 1;
	waits[tid] = 1;
}

sdt:sched::sched_switch
/waits[args[2]->pid] && args[2]->in_iowait/
{
	came = 1;
	@balance = sum(-1);
}

io:::wait-done
/self->waits/
{
	@balance = sum(waits[tid] && execname == "dd" &&
	    curthread->in_iowait && args[0]->b_edev == 0);
}

END
{
	printf("%d\n", came);
	printa("%@d\n", @balance);
}
