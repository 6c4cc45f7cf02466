/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_PRIVILEGE_H
#define BASE_PRIVILEGE_H

/*
 * Privileges for tracing.  Each provider says which of these its probes need
 * (dt_provider_ops.privilege); the kernel decides in the end.
 */
#include <stdbool.h>
#include <stddef.h>

enum dt_privilege {
#define PRIVILEGE(NAME, ...) DT_PRIV_##NAME,
#include "base/privileges.def"
#undef PRIVILEGE
	DT_NPRIVS
};

/*
 * Does this process have the privilege?  For DT_PRIV_PROC: also for processes
 * of other users.
 */
bool dt_privilege_has(enum dt_privilege p);

/*
 * "WHAT needs the capability CAP_PERFMON, which is missing" (malloced).  If no
 * capability is missing, the text names all.
 */
char *dt_privilege_refusal(enum dt_privilege p, const char *what);

/*
 * Why we may not trace our own user's processes, and the remedy (malloced;
 * NULL: nothing prevents it).  dt_privilege_calls() tells of system calls that
 * a seccomp filter forbids; dt_ptrace_refusal() also of Yama (the kernel's
 * admin-guide/LSM/Yama.rst), which may still permit tracing children.
 */
char *dt_privilege_calls(void);
/*
 * Called when bpf() failed with EPERM: what forbids tracing in the kernel
 * although the caller has the capabilities (malloced).  NULL: a capability is
 * missing.
 */
char *dt_bpf_refusal(void);
char *dt_ptrace_refusal(bool is_child);

#endif
