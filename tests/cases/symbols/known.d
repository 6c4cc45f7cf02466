/*
 * Libraries know types of some variables that the kernel's BTF lacks: no extern
 * is needed, and plain names stay the script's.
 * @@args: -q
 * @@needs: root bpf ksym:jiffies
 */
BEGIN
{
	jiffies = `jiffies;
	printf("%d %d\n", `jiffies - jiffies < 10000, sizeof(`jiffies));
	printf("%d %d\n", `nr_cpu_ids > 0, `avenrun[0] < 1000000);
	printf("%d\n", stringof(`saved_command_line) != "");
	exit(0);
}
