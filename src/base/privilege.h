/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_PRIVILEGE_H
#define BASE_PRIVILEGE_H

/*
 * What it takes to trace.  Each provider says which of these its probes need
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

/* Does this process have it?  For DT_PRIV_PROC: also for others' processes. */
bool dt_privilege_has(enum dt_privilege p);

/*
 * "WHAT needs the capability CAP_PERFMON, which is missing" (malloced); as if all were missing, if none is.
 */
char *dt_privilege_refusal(enum dt_privilege p, const char *what);

/*
 * What keeps us from looking into processes of our own, and what to do about it
 * (malloced; NULL: nothing does).  A system call that a seccomp filter forbids;
 * or that, or Yama (the kernel's admin-guide/LSM/Yama.rst), which may still let
 * one trace children.
 */
char *dt_privilege_calls(void);
/*
 * bpf() has failed with EPERM: the text says what forbids tracing in the kernel
 * although the caller has the capabilities (malloced).  NULL: a capability is
 * missing.
 */
char *dt_bpf_refusal(void);
char *dt_ptrace_refusal(bool is_child);

#endif
