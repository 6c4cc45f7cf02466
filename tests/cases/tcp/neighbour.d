/*
 * A connection to a neighbour whose address is not known yet: its SYN is sent
 * when it is, late, and for the first time.  Of a host that is not there it is
 * dropped, and the connection is not requested.
 * @@args: -q
 * @@needs: cmd:ip cmd:nsenter cmd:unshare link:veth
 */
tcp:::send
/args[3]->tcps_raddr == "198.18.5.2" && !sent++/
{
	printf("%s %d %d\n", probename, args[3]->tcps_retransmit,
	    args[3]->tcps_state == TCP_STATE_SYN_SENT);
}

tcp:::connect-request
/args[3]->tcps_raddr == "198.18.5.2"/
{
	printf("%s\n", probename);
}

tcp:::connect-refused
/args[3]->tcps_raddr == "198.18.5.2"/
{
	printf("%s\n", probename);
}

tcp:::send,
tcp:::connect-request
/args[3]->tcps_raddr == "198.18.5.3"/
{
	printf("%s?\n", probename);
}

ip:::drop-out
/args[4]->ipv4_daddr == "198.18.5.3" &&
    args[4]->ipv4_protocol == IPPROTO_TCP && !dropped++/
{
	printf("%s\n", probename);
}
