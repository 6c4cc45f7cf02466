/*
 * Over a recording, a script may name psinfo_t before curpsinfo; -lv, too, needs
 * its library first.
 * @@needs: nothing
 */
BEGIN
{
	this->p = xlate <psinfo_t *> ((recorded_thread_t *)NULL);
	printf("%d\n", this->p->pr_pid);
}

syscall:::entry
/curpsinfo->pr_pid == pid && curlwpsinfo->pr_lwpid == tid/
{
	@ = count();
}

END
{
	printa("%@d\n", @);
}
