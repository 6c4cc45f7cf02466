#!/usr/sbin/dtrace -s
/*
 * tcpbytes.d: bytes of connections by the addresses of both ends.
 *
 * @@load: toil tcp 4 5000
 * @@truth: load
 * @@check: sum(int(r[-1]) for r in rows if r[:3] == ["127.0.0.1", "->", "127.0.0.1"]) == 2 * load["bytes"]
 * @@check: [r[-1] for r in rows if r[:4] == ["127.0.0.1", "->", "127.0.0.1", "8642"]] == [str(load["bytes"])]
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

tcp:::receive
/(args[4]->tcp_dport == 8642 || args[4]->tcp_sport == 8642) &&
    args[2]->ip_plength > args[4]->tcp_offset/
{
	this->port = args[4]->tcp_dport == 8642 ? 8642 : 0;
	@[args[2]->ip_saddr, args[2]->ip_daddr, this->port] =
	    sum(args[2]->ip_plength - args[4]->tcp_offset);
}

dtrace:::END
{
	printa("%15s -> %-15s %5d %@10d\n", @);
}
