/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of the region (area.h).  The size of the code is known last, so
 * everything else is laid out from the start of its part; pr_place() then moves
 * it to its place in the region.
 */
#include "exec/process/impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/cpuinfo.h"
#include "exec/shared.h"
#include "exec/jit/blob.h"
#include "exec/runtime/tsc.h"
#include "inproc/inproc.h"
#include "unwind/rule.h"

#define PAGE 4096U
#define HWCAP2_FSGSBASE_BIT 2 /* HWCAP2_FSGSBASE of <asm/hwcap2.h> */
#define SCRATCH_STRINGS 8
#define SCRATCH_MIN 2048U
#define OWN_MAX (1U << 30)
#define DYN_MAX (1U << 31)
#define BUF_MAX (256ULL << 20)
#define PR_REGS_SIZE 168U /* struct pt_regs */
#define NSTACKS 1024	  /* for Go threads, which have no stack to spare */

uint64_t
pr_round_to(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

uint64_t
pr_take(uint64_t *end, uint64_t size)
{
	uint64_t off = pr_round_to(*end, 64);

	*end = off + size;
	return off;
}

uint32_t
pr_const(struct pr_exec *x, const void *p, size_t size)
{
	static const char zeroes[16];
	size_t gap = -x->consts.len & 15;

	strbuf_add(&x->consts, zeroes, gap);
	strbuf_add(&x->consts, p, size);
	return x->consts_at + (uint32_t)(x->consts.len - size);
}

/* ---- machine states ----------------------------------------------------- */

static uint32_t
key_max(const struct plan *pl)
{
	uint32_t max = 8;

	VEC_FOREACH(&pl->aggs, pa) {
		if (!pa->is_elsewhere && pa->key_size > max)
			max = pa->key_size;
	}
	return max;
}

static uint64_t
scratch_size(const struct pr_exec *x, uint64_t strsize, uint64_t rec_max)
{
	uint64_t size = SCRATCH_STRINGS * strsize;

	if (x->opts.scratchsize != 0)
		return pr_round_to(x->opts.scratchsize, 8);
	if (size < SCRATCH_MIN)
		size = SCRATCH_MIN;
	return rec_max <= size / 2 ? size : size + pr_round_to(rec_max, 8);
}

/* | record | key | this-> | tmp a | tmp b | tok | scratch |.  Returns the size.
 */
static uint64_t
lay_out_mem(struct pr_exec *x)
{
	struct rt_conf *c = &x->conf.rt;
	uint64_t strsize = pr_round_to(x->opts.strsize, 8);
	uint32_t rec_max = exec_record_max(x->pl);

	x->conf.mem_rec = 0;
	x->conf.mem_key = pr_round_to(x->conf.mem_rec + rec_max, 8);
	x->conf.mem_regs = pr_round_to(x->conf.mem_key + key_max(x->pl), 8);
	x->conf.mem_stack = x->conf.mem_regs + (x->walks ? PR_REGS_SIZE : 0);
	c->locals = x->conf.mem_stack + (x->walks ? 8 * PR_FRAMES : 0);
	return exec_vars_lay_out(
	    c, &x->vars, x->opts.strsize, scratch_size(x, strsize, rec_max));
}

static void
lay_out_level(struct pr_exec *x)
{
	struct pr_conf *c = &x->conf;
	uint64_t end = RT_VM_MS + RT_MEM_OFF + lay_out_mem(x);

	c->vm_key = pr_take(&end, exec_key_max(x->opts.strsize));
	c->vm_value = pr_take(&end, exec_vars_largest(&x->vars));
	c->level_size = pr_round_to(sizeof(struct pr_fire) + end, 64);
}

/* Lay out a thread's own part; few threads have all levels. */
static void
lay_out_own(struct pr_exec *x)
{
	struct pr_conf *c = &x->conf;
	uint64_t end = sizeof(struct pr_thread) + c->rt.tls_size;

	lay_out_level(x);
	c->naggs = x->pl->aggs.n;
	c->self_own = pr_take(&end, c->rt.self_stride);
	c->places = pr_take(&end, c->naggs * sizeof(struct pr_place));
	c->levels = pr_take(&end, c->level_size);
	c->far_size = pr_round_to(end, 64);
	c->own_size = c->far_size + (PR_LEVELS - 1) * c->level_size;
}

static uint64_t
own_of_threads(const struct pr_conf *c, uint64_t nthreads)
{
	uint64_t deep = nthreads < PR_NDEEP ? nthreads : PR_NDEEP;

	return deep * c->own_size + (nthreads - deep) * c->far_size;
}

uint64_t
pr_own_bytes(const struct pr_exec *x, uint64_t nthreads)
{
	return sizeof(struct pr_own) + own_of_threads(&x->conf, nthreads) +
	    sizeof(struct pr_seed) + sizeof(struct pr_maps) +
	    NSTACKS * INPROC_STACK_SIZE;
}

/* Place `own`, when the number of threads is known. */
static void
place_own(struct pr_exec *x)
{
	struct pr_conf *c = &x->conf;
	uint64_t end = sizeof(struct pr_own);

	c->far = end + PR_NDEEP * c->own_size;
	end += own_of_threads(c, c->nthreads);
	c->nstacks = c->nthreads > 1 ? NSTACKS : 0;
	c->stack_owners = pr_take(&end, c->nstacks * sizeof(uint32_t));
	c->stacks = pr_round_to(end, PAGE);
	end = c->stacks + c->nstacks * INPROC_STACK_SIZE;
	c->seed = pr_round_to(end, PAGE);
	end = c->seed + sizeof(struct pr_seed);
	if (x->walks)
		c->maps = pr_take(&end, sizeof(struct pr_maps));
	x->own_size =
	    end < OWN_MAX ? (uint32_t)pr_round_to(end, PAGE) : OWN_MAX;
}

/* ---- aggregations ------------------------------------------------------- */

/* An aggregation without keys is in the shared part, another in the room. */
static void
lay_out_agg(struct pr_exec *x, const struct plan_agg *pa, uint64_t *end)
{
	bool has_key = !pa->is_elsewhere && (pa->keys.n != 0 || x->conf.by_cpu);
	struct pr_agg ag = { .key_size = has_key ? pa->key_size : 0,
		.val_size = pa->is_elsewhere ? 0 : pa->val_size,
		.kind = pa->agg->kind,
		.index = pa->agg->id - 1 };

	ag.entry_size = 8 + ag.key_size + ag.val_size;
	if (!has_key) {
		ag.turn_size =
		    pr_round_to(sizeof(struct pr_table) + ag.entry_size, 64);
		ag.off = pr_take(end, 2 * ag.turn_size);
	}
	VEC_PUSH(&x->aggs, ag);
}

/* ---- shared memory ------------------------------------------------------ */

static void
lay_out_thread(struct pr_exec *x)
{
	struct pr_conf *c = &x->conf;
	uint64_t end = sizeof(struct pr_shared);

	VEC_FOREACH(&x->pl->aggs, pa)
		lay_out_agg(x, pa, &end);
	/* the CPU fetches two cache lines at once */
	c->thread_size = pr_round_to(end, 128);
}

static uint64_t
bufsize_max(void)
{
	uint64_t share = mem_physical() / 4;

	return share < BUF_MAX ? share : BUF_MAX;
}

uint64_t
pr_most(const struct dt_exec *e, enum dt_drop kind)
{
	(void)e;
	if (kind == DT_DROP_DYNAMIC)
		return DYN_MAX;
	return kind == DT_DROP_PRINCIPAL || kind == DT_DROP_FILLED ?
	    bufsize_max() :
	    0;
}

/*
 * Option bufresize: halve the size until memory suffices, or fail.
 */
CHECKED static int
choose_bufsize(struct pr_exec *x, struct err *err)
{
	uint64_t max = bufsize_max();
	uint64_t size = exec_bufs_size(x->pl, &x->opts);

	if (size > max && x->opts.bufresize_manual)
		return err_set(err, -E2BIG,
		    "bufsize is more than a thread can have (%llum); lower it, or set bufresize=auto",
		    (unsigned long long)(max >> 20));
	while (size > max)
		size /= 2;
	x->bufs.parts[0].size = size;
	return 0;
}

static void
lay_out_data(struct pr_exec *x)
{
	struct pr_conf *c = &x->conf;
	uint64_t end = sizeof(struct pr_head);

	c->gens = pr_take(&end, 8 * x->pl->aggs.n);
	c->owners = pr_take(&end, 8 * PR_NTHREADS);
	c->globals = pr_take(&end, c->rt.globals_size);
	c->specs = pr_take(&end, 8 * x->opts.nspec);
	c->dyn = pr_take(&end, rt_dyn_bytes(c->dynvarsize));
	c->threads = pr_round_to(end, PAGE);
}

static void
place_data(struct pr_exec *x)
{
	const struct pr_conf *c = &x->conf;
	uint64_t end = c->threads + c->nthreads * c->thread_size;

	x->data_size = pr_place_rooms(x, end);
}

/* Place the rows behind the code; unwritten pages take no memory. */
static void
place_rows(struct pr_exec *x)
{
	x->conf.rows = x->code_size;
	x->conf.nrows = PR_ROWS_MAX;
	x->code_size += PR_ROWS_MAX * sizeof(struct unw_row);
}

void
pr_place(struct pr_exec *x)
{
	struct pr_conf *c = &x->conf;

	if (x->walks)
		place_rows(x);
	c->own = x->code_size;
	c->maps += c->own;
	c->seed += c->own;
	c->data = c->own + x->own_size;
	c->gens += c->data;
	c->owners += c->data;
	c->globals += c->data;
	c->specs += c->data;
	c->dyn += c->data;
	c->threads += c->data;
	for (unsigned k = 0; k < PR_NSIZES; k++)
		c->sizes[k].rooms += c->data;
	c->shared = c->data + x->data_size;
	c->region_size = c->shared + pr_shared_len(x);
}

/* ---- the plan ----------------------------------------------------------- */

/* Variables and constants as they are collected, until one fails. */
struct collecting {
	struct pr_exec *x;
	struct err *err;
	int rc;
};

static void
collect_object(const struct dif_obj *dp, void *arg)
{
	struct collecting *col = arg;
	struct pr_exec *x = col->x;

	if (col->rc != 0)
		return;
	if (!exec_vars_add(&x->vars, dp, x->opts.strsize, col->err)) {
		col->rc = -EINVAL;
		return;
	}
	VEC_PUSH(&x->difos,
	    ((struct pr_strs){ dp, pr_const(x, dp->strtab, dp->strlen) }));
}

CHECKED static int
collect_objects(struct pr_exec *x, struct err *err)
{
	struct collecting col = { x, err, 0 };

	VEC_FOREACH(&x->pl->clauses, pc)
		plan_clause_each_obj(pc, collect_object, &col);
	return col.rc;
}

/* ---- walking stacks ----------------------------------------------------- */

static bool
clause_walks(const struct plan_clause *pc)
{
	return plan_clause_stores(pc, PLAN_USTACK) ||
	    dif_uses_var(&pc->uses, DIF_VAR_UREGS) ||
	    dif_uses_var(&pc->uses, DIF_VAR_USTACKDEPTH) ||
	    dif_uses_var(&pc->uses, DIF_VAR_UCALLER);
}

/* ERROR's clauses run in all bodies. */
bool
pr_walks(const struct pr_exec *x, const struct pr_body *b)
{
	VEC_FOREACH(&b->clauses, pc) {
		if (clause_walks(*pc))
			return true;
	}
	VEC_FOREACH(&x->error_clauses, pc) {
		if (clause_walks(*pc))
			return true;
	}
	return false;
}

static bool
plan_walks(const struct plan *pl)
{
	VEC_FOREACH(&pl->clauses, pc) {
		if (clause_walks(pc))
			return true;
	}
	return false;
}

static bool
has_probe(const struct plan *pl, bool (*is_one)(const struct dt_probe *p))
{
	VEC_FOREACH(&pl->clauses, pc) {
		VEC_FOREACH(&pc->probes, pp) {
			if (is_one(*pp))
				return true;
		}
	}
	return false;
}

static bool
is_return_of_call(const struct dt_probe *p)
{
	return p->kind == DT_PROBE_CALL_RETURN;
}

static bool
is_elsewhere(const struct dt_probe *p)
{
	return p->up != NULL || pr_is_syscall(p) || p->kind == DT_PROBE_CLOCK;
}

static bool
may_grow(const struct plan *pl)
{
	VEC_FOREACH(&pl->clauses, pc) {
		if (pc->may_grow)
			return true;
	}
	return false;
}

/* Does any probe fire outside of dtrace? */
static bool
is_entering(const struct plan *pl)
{
	return may_grow(pl) || has_probe(pl, is_elsewhere);
}

static void
machine_conf(struct pr_exec *x)
{
	x->conf.has_tsc = exec_tsc_is_even();
	x->conf.has_fsgsbase =
	    (getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT) != 0;
	x->conf.has_cpu = exec_cpu_is_told();
	x->has_rdpid = x->conf.has_cpu && exec_cpu_has_rdpid();
}

/* Calls that code in processes makes and dtrace does not, with arguments that
 * have no effect, and the kernel's answer to them. */
static const struct layout_call {
	const char *name;
	long nr, args[4];
	int err;
	bool for_programs; /* fork.c, before execve(); else depth.c */
} calls[] = {
	{ "time", SYS_time, { 0 }, 0, false },
	{ "sigaltstack", SYS_sigaltstack, { 0 }, 0, false },
	{ "getpgid", SYS_getpgid, { 0 }, 0, false },
	{ "msync", SYS_msync, { 0, 0, MS_ASYNC }, 0, false },
	{ "faccessat2", SYS_faccessat2, { -1, (long)"f", F_OK, 0 }, EBADF,
	    true },
	{ "fgetxattr", SYS_fgetxattr, { -1, (long)"security.capability", 0, 0 },
	    EBADF, true },
};

static bool
is_forbidden(const struct layout_call *c)
{
	errno = 0;
	syscall(c->nr, c->args[0], c->args[1], c->args[2], c->args[3]);
	return errno != c->err;
}

/*
 * A seccomp filter that refuses these calls or kills their caller is in force
 * here, too (inproc/permit.c): it shows in dtrace, or kills dtrace, before it
 * could kill a traced process.
 */
CHECKED static int
try_calls(const struct pr_exec *x, struct err *err)
{
	bool in_programs = x->follows || has_probe(x->pl, pr_is_syscall);

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (calls[i].for_programs && !in_programs)
			continue;
		if (is_forbidden(&calls[i]))
			return err_set(err, -EPERM,
			    "code of dtrace's in processes may not call %s(): a seccomp filter, as containers have, forbids it; give the container another seccomp profile, or trace with -x substrate=kernel",
			    calls[i].name);
	}
	return 0;
}

CHECKED static int
place_cpus(struct pr_exec *x, struct err *err)
{
	size_t size = x->e.ncpus * sizeof(struct dif_cpuinfo);
	struct dif_cpuinfo *cpus = mem_alloc(size);

	int rc = exec_cpuinfo(cpus, x->e.ncpus);

	x->conf.ncpus = x->e.ncpus;
	x->conf.cpus = pr_const(x, cpus, size);
	free(cpus);
	return rc == 0 ? 0 :
			 err_set(err, rc,
			     "cannot read the data of CPUs in "
			     "/sys/devices/system/cpu: %s",
			     strerror(-rc));
}

int
pr_layout(struct pr_exec *x, struct err *err)
{
	struct pr_conf *c = &x->conf;
	bool enters = is_entering(x->pl);
	int rc;

	x->vars.shared = x->opts.shared;
	x->follows = x->opts.follow && may_grow(x->pl);
	rc = enters ? try_calls(x, err) : 0;

	if (rc != 0)
		return rc;
	machine_conf(x);
	strbuf_add(&x->consts, rt_blob, rt_blob_size);
	x->conf_off = pr_const(x, c, sizeof(*c)); /* filled in at the end */
	rc = collect_objects(x, err);
	if (rc != 0)
		return rc;
	if (x->opts.dynvarsize >= DYN_MAX)
		return err_set(err, -E2BIG,
		    "dynvarsize is more than a process can have (2g)");
	c->dynvarsize = x->opts.dynvarsize;
	x->walks = plan_walks(x->pl);
	c->policy = x->opts.bufpolicy;
	c->cpu = x->opts.cpu;
	c->tells_fills = !x->opts.aggsize_set;
	c->has_returns = has_probe(x->pl, is_return_of_call);
	c->rt.nspec = x->opts.nspec;
	c->rt.globals_size = x->vars.sizes[DIFV_SCOPE_GLOBAL];
	c->rt.tls_size = x->vars.sizes[DIFV_SCOPE_THREAD];
	if (x->opts.shared != NULL)
		exec_shared_conf(x->opts.shared, &c->rt);
	rc = choose_bufsize(x, err);
	if (rc != 0)
		return rc;
	lay_out_own(x);
	lay_out_thread(x);
	lay_out_data(x);
	pr_lay_out_rooms(x, enters);
	place_own(x);
	place_data(x);
	x->uvars = pr_const(x, x->vars.v.v, x->vars.v.n * sizeof(*x->vars.v.v));
	rc = place_cpus(x, err);
	if (rc != 0)
		return rc;
	x->aggs_off = pr_const(x, x->aggs.v, x->aggs.n * sizeof(*x->aggs.v));
	c->aggs = x->aggs_off;
	if (x->own_size < OWN_MAX)
		return 0;
	return err_set(err, -E2BIG,
	    "a firing needs more memory than a process can give; lower strsize or scratchsize");
}
