/*
 * A stack leads through each instruction of a PLT entry, before its push and
 * after it: one frame more than the caller's.
 * @@needs: prog:plt cmd:objdump
 */
pid$target:plt:caller:entry
{
	base = ustackdepth;
}

pid$target:plt:-:$1,
pid$target:plt:-:$2,
pid$target:plt:-:$3
{
	printf("%d\n", ustackdepth - base);
}
