/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_TSC_H
#define EXEC_TSC_H

/* The time-stamp counter beside CLOCK_MONOTONIC. */
#include <stdbool.h>
#include <stdint.h>

struct exec_tsc {
	uint64_t cycles, ns;
};

/* Does it advance evenly? */
bool exec_tsc_is_even(void);
/* Is there an instruction that says which CPU it runs on? */
bool exec_cpu_has_rdpid(void);
/* Both clocks at one instant. */
void exec_tsc_read(struct exec_tsc *p);

#endif
