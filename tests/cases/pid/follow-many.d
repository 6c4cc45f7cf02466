/*
 * A hundred children at once that live for a moment, and a hundred with a child
 * of their own: every call is there, once.
 * @@args: -q -x follow
 * @@needs: prog:family
 * @@run: $PROGS/family fork 100 10 end fork 100 fork 1 1 end end
 * @@alone: follow puts breakpoints into all processes
 */
pid$target:a.out:family_work:entry { @ = count(); }
pid$target:a.out:family_work:entry
/!seen[pid]/
{
	seen[pid] = 1;
	@pids = count();
}
END { printa("%@d calls", @); printa(" in %@d processes\n", @pids); }
