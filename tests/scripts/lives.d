#!/usr/sbin/dtrace -s
/*
 * lives.d: lives of processes from beginning to end, by the id of each.
 *
 * @@load: toil forks 25
 * @@truth: load
 * @@check: n("toil", "lived") == load["done"]
 * @@check: sum(dist("lifetime").values()) == load["done"] and n("alive") == 0
 */

#pragma D option quiet

dtrace:::BEGIN
{
	alive = 0;
	printf("Tracing... Hit Ctrl-C to end.\n");
}

proc:::start
/execname == "toil"/
{
	born[pid] = timestamp;
	alive += 1;
}

proc:::exit
/born[pid]/
{
	@lived[execname, "lived"] = count();
	@life["lifetime"] = quantize((timestamp - born[pid]) / 1000);
	born[pid] = 0;
	alive -= 1;
}

dtrace:::END
{
	printa("%s %s %@d\n", @lived);
	printa("%s (us)%@d\n", @life);
	printf("alive %d\n", alive);
}
