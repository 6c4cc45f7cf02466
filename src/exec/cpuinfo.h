/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_CPUINFO_H
#define EXEC_CPUINFO_H

#include "base/err.h"
#include "dif/dif.h"

/* Fill in the system's data of CPUs 0 to n - 1; -errno if dtrace cannot read
 * them. */
CHECKED int exec_cpuinfo(struct dif_cpuinfo *cpus, uint32_t n);

#endif
