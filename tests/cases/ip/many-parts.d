/*
 * The flags of a fragment are no part of its offset, which takes the bits below
 * them: 40008 bytes are sent in 28 parts, all but one with IPV4_MF.
 * @@args: -q
 * @@needs: prog:net
 * @@run: $PROGS/net many-parts
 */
ip:::send
/pid == $target/
{
	@[args[4]->ipv4_flags] = count();
	@last = max(args[4]->ipv4_offset);
}

END
{
	printa("%d %@d\n", @);
	printa("%@d\n", @last);
}
