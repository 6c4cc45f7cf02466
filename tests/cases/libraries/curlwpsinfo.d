/*
 * curlwpsinfo is the thread: on a CPU while a probe fires in it.
 * @@args: -q
 * @@needs: prog:known cmd:chrt cmd:taskset
 * @@run: taskset -c 0 chrt -r 10 $PROGS/known args
 */
syscall::getpriority:entry
/pid == $target && arg0 == 0x7001/
{
	printf("%d %d %s\n", curlwpsinfo->pr_lwpid == tid,
	    curlwpsinfo->pr_addr == (uintptr_t)curthread, curlwpsinfo->pr_name);
	printf("%d %c %d\n", curlwpsinfo->pr_state, curlwpsinfo->pr_sname,
	    curlwpsinfo->pr_state == SONPROC);
	printf("%s %d %d %d %d\n", curlwpsinfo->pr_clname, curlwpsinfo->pr_pri,
	    curlwpsinfo->pr_onpro, curlwpsinfo->pr_bindpro,
	    curlwpsinfo->pr_bindpset);
}
