/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answer programs that ask by an instruction whether a probe is enabled (see
 * exec/plant/usdt_is_enabled.h), on kernels that cannot change the answer.
 */
#include "base/err.h"
#include "base/vec.h"
#include "exec/bpf/bpf_impl.h"
#include "exec/plant/usdt_is_enabled.h"
#include "provider/usites.h"

static bool
asks_about(const struct dt_probe *p)
{
	VEC_FOREACH(&p->up->sites, s) {
		if (s->is_enabled)
			return true;
	}
	return false;
}

/* Take the newly armed probes of the group.  Does a program ask about one? */
static bool
take_armed(struct bx_exec *x, struct bx_group *g)
{
	bool is_asked = false;

	for (; g->tr.facts->ctx == BX_CTX_USDT && g->nasked < g->narmed;
	     g->nasked++) {
		const struct dt_probe *p = g->tr.facts->probes.v[g->nasked];

		if (!asks_about(p))
			continue;
		if (x->usdt_is_enabled == NULL)
			x->usdt_is_enabled = pr_is_enabled_create(
			    x->opts.refused, bx_root_of, &x->e);
		pr_is_enabled_add(x->usdt_is_enabled, p);
		is_asked = true;
	}
	return is_asked;
}

int
bx_is_enabled_armed(struct bx_exec *x, struct err *err)
{
	bool is_asked = false;

	if (bx_uprobe_can_answer())
		return 0;
	for (size_t i = 0; i < x->ngroups; i++)
		is_asked |= take_armed(x, &x->groups[i]);
	return is_asked ? pr_is_enabled_tell(x->usdt_is_enabled, err) : 0;
}

int
bx_met(struct dt_exec *e, struct err *err)
{
	struct bx_exec *x = bx_of(e);

	return x->usdt_is_enabled != NULL ?
	    pr_is_enabled_tell(x->usdt_is_enabled, err) :
	    0;
}

void
bx_let_go(struct dt_exec *e, pid_t pid)
{
	struct bx_exec *x = bx_of(e);

	if (x->usdt_is_enabled != NULL)
		pr_is_enabled_let_go(x->usdt_is_enabled, pid);
}

void
bx_is_enabled_close(struct bx_exec *x)
{
	if (x->usdt_is_enabled != NULL)
		pr_is_enabled_destroy(x->usdt_is_enabled);
	x->usdt_is_enabled = NULL;
}
