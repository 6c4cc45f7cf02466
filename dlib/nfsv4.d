/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nfsv4 provider: the calls of version 4 of NFS, and the operations that they
 * are made of, in the server's thread.
 */

typedef struct nfsv4opinfo {
	uint64_t noi_xid;
	uintptr_t noi_cred;
	string noi_curpath;
} nfsv4opinfo_t;

/* nci_xid is ours. */
typedef struct nfsv4cbinfo {
	string nci_curpath;
	uint64_t nci_xid;	/* the callback's number, the server's */
} nfsv4cbinfo_t;

#pragma D unavailable nfsv4opinfo_t noi_cred the events of Linux's server do not tell it
#pragma D unavailable nfsv4opinfo_t noi_curpath Linux's server knows files by their handles, not by paths
#pragma D unavailable nfsv4cbinfo_t nci_curpath Linux's server knows files by their handles, not by paths

translator nfsv4opinfo_t < uint32_t xid > {
	noi_xid = ntohl(xid);
};

translator nfsv4cbinfo_t < uint32_t xid > {
	nci_xid = ntohl(xid);
};

provider nfsv4 {
	probe null__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe null__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe compound__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe compound__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__access__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__access__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__close__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__close__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__commit__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__commit__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__create__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__create__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__delegreturn__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__delegreturn__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__getattr__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__getattr__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__getfh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__getfh__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__link__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__link__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__lock__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lock__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__lockt__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lockt__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__locku__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__locku__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__lookup__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lookup__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__lookupp__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lookupp__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__nverify__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__nverify__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__open__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__open__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__open__confirm__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__open__confirm__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__open__downgrade__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__open__downgrade__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__putfh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__putfh__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__putrootfh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__putrootfh__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__read__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__read__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__readdir__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__readdir__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__readlink__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__readlink__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__remove__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__remove__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__rename__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__rename__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__renew__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__renew__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__restorefh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__restorefh__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__savefh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__savefh__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__secinfo__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__secinfo__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__setattr__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__setattr__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__setclientid__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__setclientid__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__setclientid__confirm__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__setclientid__confirm__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__verify__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__verify__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__write__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__write__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__release__lockowner__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__release__lockowner__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__delegpurge__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__delegpurge__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__openattr__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__openattr__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe op__putpubfh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__putpubfh__done(uint64_t K, uint32_t xid,
	    uintptr_t data, uint32_t status) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data,
	    uint32_t status);
	probe cb__recall__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4cbinfo_t *xid, uintptr_t data);
	probe cb__recall__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4cbinfo_t *xid, uintptr_t data);
};

#pragma D attributes Evolving/Evolving/Common provider nfsv4 provider
#pragma D attributes Evolving/Evolving/Common provider nfsv4 name
#pragma D attributes Evolving/Evolving/Common provider nfsv4 args

/*
 * A call starts where nfs.d says.  Then each operation's function is called,
 * unless the operation is refused before; its result is encoded (for reading,
 * that is when the file is read), or that of an equal one before; and
 * nfsd_compound_status tells the status.  One that was refused starts there, too,
 * so that each has a start and a done.
 */
self uint64_t nfs4_call, nfs4_k;
self uint32_t nfs4_opnum;	/* that was encoded last */
self uintptr_t nfs4_op, nfs4_run;	/* its data; of the one that ran last */

fbt:nfsd:nfsd_cache_lookup:entry
{
	self->nfs4_call = _nfs_call[args[0]->rq_xid];
	self->nfs4_k = _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr];
	self->nfs4_run = 0;
}

fbt:nfsd:nfsd4_encode_operation:entry
/self->nfs4_call != 0/
{
	self->nfs4_opnum = args[1]->opnum;
	self->nfs4_op = (uintptr_t)&args[1]->u;
}

fbt:nfsd:nfsd4_encode_replay:entry
/self->nfs4_call != 0/
{
	self->nfs4_opnum = args[1]->opnum;
	self->nfs4_op = (uintptr_t)&args[1]->u;
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 4 &&
    args[0]->rq_proc == 0/
{
	fire("nfsv4:::null-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs4_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 4 &&
    args[0]->rq_proc == 0/
{
	fire("nfsv4:::null-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 4 &&
    args[0]->rq_proc == 1/
{
	fire("nfsv4:::compound-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs4_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 4 &&
    args[0]->rq_proc == 1/
{
	fire("nfsv4:::compound-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_send
/self->nfs4_call == _nfs_call[args[0]->rq_xid]/
{
	self->nfs4_call = 0;
}

fbt:nfsd:nfsd4_access:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-access-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_close:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-close-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_commit:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-commit-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_create:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-create-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_delegreturn:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-delegreturn-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_getattr:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-getattr-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_getfh:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-getfh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_link:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-link-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_lock:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-lock-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_lockt:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-lockt-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_locku:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-locku-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_lookup:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-lookup-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_lookupp:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-lookupp-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_nverify:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-nverify-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_open:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-open-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_open_confirm:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-open-confirm-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_open_downgrade:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-open-downgrade-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_putfh:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-putfh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_read:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-read-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_readdir:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-readdir-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_readlink:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-readlink-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_remove:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-remove-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_rename:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-rename-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_renew:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-renew-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_restorefh:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-restorefh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_savefh:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-savefh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_secinfo:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-secinfo-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_setattr:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-setattr-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_setclientid:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-setclientid-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_setclientid_confirm:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-setclientid-confirm-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_verify:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-verify-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_write:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-write-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_release_lockowner:entry
/(self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-release-lockowner-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

/* One function for two operations. */
fbt:nfsd:nfsd4_putrootfh:entry
/((struct nfsd4_op *)((uintptr_t)args[2] - offsetof(struct nfsd4_op, u)))->opnum
    == 24 && (self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-putrootfh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_putrootfh:entry
/((struct nfsd4_op *)((uintptr_t)args[2] - offsetof(struct nfsd4_op, u)))->opnum
    == 23 && (self->nfs4_run = (uintptr_t)args[2]) != 0/
{
	fire("nfsv4:::op-putpubfh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

/*
 * An operation that the server refuses starts when its status is told.  So do
 * delegpurge and openattr, which Linux's server knows but cannot do.
 */
sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 3 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-access-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 3/
{
	fire("nfsv4:::op-access-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 4 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-close-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 4/
{
	fire("nfsv4:::op-close-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 5 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-commit-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 5/
{
	fire("nfsv4:::op-commit-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 6 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-create-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 6/
{
	fire("nfsv4:::op-create-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 8 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-delegreturn-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 8/
{
	fire("nfsv4:::op-delegreturn-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 9 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-getattr-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 9/
{
	fire("nfsv4:::op-getattr-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 10 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-getfh-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 10/
{
	fire("nfsv4:::op-getfh-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 11 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-link-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 11/
{
	fire("nfsv4:::op-link-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 12 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-lock-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 12/
{
	fire("nfsv4:::op-lock-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 13 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-lockt-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 13/
{
	fire("nfsv4:::op-lockt-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 14 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-locku-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 14/
{
	fire("nfsv4:::op-locku-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 15 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-lookup-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 15/
{
	fire("nfsv4:::op-lookup-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 16 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-lookupp-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 16/
{
	fire("nfsv4:::op-lookupp-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 17 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-nverify-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 17/
{
	fire("nfsv4:::op-nverify-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 18 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-open-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 18/
{
	fire("nfsv4:::op-open-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 20 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-open-confirm-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 20/
{
	fire("nfsv4:::op-open-confirm-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 21 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-open-downgrade-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 21/
{
	fire("nfsv4:::op-open-downgrade-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 22 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-putfh-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 22/
{
	fire("nfsv4:::op-putfh-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 24 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-putrootfh-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 24/
{
	fire("nfsv4:::op-putrootfh-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 25 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-read-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 25/
{
	fire("nfsv4:::op-read-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 26 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-readdir-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 26/
{
	fire("nfsv4:::op-readdir-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 27 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-readlink-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 27/
{
	fire("nfsv4:::op-readlink-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 28 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-remove-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 28/
{
	fire("nfsv4:::op-remove-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 29 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-rename-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 29/
{
	fire("nfsv4:::op-rename-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 30 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-renew-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 30/
{
	fire("nfsv4:::op-renew-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 31 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-restorefh-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 31/
{
	fire("nfsv4:::op-restorefh-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 32 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-savefh-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 32/
{
	fire("nfsv4:::op-savefh-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 33 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-secinfo-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 33/
{
	fire("nfsv4:::op-secinfo-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 34 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-setattr-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 34/
{
	fire("nfsv4:::op-setattr-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 35 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-setclientid-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 35/
{
	fire("nfsv4:::op-setclientid-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 36 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-setclientid-confirm-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 36/
{
	fire("nfsv4:::op-setclientid-confirm-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 37 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-verify-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 37/
{
	fire("nfsv4:::op-verify-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 38 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-write-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 38/
{
	fire("nfsv4:::op-write-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 39 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-release-lockowner-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 39/
{
	fire("nfsv4:::op-release-lockowner-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 7 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-delegpurge-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 7/
{
	fire("nfsv4:::op-delegpurge-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 19 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-openattr-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 19/
{
	fire("nfsv4:::op-openattr-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 23 && self->nfs4_run != self->nfs4_op/
{
	fire("nfsv4:::op-putpubfh-start", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op);
}

sdt:nfsd::nfsd_compound_status
/self->nfs4_opnum == 23/
{
	fire("nfsv4:::op-putpubfh-done", self->nfs4_k,
	    (uint32_t)self->nfs4_call, self->nfs4_op, ntohl(args[2]));
}

/* data: the server's struct nfsd4_callback. */
fbt:nfsd:nfs4_xdr_enc_cb_recall:entry
{
	fire("nfsv4:::cb-recall-start",
	    _nfs_k[(uintptr_t)&args[0]->rq_xprt->addr,
	    (uintptr_t)&args[0]->rq_xprt->addr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfs4_xdr_dec_cb_recall:entry
{
	fire("nfsv4:::cb-recall-done",
	    _nfs_k[(uintptr_t)&args[0]->rq_xprt->addr,
	    (uintptr_t)&args[0]->rq_xprt->addr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}
