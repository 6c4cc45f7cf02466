/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of curcpu, chip and lgrp: a struct cpuinfo per CPU, filled in from
 * /sys/devices/system/cpu when a script is loaded (Linux,
 * Documentation/ABI/stable/sysfs-devices-system-cpu).
 */
#include "exec/cpuinfo.h"

#include <dirent.h>
#include <stdio.h>

#define CPU_DIR "/sys/devices/system/cpu/cpu%u"
#define NO_PSET (-1) /* PS_NONE: Linux has no processor sets */

/* The package that the CPU is in; 0 while it is offline. */
static int32_t
chip_of(uint32_t cpu)
{
	char path[128];
	int chip = 0;
	FILE *f;

	snprintf(
	    path, sizeof(path), CPU_DIR "/topology/physical_package_id", cpu);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	if (fscanf(f, "%d", &chip) != 1)
		chip = 0;
	fclose(f);
	return chip;
}

/* The memory node: the directory has a link nodeN.  0 where there are none. */
static int32_t
node_of(uint32_t cpu)
{
	char path[128];
	int node = 0, found = 0;
	struct dirent *de;
	DIR *dir;

	snprintf(path, sizeof(path), CPU_DIR, cpu);
	if ((dir = opendir(path)) == NULL)
		return 0;
	while (found != 1 && (de = readdir(dir)) != NULL)
		found = sscanf(de->d_name, "node%d", &node);
	closedir(dir);
	return found == 1 ? node : 0;
}

void
exec_cpuinfo(struct dif_cpuinfo *cpus, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		cpus[i] = (struct dif_cpuinfo){ .cpu_id = (int32_t)i,
			.cpu_pset = NO_PSET,
			.cpu_chip = chip_of(i),
			.cpu_lgrp = node_of(i) };
}
