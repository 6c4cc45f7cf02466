/*
 * Global integers that clauses of a process and of the kernel share are in
 * memory of both: each side sees what the other has stored, and so do BEGIN
 * and END.  They have 64 bits.
 * @@kernel: it is about both substrates
 * @@args: -q -x substrate=both -x aggsortkey
 * @@needs: prog:mixed
 * @@run: $PROGS/mixed 100
 */
int step, mark;
uint64_t wide;
BEGIN
{
	mark = 1000;
}
pid$target:a.out:step:entry
{
	@steps[mark == arg0 + 1000 ? "right" : "wrong"] = count();
	step = arg0;
	wide = (uint64_t)(arg0 + 1) << 56 | 1;
}
syscall::getpriority:entry
/arg0 == 0x7001 && pid == $target/
{
	@marks[step == arg1 && mark == arg1 + 1000 ? "right" : "wrong"] =
	    count();
	@wide[wide == ((uint64_t)(arg1 + 1) << 56 | 1) ? "right" : "wrong"] =
	    count();
	mark = -arg1;
}
pid$target:a.out:step:return
{
	@returns[mark == -step ? "right" : "wrong"] = count();
	mark = step + 1001;
}
END
{
	printa("steps: %s: %@d\n", @steps);
	printa("marks: %s: %@d\n", @marks);
	printa("wide: %s: %@d\n", @wide);
	printa("returns: %s: %@d\n", @returns);
	printf("at the end: step %d, mark %d, wide %x\n", step, mark, wide);
}
