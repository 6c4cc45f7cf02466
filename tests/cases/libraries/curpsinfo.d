/*
 * curpsinfo is the process as /proc/PID/stat has it.
 * @@args: -q -w -x switchrate=20ms
 * @@needs: prog:known
 * @@run: $PROGS/known args sleep:20000
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d %d %d\n", curpsinfo->pr_pid == $target,
	    curpsinfo->pr_addr == (uintptr_t)curthread,
	    walltimestamp - curpsinfo->pr_start < 5000000000);
	printf("%s %s %d %d\n", curpsinfo->pr_fname,
	    strstr(curpsinfo->pr_psargs, "known "), curpsinfo->pr_dmodel,
	    curpsinfo->pr_zoneid);
	system("awk '{ print ($1 == %d), ($4 == %d), ($5 == %d), ($6 == %d), ($7 == %d), ($20 == %d) }' /proc/%d/stat",
	    curpsinfo->pr_pid, curpsinfo->pr_ppid, curpsinfo->pr_pgid,
	    curpsinfo->pr_sid, curpsinfo->pr_ttydev, curpsinfo->pr_nlwp, pid);
	system("awk '{ print ($48 == %d), ($50 == %d) }' /proc/%d/stat",
	    *(uint64_t *)copyin(curpsinfo->pr_argv, 8),
	    *(uint64_t *)copyin(curpsinfo->pr_envp, 8), pid);
	exit(0);
}
