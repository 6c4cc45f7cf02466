/*
 * Datagrams to a port without a socket are dropped as they come in.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net nobody:3
 */
ip:::send
/pid == $target/
{
	net = args[3]->if_ipstack;
}

ip:::drop-in,
ip:::drop-out
/net != 0 && args[4]->ipv4_protocol == IPPROTO_UDP &&
    args[3]->if_ipstack == net/
{
	@[probename, args[2]->ip_plength, args[2]->ip_daddr,
	    args[3]->if_name] = count();
}

END
{
	printa("%s %d %s %s %@d\n", @);
}
