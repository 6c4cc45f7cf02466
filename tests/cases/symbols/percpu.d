/*
 * A per-CPU variable is that of the CPU which the probe fires on.
 * @@args: -q
 * @@needs: root bpf ksym:runqueues cpus2
 */
profile-997
/`runqueues.cpu != cpu || (&`runqueues)->cpu != cpu/
{
	exit(1);
}

profile-997
{
	@cpus[`runqueues.cpu] = count();
	n++;
}

tick-500ms
/n > 20/
{
	printf("%d\n", `runqueues.curr->pid != -1);
	exit(0);
}
