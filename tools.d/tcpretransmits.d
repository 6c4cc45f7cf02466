#!/usr/sbin/dtrace -s
/*
 * tcpretransmits [PORT]: TCP segments that are sent again, by connection
 *
 * PORT selects connections with that port at one of their ends.
 */
#pragma D option quiet
#pragma D option defaultargs

tcp:::send
/args[3]->tcps_retransmit &&
    ($1 == 0 || args[4]->tcp_sport == $1 || args[4]->tcp_dport == $1)/
{
	@[args[2]->ip_saddr, args[4]->tcp_sport, args[2]->ip_daddr,
	    args[4]->tcp_dport] = count();
}

END
{
	printf("%-22s %6s %-22s %6s %8s\n", "LOCAL", "PORT", "REMOTE", "PORT",
	    "TIMES");
	printa("%-22s %6d %-22s %6d %@8d\n", @);
}
