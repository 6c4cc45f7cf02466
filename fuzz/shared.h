/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef FUZZ_SHARED_H
#define FUZZ_SHARED_H

/*
 * A session of the process substrate without a process: the shared memory
 * exists, and dtrace's side of it.  A probe of any process (shared*:::) makes
 * room for many threads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "exec/process/impl.h"
#include "libdtrace/dt_impl.h"

#define SHARED_NSPEC 4

static inline struct dt_hdl *
shared_compile(const char *text)
{
	struct dt_hdl *h = dt_open();
	struct dt_proginfo info;
	struct dt_prog *p;

	if (dt_setopt(h, "substrate", "process") != 0 ||
	    dt_setopt(h, "zdefs", NULL) != 0 ||
	    dt_setopt(h, "strsize", "32") != 0)
		abort();
	p = dt_compile_str(h, text, LANG_PSPEC_NAME, 0, 0, NULL);
	if (p == NULL || dt_prog_exec(h, p, &info) != 0) {
		fputs(dt_errmsg(h), stderr);
		abort();
	}
	plan_finish(h->plan);
	return h;
}

static inline struct pr_exec *
shared_load(struct dt_hdl *h, enum dt_bufpolicy policy, uint64_t aggsize,
    void (*notice)(void *arg, const char *text), void *arg)
{
	const pid_t self = getpid(); /* has none of these probes */
	const struct dt_exec_opts opts = { .bufsize = 8192,
		.bufsize_set = true,
		.bufpolicy = policy,
		.aggsize = aggsize,
		.dynvarsize = 4096,
		.nspec = SHARED_NSPEC,
		.strsize = 32,
		.cpu = -1,
		.target = -1,
		.procs = &self,
		.nprocs = 1,
		.notice = notice,
		.notice_arg = arg };
	const struct dt_exec_ops *ops = &dt_exec_process;
	struct dt_exec *x;
	struct err err = { 0 };

	if (ops->load(h->plan, &opts, &h->compiled.diags, &x, &err) != 0) {
		fputs(err.text, stderr);
		abort();
	}
	err_clear(&err);
	return pr_of(x);
}

static inline void
shared_go(struct pr_exec *x)
{
	struct err err = { 0 };

	if (dt_exec_process.go(&x->e, &err) != 0) {
		fputs(err.text, stderr);
		abort();
	}
	err_clear(&err);
}

/* Let a thread of the process take a number, even if lower ones are free. */
static inline void
shared_begin_thread(struct pr_exec *x, uint32_t thread, uint32_t tid)
{
	uint64_t *owners = (uint64_t *)(void *)(x->base + x->conf.owners);

	owners[thread] = (uint64_t)getpid() << 32 | tid;
}

#endif
