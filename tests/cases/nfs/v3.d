/*
 * A file server's operations by version 3: each that is begun is done; how many
 * there are of those that change something, or ask for a directory, is known.
 * @@args: -q
 * @@needs: kmod:nfsd kmod:nfsv3 cmd:python3
 */
nfsv3:::
{
	@[probename] = count();
	@bad = sum(args[0]->ci_local != "127.0.0.1" || args[0]->ci_remote !=
	    "127.0.0.1" || args[0]->ci_protocol != "ipv4" ||
	    args[1]->noi_xid == 0);
}

nfsv3:::*-start
{
	@open[substr(probename, 0, strlen(probename) - 6)] = sum(1);
}

nfsv3:::*-done
{
	@open[substr(probename, 0, strlen(probename) - 5)] = sum(-1);
}

END
{
	printa("%s %@d\n", @);
	printa("%s begun and not done: %@d\n", @open);
	printa("bad %@d\n", @bad);
}
