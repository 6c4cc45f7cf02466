/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0 */
#ifndef EXEC_RUNTIME_RT_FILTER_H
#define EXEC_RUNTIME_RT_FILTER_H

#include "exec/runtime/rt.h"

/* An instruction of classic BPF (linux/filter.h, struct sock_filter). */
struct rt_bpf {
	unsigned short code;
	unsigned char jt, jf;
	u32 k;
};

/*
 * Does a seccomp filter permit system call nr of x86-64 for all arguments and
 * from all places (SECCOMP_RET_ALLOW, SECCOMP_RET_LOG)?  Returns 0 also if the
 * decision depends on them, and for an invalid filter: the program is not
 * trusted.
 */
int rt_filter_permits(const struct rt_bpf *prog, u32 n, u32 nr);

#endif
