/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/cpulist.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#define ONLINE "/sys/devices/system/cpu/online"

bool
cpulist_has(const char *list, unsigned cpu)
{
	while (isdigit((unsigned char)*list)) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (cpu >= first && cpu <= last)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

bool
cpu_is_online(unsigned cpu)
{
	FILE *f = fopen(ONLINE, "re");
	char *list = NULL;
	size_t size = 0;
	bool is_online =
	    f == NULL || getline(&list, &size, f) < 0 || cpulist_has(list, cpu);

	free(list);
	if (f != NULL)
		fclose(f);
	return is_online;
}
