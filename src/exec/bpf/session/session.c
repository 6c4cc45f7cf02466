/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel substrate: a plan becomes BPF programs.
 *
 *	load	group the plan's probes, translate, link, hand to the kernel
 *	go	arm every group, run BEGIN, then let the others fire
 *	wait	sleep until a program wakes dtrace, run the tick probes that are due
 *	stop	close the gate, wait for programs still running
 *	end	run END
 *
 * All kernel objects are held by file descriptors of this process only, so
 * nothing stays behind when it dies.
 *
 * This file begins a session (bx_load()) and ends it (bx_destroy()); run.c does
 * what comes between.
 */
#include "exec/bpf/bpf_impl.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/bpf/site.h"

#define BUFS_DEFAULT_MAX (64ULL << 20) /* of all CPUs, without bufsize */
#define AGGS_DEFAULT_MAX (48ULL << 20) /* likewise, without aggsize */
#define BUF_DEFAULT_MIN (64ULL << 10)

void
bx_destroy(struct dt_exec *e)
{
	struct bx_exec *x = bx_of(e);

	bx_is_enabled_close(x);
	bx_disarm(x);
	bx_places_destroy(x->places);
	for (size_t i = 0; i < x->ngroups; i++)
		bx_group_fini(&x->groups[i]);
	bx_group_fini(&x->vtime);
	bx_group_fini(&x->load_barrier);
	bx_group_fini(&x->family);
	for (unsigned i = 0; i < BX_SELF_PROGS; i++)
		bx_group_fini(&x->self[i]);
	VEC_FREE(&x->roots);
	VEC_FREE(&x->loaders);
	bx_usdt_close(x);
	bx_counters_close(x);
	bx_hotplug_close(x);
	bx_unwind_finish_stop(x);
	bx_unwind_stop(x);
	bx_helpers_stop(x);
	bx_maps_close(x);
	bx_layout_fini(&x->lo);
	free(x->groups);
	free(x->stuck);
	bx_idle_close(x);
	exec_bufs_fini(&x->bufs);
	free(x);
}

/* The first probe that needs the most privileges. */
static const struct dt_probe *
most_needing(const struct plan *pl)
{
	const struct dt_probe *most = NULL;

	VEC_FOREACH(&pl->clauses, pc) {
		VEC_FOREACH(&pc->probes, p) {
			const struct dt_probe *shown = dt_probe_shown(*p);

			if (most == NULL ||
			    shown->ops->privilege > most->ops->privilege)
				most = shown;
		}
	}
	return most;
}

/* Message for a user without the privilege.  Such a user may trace some probes
 * with the process substrate, in processes named to dtrace. */
static char *
not_permitted(const struct plan *pl, const struct dt_exec_opts *opts)
{
	const struct dt_probe *p = most_needing(pl);
	struct strbuf name = { 0 };
	char *why, *msg;

	if (p == NULL || p->ops->privilege == DT_PRIV_USER ||
	    dt_privilege_has(DT_PRIV_KERNEL))
		return bx_no_permission();
	dt_probe_format(p, &name);
	why = dt_privilege_refusal(DT_PRIV_KERNEL, name.s);
	msg = mem_printf("%s: run dtrace with sudo%s", why,
	    p->ops->privilege == DT_PRIV_PROC && opts->nprocs == 0 ?
		", or name processes of yours with -c or -p" :
		"");
	free(why);
	strbuf_fini(&name);
	return msg;
}

static uint64_t
share_of(const struct bx_exec *x, uint64_t all)
{
	uint64_t each = all;

	while (each * x->e.ncpus > all && each > BUF_DEFAULT_MIN)
		each /= 2;
	return each;
}

/*
 * Bound the memory of a script if the user sets no size: the buffers of all
 * CPUs together take at most BUFS_DEFAULT_MAX, the aggregations at most
 * AGGS_DEFAULT_MAX.  The sizes are for each CPU that can be online.
 */
static void
bound_sizes(struct bx_exec *x)
{
	uint64_t buf = share_of(x, BUFS_DEFAULT_MAX);
	uint64_t agg = share_of(x, AGGS_DEFAULT_MAX);

	if (!x->opts.bufsize_set && x->opts.bufsize > buf)
		x->opts.bufsize = buf;
	if (!x->opts.aggsize_set && x->opts.aggsize > agg)
		x->opts.aggsize = agg;
}

CHECKED static int
count_cpus(struct bx_exec *x, struct err *err)
{
	int n = libbpf_num_possible_cpus();

	if (n <= 0) {
		err_set(err, -EINVAL,
		    "cannot tell how many CPUs there are: /sys/devices/system/cpu/possible: %s (is /sys mounted?)",
		    strerror(n < 0 ? -n : EINVAL));
		return n < 0 ? n : -EINVAL;
	}
	x->e.ncpus = (uint32_t)n;
	return 0;
}

/*
 * In a PID namespace, /proc can be that of another one, where processes have
 * other numbers (unshare(1) without --mount-proc).
 */
static void
tell_namespace(const struct bx_exec *x)
{
	char text[16] = "";

	if (x->opts.notice != NULL && x->lo.pidns.ino != 0 &&
	    readlink("/proc/self", text, sizeof(text) - 1) > 0 &&
	    atoi(text) != getpid())
		x->opts.notice(x->opts.notice_arg,
		    "/proc is that of another PID namespace: its processes "
		    "have other numbers than $target, pid and -p; mount this "
		    "namespace's (unshare --mount-proc)");
}

/* Make the programs of all groups and load them.  The kernel's types are read
 * for that, and closed at the end. */
CHECKED static int
load_programs(struct bx_exec *x, struct err *err)
{
	int rc = bx_tsc_init(x, err);

	if (rc != 0)
		goto out;
	rc = bx_pidns_find(x, err);
	if (rc != 0)
		goto out;
	rc = bx_groups_make(x, err);
	if (rc != 0)
		goto out;
	rc = bx_groups_load(x, 0, err);
	if (rc != 0)
		goto out;
	rc = bx_vtime_load(x, err);
	if (rc != 0)
		goto out;
	rc = bx_family_load(x, err);
	if (rc != 0)
		goto out;
	rc = bx_self_programs_load(x, err);
	if (rc != 0)
		goto out;
	rc = bx_load_barrier_load(x, err);
	if (rc != 0)
		goto out;
	bx_tables_enable(x);
	rc = bx_grow_prepare(x, err);
out:
	bx_kernel_close(&x->lo);
	return rc;
}

int
bx_load(struct plan *pl, const struct dt_exec_opts *opts, struct diags *diags,
    struct dt_exec **outp, struct err *err)
{
	struct bx_exec *x;
	int rc;

	/* the kernel checks again, but its error does not always say so */
	if (!dt_privilege_has(DT_PRIV_KERNEL))
		return err_take(err, -EPERM, not_permitted(pl, opts));
	x = mem_alloc(sizeof(*x));
	x->e.ops = &dt_exec_bpf;
	x->pl = pl;
	x->opts = *opts;
	x->diags = diags;
	x->wakeup_fd = x->hotplug_fd = -1;
	rc = count_cpus(x, err);
	if (rc != 0) {
		free(x);
		return rc;
	}
	x->places = bx_places_create();
	bound_sizes(x);
	bx_group_init(&x->vtime);
	bx_group_init(&x->load_barrier);
	bx_group_init(&x->family);
	for (unsigned i = 0; i < BX_SELF_PROGS; i++)
		bx_group_init(&x->self[i]);
	for (size_t i = 0; i < opts->nprocs; i++)
		VEC_PUSH(&x->roots, opts->procs[i]);
	VEC_FOREACH(&pl->clauses, pc)
		x->may_grow |= pc->may_grow;
	x->bufs = (struct exec_bufs){ .pl = pl,
		.n = x->e.ncpus,
		.policy = opts->bufpolicy,
		.by_cpu = true };
	exec_bufs_init(&x->bufs);
	rc = exec_check_cpu(&x->opts, x->e.ncpus, err);
	if (rc != 0)
		goto out;
	rc = bx_layout_init(&x->lo, pl, &x->opts, err);
	if (rc != 0)
		goto out;
	x->lo.ncpus = x->e.ncpus;
	x->bufs.parts[0].size = exec_bufs_size(pl, &x->opts);
	rc = load_programs(x, err);
	if (rc != 0)
		goto out;
	rc = bx_maps_attach(x, err);
	if (rc != 0)
		goto out;
	rc = bx_unwind_finish_start(x, err);
	if (rc != 0)
		goto out;
	bx_unwind_start(x);
	bx_helpers_start(x);
	tell_namespace(x);
	x->e.bufsize = x->bufs.parts[0].size;
	*outp = &x->e;
	return 0;

out:
	bx_destroy(&x->e);
	return rc;
}
