/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef BASE_CPUTICKS_H
#define BASE_CPUTICKS_H

/* How long each CPU has been idle since the machine was started (proc_stat(5)),
 * in ticks: what counts is how they have grown. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_ticks {
	uint64_t idle, all;
};

/* A line of /proc/stat; false if it is not about one CPU. */
bool cpu_ticks_parse(const char *line, unsigned *cpu, struct cpu_ticks *t);

/* Read the ticks of the CPUs from 0 on.  An unknown value, and the values of a
 * number without a CPU, are 0. */
void cpu_ticks_read(struct cpu_ticks *ticks, size_t n);

/* Percent, rounded down; 0 if nothing has passed. */
unsigned cpu_ticks_idle(struct cpu_ticks before, struct cpu_ticks after);

#endif
