/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_RUNTIME_TSC_H
#define EXEC_RUNTIME_TSC_H

/* The time-stamp counter beside CLOCK_MONOTONIC. */
#include <stdbool.h>
#include <stdint.h>

#define EXEC_CPU_MASK 0xfff /* of what RDPID reads (vdso_setup_cpunode) */

struct exec_tsc {
	uint64_t cycles, ns;
};

/* Does it advance evenly, and alike on all CPUs? */
bool exec_tsc_is_even(void);
/* Is there RDPID, which reads what RDTSCP reads besides the counter? */
bool exec_cpu_has_rdpid(void);
/*
 * Do RDTSCP and RDPID say which CPU they run on?  The kernel sees to it
 * (arch/x86/kernel/cpu/common.c, setup_getcpu), but some virtual machines let
 * programs see the host's number, so it is compared with what the kernel says.
 */
bool exec_cpu_is_told(void);
/* Both clocks at one instant. */
void exec_tsc_read(struct exec_tsc *p);

#endif
