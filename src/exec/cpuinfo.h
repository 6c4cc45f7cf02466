/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_CPUINFO_H
#define EXEC_CPUINFO_H

#include "dif/dif.h"

/* What the system says of CPUs 0 to n - 1. */
void exec_cpuinfo(struct dif_cpuinfo *cpus, uint32_t n);

#endif
