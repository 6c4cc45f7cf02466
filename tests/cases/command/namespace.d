/*
 * In a PID namespace, pid, tid, ppid and progenyof() use its numbers, as
 * $target and -p do: of processes in it and in namespaces below it.  Others
 * have the number 0.
 * @@needs: cmd:unshare prog:known
 * @@kernel: runs both substrates
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%s %s %s %s\n", pid < 100 ? "pid" : "host's pid",
	    tid == pid ? "tid" : "other tid", ppid == 1 ? "ppid" : "other ppid",
	    progenyof($target) && progenyof(1) ? "progeny" :
	    "no progeny");
	ustack(2);
}
