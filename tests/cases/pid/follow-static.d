/*
 * A program without a dynamic linker does not wait.  If no process has run it
 * before, dtrace says that first calls are missing, or misses none; from the
 * second process on, all calls are there.
 * @@args: -q -Z -x follow
 * @@needs: prog:family_static prog:calls_static cpus:2
 * @@run: $PROGS/family_static 2 fork 2 3 end vfork 5 end spawn exec $PROGS/calls_static counts once 20 end sleep 1000 spawn exec $PROGS/calls_static counts once 30 end
 * @@alone: follow puts breakpoints into all processes
 */
int last, of;

pid$target:a.out:family_work:entry { @ = count(); }
pid$target:a.out:fn_nop:entry
{
	last = pid == of ? last + 1 : 1;
	of = pid;
}
END { printa("%@d", @); printf(" %d\n", last); }
