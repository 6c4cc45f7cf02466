/*
 * The server asks a client for a delegation, and is answered: the probes have
 * the client's address, and the same number twice.
 * @@args: -q
 * @@needs: kmod:nfsd kmod:nfsv4 cmd:python3
 */
nfsv4:::cb-recall-start
{
	xid = args[1]->nci_xid;
	printf("asked %s by %s, %s %d\n", args[0]->ci_remote,
	    args[0]->ci_local, args[0]->ci_protocol, xid != 0 && args[2] != 0);
}

nfsv4:::cb-recall-done
{
	printf("answered %s %s %d\n", args[0]->ci_remote, args[0]->ci_protocol,
	    args[1]->nci_xid == xid);
}
