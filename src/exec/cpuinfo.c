/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The data of curcpu, chip and lgrp: a struct cpuinfo per CPU, filled in from
 * /sys/devices/system/cpu when a script is loaded (Linux,
 * Documentation/ABI/stable/sysfs-devices-system-cpu).
 */
#include "exec/cpuinfo.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "base/ownfailure.h"

#define CPU_DIR "/sys/devices/system/cpu/cpu%u"
#define NO_PSET (-1) /* PS_NONE: Linux has no processor sets */

/* -errno if dtrace itself failed; any other failure means: there is none. */
CHECKED static int
own_failure(void)
{
	return is_own_failure(errno) ? -errno : 0;
}

/* The package that the CPU is in; 0 while it is offline. */
CHECKED static int
find_chip(uint32_t cpu, int32_t *chip)
{
	char path[128];
	FILE *f;
	int rc = 0;

	snprintf(
	    path, sizeof(path), CPU_DIR "/topology/physical_package_id", cpu);
	*chip = 0;
	if ((f = fopen(path, "re")) == NULL)
		return own_failure();
	errno = 0;
	if (fscanf(f, "%d", chip) != 1)
		rc = own_failure();
	fclose(f);
	return rc;
}

/* The memory node: the directory has a link nodeN.  0 where there are none. */
CHECKED static int
find_node(uint32_t cpu, int32_t *node)
{
	char path[128];
	int found = 0, rc = 0;
	struct dirent *de;
	DIR *dir;

	snprintf(path, sizeof(path), CPU_DIR, cpu);
	*node = 0;
	if ((dir = opendir(path)) == NULL)
		return own_failure();
	errno = 0;
	while (found != 1 && (de = readdir(dir)) != NULL)
		found = sscanf(de->d_name, "node%d", node);
	if (found != 1)
		rc = own_failure();
	closedir(dir);
	return rc;
}

int
exec_cpuinfo(struct dif_cpuinfo *cpus, uint32_t n)
{
	int rc = 0;

	for (uint32_t i = 0; i < n && rc == 0; i++) {
		cpus[i] = (struct dif_cpuinfo){ .cpu_id = (int32_t)i,
			.cpu_pset = NO_PSET };
		rc = find_chip(i, &cpus[i].cpu_chip);
		if (rc == 0)
			rc = find_node(i, &cpus[i].cpu_lgrp);
	}
	return rc;
}
