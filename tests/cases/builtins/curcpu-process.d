/*
 * curcpu, chip and lgrp tell the same of a CPU, in programs and in dtrace.
 * @@args: -q
 * @@needs: prog:calls
 * @@run: $PROGS/calls counts once 1
 */
BEGIN
{
	printf("%d %d\n", chip == curcpu->cpu_chip, curcpu->cpu_pset);
}

pid$target:a.out:fn_nop:entry
{
	printf("%d %d\n", chip == curcpu->cpu_chip, lgrp == curcpu->cpu_lgrp);
}
