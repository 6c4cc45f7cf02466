/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of addresses in processes: the state that a handle keeps for them.
 *
 * Nothing is read before a name is needed.  If a script records addresses of
 * processes, dtrace follows the processes from before the first firing.  Where
 * that is not permitted, dtrace reads the mappings of the processes that
 * contain probes, or that -c and -p name, from time to time.  For other
 * processes names are looked up in the present mappings, and ended ones have no
 * names.
 */
#include <stdlib.h>
#include <sys/epoll.h>

#include "base/err.h"
#include "base/vec.h"
#include "fmt/fmt.h"
#include "libdtrace/dt_impl.h"
#include "provider/usites.h"

static struct sym_cache *
sym_cache_of(struct dt_hdl *h)
{
	if (h->symbols.cache == NULL)
		h->symbols.cache = sym_cache_create();
	return h->symbols.cache;
}

struct usyms *
dt_usyms(struct dt_hdl *h)
{
	if (h->symbols.usyms == NULL)
		h->symbols.usyms = usyms_create(sym_cache_of(h));
	usyms_set_demangle(h->symbols.usyms, dt_opt_flag(h, DT_OPT_DEMANGLE));
	return h->symbols.usyms;
}

struct sideband *
dt_sideband(struct dt_hdl *h, struct err *err)
{
	struct epoll_event ev = { .events = EPOLLIN,
		.data.u64 = DT_EV_SIDEBAND };

	if (h->symbols.sideband != NULL)
		return h->symbols.sideband;
	h->symbols.sideband = sideband_open(err);
	if (h->symbols.sideband != NULL)
		epoll_ctl(h->wait.epoll_fd, EPOLL_CTL_ADD,
		    sideband_fd(h->symbols.sideband), &ev);
	return h->symbols.sideband;
}

static void
note_process(struct dt_hdl *h, pid_t pid)
{
	VEC_FOREACH(&h->symbols.noted, have) {
		if (*have == pid)
			return;
	}
	VEC_PUSH(&h->symbols.noted, pid);
	usyms_note(dt_usyms(h), pid);
}

/* Note the processes in which probes are known to fire. */
static void
note_processes(struct dt_hdl *h)
{
	VEC_FOREACH(&h->procs.list, proc)
		note_process(h, proc->pid);
	VEC_FOREACH(&h->plan->clauses, pc) {
		VEC_FOREACH(&pc->probes, p) {
			if ((*p)->up != NULL && (*p)->up->pid != 0)
				note_process(h, (*p)->up->pid);
		}
	}
}

/* Does the format have a conversion that names addresses of $target? */
static bool
names_target(const char *fmt)
{
	const char *tag;
	struct err err = { 0 };
	struct pf_format *pf = pf_parse(fmt, &tag, &err);
	bool names = false;

	err_clear(&err);
	if (pf == NULL)
		return false;
	VEC_FOREACH(&pf->convs, conv)
		names |=
		    conv->info != NULL && conv->info->render == PF_RENDER_UADDR;
	pf_destroy(pf);
	return names;
}

/* Keys may be numbers that printa() prints as addresses. */
static bool
prints_target(struct dt_hdl *h)
{
	if (dt_proc_target(h) <= 0)
		return false;
	VEC_FOREACH(&h->plan->clauses, pc) {
		VEC_FOREACH(&pc->clause->actions, act) {
			if (act->kind == DT_ACT_PRINTA && act->fmt != NULL &&
			    names_target(act->fmt))
				return true;
		}
	}
	return false;
}

void
dt_symbols_start(struct dt_hdl *h)
{
	struct err err = { 0 };

	if (!plan_has_uaddrs(h->plan) && !prints_target(h))
		return;
	if (dt_sideband(h, &err) != NULL) {
		usyms_follow(dt_usyms(h), h->symbols.sideband);
		dt_log(h, "following processes");
	} else {
		note_processes(h);
		if (!plan_is_in_process(h->plan))
			dt_notice(h,
			    "%s; symbols are those of programs that "
			    "still run",
			    err_text(&err));
	}
	err_clear(&err);
}

void
dt_symbols_note(struct dt_hdl *h)
{
	VEC_FOREACH(&h->symbols.noted, pid)
		usyms_note(dt_usyms(h), *pid);
}

void
dt_symbols_stop(struct dt_hdl *h)
{
	VEC_FREE(&h->symbols.noted);
	usyms_destroy(h->symbols.usyms);
	sideband_close(h->symbols.sideband);
	sym_cache_destroy(h->symbols.cache);
}
