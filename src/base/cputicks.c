/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cputicks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "cpu0 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...": guests' time is in
 * that of users, too. */
bool
cpu_ticks_parse(const char *line, unsigned *cpu, struct cpu_ticks *t)
{
	enum { IDLE = 3, IOWAIT = 4, N = 8 };
	char *at;

	if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
		return false;
	*cpu = (unsigned)strtoul(line + 3, &at, 10);
	*t = (struct cpu_ticks){ 0 };
	for (int i = 0; i < N && *at == ' '; i++) {
		uint64_t n = strtoull(at, &at, 10);

		t->all += n;
		if (i == IDLE || i == IOWAIT)
			t->idle += n;
	}
	return true;
}

void
cpu_ticks_read(struct cpu_ticks *ticks, size_t n)
{
	FILE *fp = fopen("/proc/stat", "re");
	char line[256];
	struct cpu_ticks t;
	unsigned cpu;

	memset(ticks, 0, n * sizeof(*ticks));
	/* lines about CPUs are short, and come first */
	while (fp != NULL && fgets(line, sizeof(line), fp) != NULL &&
	    strncmp(line, "cpu", 3) == 0) {
		if (cpu_ticks_parse(line, &cpu, &t) && cpu < n)
			ticks[cpu] = t;
	}
	if (fp != NULL)
		fclose(fp);
}

unsigned
cpu_ticks_idle(struct cpu_ticks before, struct cpu_ticks after)
{
	uint64_t all = after.all - before.all, idle = after.idle - before.idle;

	/* of iowait the kernel takes something back now and then */
	if (after.all <= before.all || after.idle <= before.idle)
		return 0;
	return idle >= all ? 100 : (unsigned)(100 * idle / all);
}
