/*
 * How a process ends that leaves a core file.
 * @@args: -q
 * @@needs: prog:signals corefile
 * @@run: $PROGS/signals core
 * @@exit: 1
 */
proc:::exit
/pid == $target/
{
	printf("%d 0x%x\n", args[0], curpsinfo->pr_wstat);
}
