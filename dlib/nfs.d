/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The nfsv3 and nfsv4 providers: what this host's NFS server is asked, and when
 * it has answered, in the server's thread.
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

#pragma D unavailable nfsv3opinfo_t noi_cred the events of Linux's server do not tell it
#pragma D unavailable nfsv4opinfo_t noi_cred the events of Linux's server do not tell it
#pragma D unavailable nfsv3opinfo_t noi_curpath Linux's server knows files by their handles, not by paths
#pragma D unavailable nfsv4opinfo_t noi_curpath Linux's server knows files by their handles, not by paths
#pragma D unavailable nfsv4cbinfo_t nci_curpath Linux's server knows files by their handles, not by paths

inline uint64_t _nfs_k[uintptr_t remote, uintptr_t local] =
    (remote & ~(63ULL << 57)) | ((local - remote) >> 3) << 57;

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

translator nfsv4cbinfo_t < uint32_t xid > {
	nci_xid = ntohl(xid);
};

translator nfsv3opinfo_t < uint32_t xid > {
	noi_xid = ntohl(xid);
};

translator nfsv4opinfo_t < uint32_t xid > {
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

/* ---- version 3: a call is an operation ----------------------------------- */

inline int _NFS_PROG = 100003;

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 0/
{
	fire("nfsv3:::null-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 0/
{
	fire("nfsv3:::null-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 1/
{
	fire("nfsv3:::op-getattr-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 1/
{
	fire("nfsv3:::op-getattr-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 2/
{
	fire("nfsv3:::op-setattr-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 2/
{
	fire("nfsv3:::op-setattr-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 3/
{
	fire("nfsv3:::op-lookup-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 3/
{
	fire("nfsv3:::op-lookup-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 4/
{
	fire("nfsv3:::op-access-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 4/
{
	fire("nfsv3:::op-access-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 5/
{
	fire("nfsv3:::op-readlink-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 5/
{
	fire("nfsv3:::op-readlink-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 6/
{
	fire("nfsv3:::op-read-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 6/
{
	fire("nfsv3:::op-read-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 7/
{
	fire("nfsv3:::op-write-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 7/
{
	fire("nfsv3:::op-write-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 8/
{
	fire("nfsv3:::op-create-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 8/
{
	fire("nfsv3:::op-create-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 9/
{
	fire("nfsv3:::op-mkdir-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 9/
{
	fire("nfsv3:::op-mkdir-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 10/
{
	fire("nfsv3:::op-symlink-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 10/
{
	fire("nfsv3:::op-symlink-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 11/
{
	fire("nfsv3:::op-mknod-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 11/
{
	fire("nfsv3:::op-mknod-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 12/
{
	fire("nfsv3:::op-remove-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 12/
{
	fire("nfsv3:::op-remove-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 13/
{
	fire("nfsv3:::op-rmdir-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 13/
{
	fire("nfsv3:::op-rmdir-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 14/
{
	fire("nfsv3:::op-rename-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 14/
{
	fire("nfsv3:::op-rename-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 15/
{
	fire("nfsv3:::op-link-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 15/
{
	fire("nfsv3:::op-link-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 16/
{
	fire("nfsv3:::op-readdir-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 16/
{
	fire("nfsv3:::op-readdir-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 17/
{
	fire("nfsv3:::op-readdirplus-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 17/
{
	fire("nfsv3:::op-readdirplus-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 18/
{
	fire("nfsv3:::op-fsstat-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 18/
{
	fire("nfsv3:::op-fsstat-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 19/
{
	fire("nfsv3:::op-fsinfo-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 19/
{
	fire("nfsv3:::op-fsinfo-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 20/
{
	fire("nfsv3:::op-pathconf-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 20/
{
	fire("nfsv3:::op-pathconf-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 21/
{
	fire("nfsv3:::op-commit-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 3 &&
    args[0]->rq_proc == 21/
{
	fire("nfsv3:::op-commit-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

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
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__close__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__close__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__commit__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__commit__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__create__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__create__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__delegreturn__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__delegreturn__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__getattr__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__getattr__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__getfh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__getfh__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__link__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__link__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lock__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lock__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lockt__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lockt__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__locku__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__locku__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lookup__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lookup__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lookupp__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__lookupp__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__nverify__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__nverify__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__open__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__open__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__open__confirm__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__open__confirm__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__open__downgrade__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__open__downgrade__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__putfh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__putfh__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__putrootfh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__putrootfh__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__read__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__read__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__readdir__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__readdir__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__readlink__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__readlink__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__remove__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__remove__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__rename__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__rename__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__renew__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__renew__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__restorefh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__restorefh__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__savefh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__savefh__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__secinfo__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__secinfo__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__setattr__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__setattr__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__setclientid__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__setclientid__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__setclientid__confirm__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__setclientid__confirm__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__verify__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__verify__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__write__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__write__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__release__lockowner__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__release__lockowner__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__delegpurge__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__delegpurge__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__openattr__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__openattr__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__putpubfh__start(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
	probe op__putpubfh__done(uint64_t K, uint32_t xid,
	    uintptr_t data) :
	    (conninfo_t *K, nfsv4opinfo_t *xid, uintptr_t data);
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

/* ---- version 4: calls, and the operations they are made of --------------- */

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 4 &&
    args[0]->rq_proc == 0/
{
	fire("nfsv4:::null-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 4 &&
    args[0]->rq_proc == 0/
{
	fire("nfsv4:::null-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

sdt:sunrpc::svc_process
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 4 &&
    args[0]->rq_proc == 1/
{
	fire("nfsv4:::compound-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_argp);
}

sdt:sunrpc::svc_send
/args[0]->rq_prog == _NFS_PROG && args[0]->rq_vers == 4 &&
    args[0]->rq_proc == 1/
{
	fire("nfsv4:::compound-done", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[0]->rq_resp);
}

fbt:nfsd:nfsd4_access:entry
{
	fire("nfsv4:::op-access-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 3/
{
	fire("nfsv4:::op-access-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_close:entry
{
	fire("nfsv4:::op-close-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 4/
{
	fire("nfsv4:::op-close-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_commit:entry
{
	fire("nfsv4:::op-commit-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 5/
{
	fire("nfsv4:::op-commit-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_create:entry
{
	fire("nfsv4:::op-create-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 6/
{
	fire("nfsv4:::op-create-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_delegreturn:entry
{
	fire("nfsv4:::op-delegreturn-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 8/
{
	fire("nfsv4:::op-delegreturn-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_getattr:entry
{
	fire("nfsv4:::op-getattr-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 9/
{
	fire("nfsv4:::op-getattr-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_getfh:entry
{
	fire("nfsv4:::op-getfh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 10/
{
	fire("nfsv4:::op-getfh-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_link:entry
{
	fire("nfsv4:::op-link-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 11/
{
	fire("nfsv4:::op-link-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_lock:entry
{
	fire("nfsv4:::op-lock-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 12/
{
	fire("nfsv4:::op-lock-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_lockt:entry
{
	fire("nfsv4:::op-lockt-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 13/
{
	fire("nfsv4:::op-lockt-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_locku:entry
{
	fire("nfsv4:::op-locku-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 14/
{
	fire("nfsv4:::op-locku-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_lookup:entry
{
	fire("nfsv4:::op-lookup-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 15/
{
	fire("nfsv4:::op-lookup-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_lookupp:entry
{
	fire("nfsv4:::op-lookupp-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 16/
{
	fire("nfsv4:::op-lookupp-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_nverify:entry
{
	fire("nfsv4:::op-nverify-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 17/
{
	fire("nfsv4:::op-nverify-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_open:entry
{
	fire("nfsv4:::op-open-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 18/
{
	fire("nfsv4:::op-open-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_open_confirm:entry
{
	fire("nfsv4:::op-open-confirm-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 20/
{
	fire("nfsv4:::op-open-confirm-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_open_downgrade:entry
{
	fire("nfsv4:::op-open-downgrade-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 21/
{
	fire("nfsv4:::op-open-downgrade-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_putfh:entry
{
	fire("nfsv4:::op-putfh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 22/
{
	fire("nfsv4:::op-putfh-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_putrootfh:entry
{
	fire("nfsv4:::op-putrootfh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 24/
{
	fire("nfsv4:::op-putrootfh-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_read:entry
{
	fire("nfsv4:::op-read-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 25/
{
	fire("nfsv4:::op-read-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_readdir:entry
{
	fire("nfsv4:::op-readdir-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 26/
{
	fire("nfsv4:::op-readdir-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_readlink:entry
{
	fire("nfsv4:::op-readlink-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 27/
{
	fire("nfsv4:::op-readlink-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_remove:entry
{
	fire("nfsv4:::op-remove-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 28/
{
	fire("nfsv4:::op-remove-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_rename:entry
{
	fire("nfsv4:::op-rename-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 29/
{
	fire("nfsv4:::op-rename-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_renew:entry
{
	fire("nfsv4:::op-renew-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 30/
{
	fire("nfsv4:::op-renew-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_restorefh:entry
{
	fire("nfsv4:::op-restorefh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 31/
{
	fire("nfsv4:::op-restorefh-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_savefh:entry
{
	fire("nfsv4:::op-savefh-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 32/
{
	fire("nfsv4:::op-savefh-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_secinfo:entry
{
	fire("nfsv4:::op-secinfo-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 33/
{
	fire("nfsv4:::op-secinfo-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_setattr:entry
{
	fire("nfsv4:::op-setattr-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 34/
{
	fire("nfsv4:::op-setattr-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_setclientid:entry
{
	fire("nfsv4:::op-setclientid-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 35/
{
	fire("nfsv4:::op-setclientid-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_setclientid_confirm:entry
{
	fire("nfsv4:::op-setclientid-confirm-start",
	    _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 36/
{
	fire("nfsv4:::op-setclientid-confirm-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_verify:entry
{
	fire("nfsv4:::op-verify-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 37/
{
	fire("nfsv4:::op-verify-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_write:entry
{
	fire("nfsv4:::op-write-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 38/
{
	fire("nfsv4:::op-write-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
}

fbt:nfsd:nfsd4_release_lockowner:entry
{
	fire("nfsv4:::op-release-lockowner-start", _nfs_k[(uintptr_t)&args[0]->rq_addr,
	    (uintptr_t)&args[0]->rq_daddr], args[0]->rq_xid,
	    (uintptr_t)args[2]);
}

fbt:nfsd:nfsd4_encode_operation:entry
/args[1]->opnum == 39/
{
	fire("nfsv4:::op-release-lockowner-done",
	    _nfs_k[(uintptr_t)&args[0]->rqstp->rq_addr,
	    (uintptr_t)&args[0]->rqstp->rq_daddr], args[0]->rqstp->rq_xid,
	    (uintptr_t)&args[1]->u);
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
