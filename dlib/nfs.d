/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nfsv3 provider: requests to this host's NFS server, and when it has
 * answered, in the server's thread; and what nfsv4.d needs, too.
 *
 * Types of the modules nfsd and sunrpc have no names here, since they need not
 * be loaded; so clauses take them apart.  A connection is a number, K: the
 * address of the peer's struct sockaddr_storage, in whose bits 62 to 57, all 1
 * in the kernel's addresses, stands how far behind it our own is, in units of 8
 * bytes; 0: it is not known, as that of callbacks.
 */
typedef struct conninfo {
	string ci_local;
	string ci_remote;
	string ci_protocol;	/* ipv4, ipv6 */
} conninfo_t;

typedef struct nfsv3opinfo {
	uint64_t noi_xid;	/* the call's number, the client's */
	uintptr_t noi_cred;
	string noi_curpath;
} nfsv3opinfo_t;

#pragma D unavailable nfsv3opinfo_t noi_cred the events of Linux's server do not tell it
#pragma D unavailable nfsv3opinfo_t noi_curpath Linux's server knows files by their handles, not by paths

inline uint64_t _nfs_k[uintptr_t remote, uintptr_t local] =
    (remote & ~(63ULL << 57)) | ((local - remote) >> 3) << 57;

inline uint64_t _nfs_call[uint32_t xid] = 1ULL << 32 | xid;

inline struct sockaddr *_nfs_remote[uint64_t K] =
    (struct sockaddr *)(K | 63ULL << 57);

inline struct sockaddr *_nfs_local[uint64_t K] =
    (struct sockaddr *)((K | 63ULL << 57) + ((K >> 57 & 63) << 3));

inline string _sockaddr_str[struct sockaddr *A] = A->sa_family == AF_INET ?
    inet_ntoa((ipaddr_t *)&((struct sockaddr_in *)A)->sin_addr) :
    inet_ntoa6(&((struct sockaddr_in6 *)A)->sin6_addr);

translator conninfo_t < uint64_t K > {
	ci_local = (K >> 57 & 63) == 0 ? "<unknown>" :
	    _sockaddr_str[_nfs_local[K]];
	ci_remote = _sockaddr_str[_nfs_remote[K]];
	ci_protocol = _nfs_remote[K]->sa_family == AF_INET ? "ipv4" : "ipv6";
};

translator nfsv3opinfo_t < uint32_t xid > {
	noi_xid = ntohl(xid);
};

provider nfsv3 {
	probe null__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe null__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__getattr__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__getattr__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__setattr__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__setattr__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__lookup__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__lookup__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__access__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__access__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__readlink__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__readlink__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__read__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__read__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__write__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__write__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__create__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__create__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__mkdir__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__mkdir__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__symlink__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__symlink__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__mknod__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__mknod__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__remove__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__remove__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__rmdir__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__rmdir__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__rename__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__rename__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__link__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__link__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__readdir__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__readdir__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__readdirplus__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__readdirplus__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__fsstat__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__fsstat__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__fsinfo__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__fsinfo__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__pathconf__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__pathconf__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__commit__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
	probe op__commit__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv3opinfo_t *xid, uintptr_t data);
};

#pragma D attributes Evolving/Evolving/Common provider nfsv3 provider
#pragma D attributes Evolving/Evolving/Common provider nfsv3 name
#pragma D attributes Evolving/Evolving/Common provider nfsv3 args

inline int _NFS_PROG = 100003;

/*
 * Once a call's arguments are decoded, the server looks whether it has answered
 * it before: that is where it starts.  An answer to a call that did not get
 * there (who asks is not let in, or nobody understands what) is none of ours.
 */
self uint64_t nfs3_call;

fbt:nfsd:nfsd_cache_lookup:entry
{
	self->nfs3_call = _nfs_call[args[0]->rq_xid];
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 0/
{
	fire("nfsv3:::null-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 0/
{
	fire("nfsv3:::null-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 1/
{
	fire("nfsv3:::op-getattr-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 1/
{
	fire("nfsv3:::op-getattr-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 2/
{
	fire("nfsv3:::op-setattr-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 2/
{
	fire("nfsv3:::op-setattr-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 3/
{
	fire("nfsv3:::op-lookup-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 3/
{
	fire("nfsv3:::op-lookup-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 4/
{
	fire("nfsv3:::op-access-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 4/
{
	fire("nfsv3:::op-access-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 5/
{
	fire("nfsv3:::op-readlink-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 5/
{
	fire("nfsv3:::op-readlink-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 6/
{
	fire("nfsv3:::op-read-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 6/
{
	fire("nfsv3:::op-read-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 7/
{
	fire("nfsv3:::op-write-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 7/
{
	fire("nfsv3:::op-write-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 8/
{
	fire("nfsv3:::op-create-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 8/
{
	fire("nfsv3:::op-create-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 9/
{
	fire("nfsv3:::op-mkdir-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 9/
{
	fire("nfsv3:::op-mkdir-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 10/
{
	fire("nfsv3:::op-symlink-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 10/
{
	fire("nfsv3:::op-symlink-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 11/
{
	fire("nfsv3:::op-mknod-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 11/
{
	fire("nfsv3:::op-mknod-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 12/
{
	fire("nfsv3:::op-remove-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 12/
{
	fire("nfsv3:::op-remove-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 13/
{
	fire("nfsv3:::op-rmdir-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 13/
{
	fire("nfsv3:::op-rmdir-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 14/
{
	fire("nfsv3:::op-rename-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 14/
{
	fire("nfsv3:::op-rename-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 15/
{
	fire("nfsv3:::op-link-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 15/
{
	fire("nfsv3:::op-link-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 16/
{
	fire("nfsv3:::op-readdir-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 16/
{
	fire("nfsv3:::op-readdir-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 17/
{
	fire("nfsv3:::op-readdirplus-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 17/
{
	fire("nfsv3:::op-readdirplus-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 18/
{
	fire("nfsv3:::op-fsstat-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 18/
{
	fire("nfsv3:::op-fsstat-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 19/
{
	fire("nfsv3:::op-fsinfo-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 19/
{
	fire("nfsv3:::op-fsinfo-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 20/
{
	fire("nfsv3:::op-pathconf-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 20/
{
	fire("nfsv3:::op-pathconf-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd_cache_lookup:entry
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 21/
{
	fire("nfsv3:::op-commit-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid] &&
    args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 21/
{
	fire("nfsv3:::op-commit-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_send
/self->nfs3_call == _nfs_call[args[0]->rq_xid]/
{
	self->nfs3_call = 0;
}
