#!/usr/sbin/dtrace -s
/*
 * tcpconnects: TCP connections that this host opens, also refused ones
 */
#pragma D option quiet
#pragma D option defaultargs

BEGIN
{
	printf("%-20s %-8s %-22s %6s %-22s %6s\n", "TIME", "", "LOCAL", "PORT",
	    "REMOTE", "PORT");
}

tcp:::connect-established
{
	printf("%-20Y %-8s %-22s %6d %-22s %6d\n", walltimestamp, "open",
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport);
}

tcp:::connect-refused
{
	printf("%-20Y %-8s %-22s %6d %-22s %6d\n", walltimestamp, "refused",
	    args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport);
}
