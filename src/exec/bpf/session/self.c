/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Thread-local variables that processes reach, too (emit/self.c): programs that
 * end those of a thread.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/bpf.h>
#include <string.h>

#include "base/err.h"
#include "base/vec.h"

const char *const bx_self_tracepoints[BX_SELF_PROGS] = {
	[BX_SELF_FREE] = "sched_process_free",
	[BX_SELF_EXEC] = "sched_process_exec",
};

int
bx_self_arm(struct bx_exec *x, struct err *err)
{
	for (unsigned i = 0; i < BX_SELF_PROGS; i++) {
		struct bx_group *g = &x->self[i];
		int fd;

		if (g->progs.n == 0)
			continue;
		fd = bpf_raw_tracepoint_open(
		    bx_self_tracepoints[i], g->progs.v[0]);
		if (fd < 0)
			return err_set(err, fd,
			    "cannot attach to %s, where self-> variables end: %s",
			    bx_self_tracepoints[i], strerror(-fd));
		VEC_PUSH(&g->armed.fds, fd);
	}
	return 0;
}
