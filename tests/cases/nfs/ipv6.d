/*
 * The address of a client that asks by IPv6.
 * @@args: -q
 * @@needs: kmod:nfsd cmd:python3
 */
nfsv3:::, nfsv4:::
{
	printf("%s %s %s %s\n", probename, args[0]->ci_protocol,
	    args[0]->ci_remote, args[0]->ci_local);
}
