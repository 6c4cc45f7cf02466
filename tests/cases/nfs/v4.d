/*
 * A file server's operations by version 4: each that is begun is done; how many
 * there are of those that change something is known.
 * @@args: -q
 * @@needs: kmod:nfsd kmod:nfsv4 cmd:python3
 */
nfsv4:::
{
	@[probename] = count();
	@bad = sum(args[0]->ci_local != "127.0.0.1" || args[0]->ci_remote !=
	    "127.0.0.1" || args[0]->ci_protocol != "ipv4");
}

nfsv4:::op-*, nfsv4:::compound-*, nfsv4:::null-*
{
	@bad = sum(args[1]->noi_xid == 0);
}

END
{
	printa("%s %@d\n", @);
	printa("bad %@d\n", @bad);
}
