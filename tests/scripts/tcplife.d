#!/usr/sbin/dtrace -s
/*
 * tcplife.d: connections from request to establishment, by socket.
 *
 * @@load: toil tcp 8 10
 * @@truth: snmp
 * @@check: n("established") == load["snmp"]["Tcp"]["ActiveOpens"] == sum(dist("latency").values())
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

tcp:::connect-request
/args[3]->tcps_rport == 8642/
{
	start[args[1]->cs_cid] = timestamp;
}

tcp:::connect-established
/start[args[1]->cs_cid]/
{
	@latency["latency"] = quantize(timestamp - start[args[1]->cs_cid]);
	@n["established"] = count();
	start[args[1]->cs_cid] = 0;
}
