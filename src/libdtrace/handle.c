/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The handle: the state of a tracing session, and its life.
 *
 *	dt_open -> dt_setopt, dt_proc_* -> dt_compile_* -> dt_prog_exec
 *	        -> dt_go -> dt_proc_continue -> { dt_sleep -> dt_work } -> dt_close
 *
 * Nothing is read or opened before it is needed: features that a script does
 * not use cost nothing at start-up.
 */
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/confine.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "libdtrace/dt_impl.h"
#include "libdtrace/listen.h"

void
dt_color(struct dt_hdl *h, bool has_color)
{
	h->wants_color = has_color;
	dt_color_apply(h);
}

void
dt_color_apply(struct dt_hdl *h)
{
	enum { COLOR_AUTO, COLOR_ALWAYS }; /* in the order of options.def */
	int64_t color = dt_opt(h, DT_OPT_COLOR);

	h->compiled.diags.has_color =
	    color == COLOR_AUTO ? h->wants_color : color == COLOR_ALWAYS;
}

void
dt_list_names(struct dt_hdl *h, bool is_enough)
{
	h->probes.lists_names = is_enough;
}

int
dt_probe_iter(
    struct dt_hdl *h, const struct dif_pdesc *desc, dt_probe_f *f, void *arg)
{
	bounds_flag *before;
	struct err err = { 0 };
	int rc;

	if (dt_libs_list_for_desc(h, desc) != 0)
		return -1;
	before = dt_watch(h);
	rc = dt_registry_list(h->probes.registry, desc, f, arg, &err);
	bounds_watch(before);
	if (err_is_set(&err)) {
		dt_fail_err(h, &err);
		return -1;
	}
	return rc;
}

struct dt_registry *
dt_registry(struct dt_hdl *h)
{
	return h->probes.registry;
}

static int
open_events(struct dt_hdl *h)
{
	struct epoll_event ev = { .events = EPOLLIN,
		.data.u64 = DT_EV_INTERRUPT };

	h->wait.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	h->wait.interrupt_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (h->wait.epoll_fd < 0 || h->wait.interrupt_fd < 0)
		return -1;
	return epoll_ctl(
	    h->wait.epoll_fd, EPOLL_CTL_ADD, h->wait.interrupt_fd, &ev);
}

struct dt_hdl *
dt_open(void)
{
	struct dt_hdl *h = mem_alloc(sizeof(*h));

	dt_options_init(&h->opts);
	h->opened_ns = now_ns();
	if (getenv("DTRACE_DEBUG") != NULL)
		dt_setopt(h, "debug", NULL);
	arena_init(&h->compiled.arena);
	diags_init(&h->compiled.diags);
	h->compiled.cg = cg_session_create();
	h->probes.registry = dt_registry_create();
	h->ops = &dt_exec_bpf;
	/* The substrate is chosen when all has been matched.  A probe that the
	 * kernel cannot arm is refused before. */
	dt_registry_set_can_arm(h->probes.registry, dt_exec_bpf.can_arm);
	h->dump.out = stderr;
	h->wait.ctl_fd = h->wait.ctl_timer = h->ending.kmsg_fd = -1;
	if (open_events(h) != 0) {
		dt_close(h);
		return NULL;
	}
	return h;
}

void
dt_close(struct dt_hdl *h)
{
	dt_listen_close(h->output.listen);
	consumer_destroy(h->output.consumer);
	consumer_destroy(h->output.formatter);
	if (h->output.before != NULL)
		fclose(h->output.before);
	plan_destroy(h->output.format_plan);
	tape_recorder_destroy(h->recorder);
	h->recorder = NULL;
	if (h->exec != NULL)
		h->ops->destroy(h->exec);
	dt_symbols_stop(h);
	dt_procs_close(h);
	dt_cgroup_free(&h->cgroup);
	dt_growth_fini(h);
	confine_end();
	dt_replay_close(h);
	dt_fleet_close(h);
	plan_destroy(h->plan);
	dt_progs_close(h);
	VEC_FREE(&h->output.sources);
	VEC_FREE(&h->output.remarks);
	dt_libs_close(h);
	dt_missing_free(h);
	cg_session_destroy(h->compiled.cg);
	dt_registry_destroy(h->probes.registry);
	diags_fini(&h->compiled.diags);
	arena_fini(&h->compiled.arena);
	dt_options_fini(&h->opts);
	strbuf_fini(&h->messages.error);
	strbuf_fini(&h->messages.classic);
	dt_forget_diags(h);
	strbuf_fini(&h->messages.notices);
	strbuf_fini(&h->messages.shown_notices);
	VEC_FREE(&h->watched);
	if (h->wait.epoll_fd >= 0)
		close(h->wait.epoll_fd);
	if (h->wait.interrupt_fd >= 0)
		close(h->wait.interrupt_fd);
	if (h->wait.ctl_timer >= 0)
		close(h->wait.ctl_timer);
	if (h->wait.ctl_fd >= 0)
		close(h->wait.ctl_fd);
	free(h);
}
