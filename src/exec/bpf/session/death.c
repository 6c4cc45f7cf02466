/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * After a process died: was it at a breakpoint that the kernel put into its
 * code for dtrace, or in the page where the kernel executes the displaced
 * instruction?
 */
#include "exec/bpf/bpf_impl.h"

#include <string.h>

#include "base/kmsg.h"
#include "base/mem.h"
#include "base/vec.h"
#include "exec/bpf/site.h"
#include "provider/provider.h"

/*
 * The kernel's page for displaced instructions is the last page of the process
 * below the one that is never mapped (kernel/events/uprobes.c, xol_add_vma()).
 */
#define DISPLACED_LO 0x7fffffffe000ULL
#define DISPLACED_HI 0x7ffffffff000ULL

static const char *
base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool
has_site(const struct bx_exec *x, const struct dt_probe *p,
    const struct kmsg_fault *f)
{
	if (p->up == NULL)
		return false;
	VEC_FOREACH(&p->up->sites, s) {
		if (bx_place_may_be(s, f->off) &&
		    strcmp(base_name(s->file->path), f->module) == 0 &&
		    bx_place_of(x->places, p, s).off == f->off)
			return true;
	}
	return false;
}

static const struct dt_probe *
probe_at(const struct bx_exec *x, const struct kmsg_fault *f)
{
	const struct plan *pl = x->pl;
	uint32_t last = pl->late_base + (uint32_t)pl->late.n;
	const struct dt_probe *p;

	for (uint32_t epid = 1; epid <= pl->nepids || epid < last; epid++) {
		if (plan_by_epid(pl, epid, &p) != NULL && has_site(x, p, f))
			return p;
	}
	return NULL;
}

void
bx_look_back(const struct dt_exec *e, pid_t pid, const struct kmsg_fault *f,
    struct dt_last_place *out)
{
	const struct bx_exec *x = bx_of(e);
	const struct dt_probe *p;

	(void)pid;
	if (f == NULL)
		return;
	if (f->ip >= DISPLACED_LO && f->ip < DISPLACED_HI) {
		out->ours = mem_strdup("the kernel's copy of an instruction "
				       "that a probe is on");
		return;
	}
	/* code for programs that ask if a probe is enabled:
	 * usdt_is_enabled.c */
	if (strncmp(f->module, "memfd:dtrace", 12) == 0) {
		out->ours = mem_strdup("dtrace's code of probes");
		return;
	}
	p = f->has_off ? probe_at(x, f) : NULL;
	out->is_begin = p != NULL;
	if (p != NULL)
		out->ours =
		    mem_printf("the kernel's breakpoint for %s:%s:%s:%s",
			p->prov, p->mod, p->func, p->name);
}
