/*
 * pr_wstat of a process that exits is what wait(2) will tell.
 */
proc:::exit
/progenyof($target)/
{
	printf("%d 0x%x\n", args[0], curpsinfo->pr_wstat);
}
