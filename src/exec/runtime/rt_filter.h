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
 * Does a seccomp filter permit system call nr of x86-64, whatever its arguments
 * and wherever it is made (SECCOMP_RET_ALLOW, SECCOMP_RET_LOG)?  0 also if that
 * depends on them, and for what is no filter: the program is anybody's.
 */
int rt_filter_permits(const struct rt_bpf *prog, u32 n, u32 nr);

#endif
