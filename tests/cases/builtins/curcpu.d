/*
 * curcpu tells the CPU's number, package and memory node, chip and lgrp the
 * latter two; Linux has no processor sets (-1).
 * @@needs: cmd:taskset
 */
cpuinfo_t *mine;

BEGIN
{
	mine = curcpu;
	printf("%d %d %d", mine->cpu_id, mine->cpu_chip, mine->cpu_lgrp);
	printf(" %d %d", chip == curcpu->cpu_chip, lgrp == curcpu->cpu_lgrp);
	printf(" %d %d\n", curcpu->cpu_id == cpu, curcpu->cpu_pset);
	exit(0);
}
