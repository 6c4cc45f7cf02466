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

nfsv4:::*-start
{
	@open[substr(probename, 0, strlen(probename) - 6)] = sum(1);
}

nfsv4:::*-done
{
	@open[substr(probename, 0, strlen(probename) - 5)] = sum(-1);
}

END
{
	printa("%s %@d\n", @);
	printa("%s begun and not done: %@d\n", @open);
	printa("bad %@d\n", @bad);
}
