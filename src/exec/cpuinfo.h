/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef EXEC_CPUINFO_H
#define EXEC_CPUINFO_H

#include "dif/dif.h"

/* Fill in the system's data of CPUs 0 to n - 1. */
void exec_cpuinfo(struct dif_cpuinfo *cpus, uint32_t n);

#endif
