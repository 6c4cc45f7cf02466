/*
 * A packet that a device's queue takes and loses is dropped on its way out; it
 * has been sent.
 * @@args: -q
 * @@needs: prog:net cmd:tc
 * @@run: $PROGS/net lost:3
 */
ip:::send
/pid == $target/
{
	net = args[3]->if_ipstack;
}

ip:::send,
ip:::receive,
ip:::drop-in,
ip:::drop-out
/net != 0 && args[3]->if_ipstack == net/
{
	@[probename, args[2]->ip_plength, args[2]->ip_daddr,
	    args[3]->if_name] = count();
}

END
{
	printa("%s %d %s %s %@d\n", @);
}
