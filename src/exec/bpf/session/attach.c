/* SPDX-License-Identifier: BSD-2-Clause */
#include "exec/bpf/attach.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "exec/bpf/site.h"
#include "provider/fbt.h"
#include "provider/tracepoint.h"
#include "x86/entry.h"

static const struct bx_attach attachments[DT_PROBE_NKINDS] = {
	[DT_PROBE_RUN] = { .ctx = BX_CTX_RUN },
	[DT_PROBE_ERROR] = { .ctx = BX_CTX_ERROR },
	[DT_PROBE_CALL_ENTRY] = { .ctx = BX_CTX_SYS_ENTER,
	    .arm = bx_arm_calls },
	[DT_PROBE_CALL_RETURN] = { .ctx = BX_CTX_SYS_EXIT,
	    .arm = bx_arm_calls },
	[DT_PROBE_CLOCK] = { .ctx = BX_CTX_PERF, .arm = bx_arm_clock },
	[DT_PROBE_COUNTER] = { .ctx = BX_CTX_PERF, .arm = bx_arm_counter },
	[DT_PROBE_TRACEPOINT] = { .ctx = BX_CTX_RAWTP,
	    .target = dt_tracepoint_btf_id,
	    .arm = bx_arm_tracepoints },
	[DT_PROBE_KFUNC_ENTRY] = { .ctx = BX_CTX_KPROBE,
	    .choose = bx_choose_kfuncs,
	    .target = fbt_btf_id,
	    .arm = bx_arm_kfuncs },
	[DT_PROBE_KFUNC_RETURN] = { .ctx = BX_CTX_KRETPROBE,
	    .choose = bx_choose_kfuncs,
	    .target = fbt_btf_id,
	    .arm = bx_arm_kfuncs },
	[DT_PROBE_FUNC_ENTRY] = { .ctx = BX_CTX_UPROBE, .arm = bx_arm_uprobes },
	[DT_PROBE_FUNC_RETURN] = { .ctx = BX_CTX_URETURN,
	    .arm = bx_arm_uprobes },
	[DT_PROBE_FUNC_OFFSET] = { .ctx = BX_CTX_UPROBE,
	    .arm = bx_arm_uprobes },
	[DT_PROBE_USDT] = { .ctx = BX_CTX_USDT, .arm = bx_arm_uprobes },
	[DT_PROBE_LOADER] = { .ctx = BX_CTX_UPROBE, .arm = bx_arm_uprobes },
};

const struct bx_attach *
bx_attach(enum dt_probe_kind kind)
{
	return &attachments[kind];
}

const char *
bx_needs(int err)
{
	return err == EPERM || err == EACCES ?
	    " (needs root, or CAP_BPF and CAP_PERFMON)" :
	    "";
}

#define EVENT_SOURCE "/sys/bus/event_source/devices/%s"

int
bx_event_type(const char *source)
{
	char path[64];
	FILE *f;
	int type, n;

	snprintf(path, sizeof(path), EVENT_SOURCE "/type", source);
	f = fopen(path, "re");
	if (f == NULL)
		return -errno;
	errno = EINVAL; /* what the file says is no number */
	n = fscanf(f, "%d", &type);
	if (n != 1)
		type = -errno;
	fclose(f);
	return type;
}

int
bx_event_error(const char *source, int code, struct err *err)
{
	if (code == -ENOENT)
		return err_set(err, -ENODEV,
		    "this kernel has no %ss (" EVENT_SOURCE " is missing)",
		    source, source);
	return err_set(err, code, "cannot read " EVENT_SOURCE "/type: %s",
	    source, strerror(-code));
}

bool
bx_can_arm(enum dt_probe_kind kind, const struct dt_code_place *at)
{
	switch (kind) {
	case DT_PROBE_KFUNC_ENTRY:
	case DT_PROBE_KFUNC_RETURN:
		return bx_has_kprobes();
	case DT_PROBE_FUNC_ENTRY:
		return bx_has_entry_place(at);
	case DT_PROBE_FUNC_RETURN:
	case DT_PROBE_FUNC_OFFSET:
		return x86_can_probe(at->code, at->off);
	case DT_PROBE_RUN:
	case DT_PROBE_ERROR:
	case DT_PROBE_CALL_ENTRY:
	case DT_PROBE_CALL_RETURN:
	case DT_PROBE_CLOCK:
	case DT_PROBE_COUNTER:
	case DT_PROBE_TRACEPOINT:
	case DT_PROBE_USDT:
	case DT_PROBE_LOADER:
	case DT_PROBE_NKINDS:
		return true;
	}
	return true;
}

/* ---- disarming ----------------------------------------------------------- */

/*
 * Closing a link waits for a grace period of 30 ms or so.  Threads that wait at
 * the same time share one grace period, so several threads close links.
 *
 * One thread closes the links of many places: each place takes a lock that is
 * slow to take for a new thread (arm_places(), attach_uprobe.c).  65,536 places
 * in 16 links, on a machine that four loops and a test run kept busy with
 * starting programs, took 16 threads 5 to 12 s, four threads 3 to 15 s, and
 * take one thread 0.8 to 1.0 s.  With up to 128 places (BX_SMALL_LINK), a
 * link's grace period takes longer than its locks.
 */
#define NCLOSERS 32

struct closer {
	const struct bx_fds *fds;
	size_t first;
	pthread_t thread;
	bool is_running;
};

static void *
close_share(void *arg)
{
	const struct closer *c = arg;

	for (size_t i = c->first; i < c->fds->fds.n; i += NCLOSERS)
		close(c->fds->fds.v[i]);
	return NULL;
}

void
bx_fds_close(struct bx_fds *fds)
{
	int nice = getpriority(PRIO_PROCESS, 0);
	struct closer closers[NCLOSERS];
	size_t n = fds->fds.n < NCLOSERS ? fds->fds.n : NCLOSERS;

	/* high priority, for the same lock; the threads inherit it */
	setpriority(PRIO_PROCESS, 0, -20);
	for (size_t i = 0; i < n; i++) {
		struct closer *c = &closers[i];

		*c = (struct closer){ .fds = fds, .first = i };
		c->is_running = n > 1 &&
		    pthread_create(&c->thread, NULL, close_share, c) == 0;
		if (!c->is_running)
			close_share(c);
	}
	for (size_t i = 0; i < n; i++) {
		if (closers[i].is_running)
			pthread_join(closers[i].thread, NULL);
	}
	VEC_FOREACH(&fds->large, fd)
		close(*fd);
	setpriority(PRIO_PROCESS, 0, nice);
	VEC_FREE(&fds->fds);
	VEC_FREE(&fds->large);
}
