/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The map behind curcpu, chip and lgrp.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "exec/cpuinfo.h"

int
bx_cpus_map(struct bx_exec *x)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = BPF_F_RDONLY_PROG);
	uint32_t size = x->e.ncpus * (uint32_t)sizeof(struct dif_cpuinfo);
	struct dif_cpuinfo *cpus = mem_alloc(size);
	uint32_t zero = 0;
	int fd = exec_cpuinfo(cpus, x->e.ncpus);

	if (fd == 0)
		fd = bpf_map_create(
		    BPF_MAP_TYPE_ARRAY, "dt_cpus", 4, size, 1, &o);
	if (fd >= 0 && bpf_map_update_elem(fd, &zero, cpus, 0) != 0) {
		close(fd);
		fd = -errno;
	}
	free(cpus);
	return fd;
}
