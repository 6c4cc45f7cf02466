/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layout: the places of variables, strings and scratch areas, chosen once for
 * all programs of a plan before any of them is translated.
 *
 * By-reference variables have a marker word before their bytes: it holds the
 * address of the bytes, or 0 while the variable is NULL, so loading one is one
 * load on every path.
 */
#include "exec/bpf/bpf_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/shared.h"

#define SCRATCH_STRINGS 16 /* strings that fit in scratch, at least */
#define SCRATCH_MIN 4096   /* bytes of scratch, at least */
#define MEM_LIMIT (1U << 22)

typedef void difo_f(const struct dif_obj *dp, void *arg);

/* Visit the objects of the steps for a probe, and of those that fire none. */
static void
steps_each_difo(
    const struct dt_step *step, const struct dt_probe *p, difo_f *f, void *arg)
{
	for (; step != NULL; step = step->next) {
		if (step->fires != NULL && step->fires != p)
			continue;
		if (step->pred != NULL)
			f(step->pred, arg);
		for (size_t k = 0; k < step->nargs; k++)
			f(step->args[k], arg);
	}
}

/* Visit the objects of the steps of a probe's origins; several probes may have
 * an object in common. */
static void
probe_each_difo(const struct dt_probe *p, difo_f *f, void *arg)
{
	for (size_t i = 0; i < p->norigins; i++)
		steps_each_difo(p->origins[i]->steps, p, f, arg);
}

/* Visit every object of every clause. */
static void
plan_each_difo(const struct plan *pl, difo_f *f, void *arg)
{
	VEC_FOREACH(&pl->clauses, pc) {
		if (!plan_clause_is_live(pc))
			continue;
		VEC_FOREACH(&pc->probes, pp)
			probe_each_difo(*pp, f, arg);
		plan_clause_each_obj(pc, f, arg);
	}
}

struct bx_var *
bx_var_find(struct bx_layout *lo, uint32_t id, uint8_t scope, uint8_t kind)
{
	VEC_FOREACH(&lo->vars, v) {
		if (v->id == id && v->scope == scope && v->kind == kind)
			return v;
	}
	return NULL;
}

static uint32_t
round8(uint32_t n)
{
	return (n + 7) & ~7U;
}

/* Compare types: objects of another compiler may disagree about a variable. */
static void
check_same_var(
    struct bx_layout *lo, const struct bx_var *a, const struct bx_var *b)
{
	if (a->is_byref == b->is_byref && a->is_string == b->is_string &&
	    a->size == b->size)
		return;
	lo->conflict = arena_printf(&lo->arena,
	    "variable 0x%x has different "
	    "types in two objects",
	    a->id);
}

static void
collect_vars(const struct dif_obj *dp, void *arg)
{
	struct bx_layout *lo = arg;

	for (uint32_t i = 0; i < dp->nvar; i++) {
		const struct dif_var *dv = &dp->vartab[i];
		const struct bx_var *old =
		    bx_var_find(lo, dv->id, dv->scope, dv->kind);
		struct bx_var v = { .id = dv->id,
			.scope = dv->scope,
			.kind = dv->kind,
			.is_byref = dv->type.flags & DIF_TF_BYREF,
			.is_string = dv->type.kind == DIF_TYPE_STRING,
			.size = dv->type.size };

		if (dv->id < DIF_VAR_USER_MIN)
			continue;
		if (v.is_string)
			v.size = lo->opts->strsize;
		if (!v.is_byref)
			v.size = 8;
		if (old != NULL)
			check_same_var(lo, old, &v);
		else
			VEC_PUSH(&lo->vars, v);
	}
}

static const uint32_t thread_clocks[BX_NCLOCKS] = {
	[BX_CLK_TIME] = DIF_VAR_VTIMESTAMP,
	[BX_CLK_CYCLES] = DIF_VAR_VCYCLES,
	[BX_CLK_INSTRS] = DIF_VAR_VINSTRS,
};

static void
collect_needs(const struct dif_obj *dp, void *arg)
{
	struct bx_layout *lo = arg;
	const struct dif_uses *u = dp->uses;

	dif_uses_add(&lo->uses, u);
	for (unsigned clk = 0; clk < BX_NCLOCKS; clk++)
		lo->vclocks |= (uint32_t)dif_uses_var(u, thread_clocks[clk])
		    << clk;
	lo->elem_use |= bx_difo_elem_use(dp);
}

/* Derive needs from the union over all objects. */
static void
derive_needs(struct bx_layout *lo)
{
	const struct dif_uses *u = &lo->uses;

	lo->uses_tls = dif_uses_tls(u);
	lo->uses_comm = dif_uses_var(u, DIF_VAR_EXECNAME) ||
	    dif_uses_var(u, DIF_VAR_THREADNAME);
	lo->uses_caller = dif_uses_var(u, DIF_VAR_CALLER);
	lo->uses_ustack = dif_uses_var(u, DIF_VAR_UCALLER) ||
	    dif_uses_var(u, DIF_VAR_USTACKDEPTH);
	lo->uses_probe = dif_uses_var(u, DIF_VAR_PROBE);
	lo->uses_tsc = dif_uses_var(u, DIF_VAR_MACHTIMESTAMP);
	lo->uses_strtok = dif_uses_subr(u, DIF_SUBR_STRTOK);
}

/* Bytes of a variable in its place: marker and value. */
static uint32_t
var_footprint(const struct bx_var *v)
{
	return v->is_byref ? 8 + round8(v->size) : 8;
}

/* May a thread have storage of its own?  If the kernel only reads variables
 * that processes set, threads of other processes have none. */
static bool
has_own_tls(const struct bx_layout *lo)
{
	VEC_FOREACH(&lo->vars, v) {
		if (v->scope == DIFV_SCOPE_THREAD && !v->is_shared)
			return true;
	}
	return dif_uses_op(&lo->uses, DIF_OP_STTS);
}

static void
place_static_vars(struct bx_layout *lo)
{
	lo->tls_size = TLS_BEGIN;
	VEC_FOREACH(&lo->vars, v) {
		const struct exec_shared_var *sv = exec_shared_find(
		    lo->opts->shared, v->id, v->scope, v->kind);

		if (v->kind == DIFV_KIND_ARRAY) {
			v->map = arena_printf(&lo->arena, "rtm_array%zu",
			    (size_t)(v - lo->vars.v));
			continue;
		}
		v->is_shared = sv != NULL;
		if (sv != NULL)
			v->shared_off = sv->off;
		/* shared thread-locals, too: threads of other processes
		 * have their words in rtm_tls */
		if (v->scope == DIFV_SCOPE_GLOBAL && !v->is_shared) {
			v->off = lo->globals_size;
			lo->globals_size += var_footprint(v);
		} else if (v->scope == DIFV_SCOPE_THREAD) {
			v->off = lo->tls_size;
			lo->tls_size += var_footprint(v);
		}
	}
	lo->has_own_tls = has_own_tls(lo);
}

/* Place clause-local variables: a few scalars go to the stack; otherwise all go
 * to the machine state, which is zeroed when it is claimed. */
static uint32_t
place_locals(struct bx_layout *lo, uint32_t off)
{
	uint32_t nscalar = 0;
	bool has_byref = false;

	VEC_FOREACH(&lo->vars, v) {
		if (v->scope != DIFV_SCOPE_LOCAL)
			continue;
		nscalar += !v->is_byref;
		has_byref |= v->is_byref;
	}
	lo->locals_in_mem =
	    has_byref || nscalar > STACK_LOCALS_MAX || lo->uses_ustack;
	lo->conf.locals = off;
	VEC_FOREACH(&lo->vars, v) {
		if (v->scope != DIFV_SCOPE_LOCAL)
			continue;
		if (!lo->locals_in_mem) {
			v->off = lo->nlocals_stack++;
			continue;
		}
		v->off = off;
		off += var_footprint(v);
	}
	return off;
}

static void
measure_plan(struct bx_layout *lo, uint32_t *key_max)
{
	VEC_FOREACH(&lo->pl->clauses, pc) {
		if (pc->size > lo->rec_max)
			lo->rec_max = pc->size;
	}
	VEC_FOREACH(&lo->pl->aggs, pa) {
		if (pa->key_size > *key_max)
			*key_max = pa->key_size;
	}
}

static uint64_t
pow2_above(uint64_t n)
{
	uint64_t p = 4096;

	while (p < n)
		p *= 2;
	return p;
}

/* Bytes of scratch: as the user set, or enough for a few strings.  Large
 * records of a process's memory (print(), tracemem()) are copied here first. */
static uint64_t
scratch_size(const struct bx_layout *lo, uint32_t strsize)
{
	uint64_t size = (uint64_t)SCRATCH_STRINGS * strsize;

	if (lo->opts->scratchsize != 0)
		return (lo->opts->scratchsize + 7) & ~(uint64_t)7;
	if (size < SCRATCH_MIN)
		size = SCRATCH_MIN;
	return lo->rec_max <= size / 2 ? size : size + round8(lo->rec_max);
}

/* Place the runtime's working area behind everything else in mem. */
CHECKED static int
place_work(
    struct bx_layout *lo, uint32_t off, uint32_t strsize, struct err *err)
{
	uint64_t scratch = scratch_size(lo, strsize);

	lo->conf.strsize = lo->opts->strsize;
	if (lo->opts->shared != NULL)
		exec_shared_conf(lo->opts->shared, &lo->conf);
	lo->conf.tmp_a = off;
	lo->conf.tmp_b = off + strsize;
	lo->conf.tok = off + 2 * strsize;
	lo->conf.scratch_begin = lo->conf.tok + (lo->uses_strtok ? strsize : 0);
	lo->conf.scratch_end = lo->conf.scratch_begin + scratch;
	lo->conf.memmask = pow2_above(lo->conf.scratch_end) - 1;
	if (lo->conf.memmask < MEM_LIMIT)
		return 0;
	err_set(err, -E2BIG,
	    "a firing needs %llu bytes of memory, more than a probe may have (%u); lower strsize (-x strsize=4k) or scratchsize",
	    (unsigned long long)lo->conf.scratch_end, MEM_LIMIT);
	return -E2BIG;
}

/* The areas of a machine state's mem, in order; see struct rt_mstate. */
CHECKED static int
place_mem(struct bx_layout *lo, struct err *err)
{
	uint32_t strsize = round8(lo->opts->strsize);
	uint32_t key_max = 0, tuple_max = 0, val_max = 8, off = MEM_REC;

	measure_plan(lo, &key_max);
	VEC_FOREACH(&lo->vars, v) {
		if (v->kind == DIFV_KIND_ARRAY && v->size > val_max)
			val_max = v->size;
	}
	/*
	 * Tuples of associative arrays: the thread and at most 8 strings.  They
	 * do not share memory with an aggregation's key, which may be half
	 * built.
	 */
	VEC_FOREACH(&lo->vars, v) {
		if (v->kind == DIFV_KIND_ARRAY)
			tuple_max = 8 + DIF_NTREGS * strsize;
	}
	off += round8(lo->rec_max);
	lo->mem_key = off;
	off += round8(key_max);
	lo->mem_tuple = off;
	off += tuple_max;
	lo->mem_val = off;
	off += round8(val_max);
	lo->mem_elem = off;
	off += lo->stores_elems ? ELEM_MEM : 0;
	lo->mem_prov = off;
	off += dif_uses_var(&lo->uses, DIF_VAR_PROBEPROV) ? PROV_MEM : 0;
	lo->mem_stack = off;
	off += CALLER_FRAMES * 8;
	lo->conf.unwind = off;
	off += lo->uses_ustack ? BX_UNWIND_MEM : 0;
	lo->conf.helper = off;
	off += lo->named_frames != 0 ? BX_HMEM + BX_HLOCALS : 0;
	lo->conf.fps = lo->named_frames != 0 ? off : 0;
	off += 8 * lo->named_frames;
	off = place_locals(lo, off);
	return place_work(lo, off, strsize, err);
}

/*
 * The runtime masks an offset into its memory, and then reads or writes up to a
 * string or a stack's frames from there.  So room for the larger of both
 * follows the memory.
 */
uint32_t
bx_state_size(const struct bx_layout *lo)
{
	uint32_t strsize = round8(lo->opts->strsize);

	return (uint32_t)(sizeof(struct rt_mstate) + lo->conf.memmask + 1) +
	    (strsize > BX_UNWIND_MEM ? strsize : BX_UNWIND_MEM);
}

static void
place_ctl(struct bx_layout *lo)
{
	lo->zero_size = 64;
	VEC_FOREACH(&lo->pl->aggs, pa) {
		if (pa->val_size > lo->zero_size)
			lo->zero_size = pa->val_size;
	}
	VEC_FOREACH(&lo->vars, v) {
		if (v->kind == DIFV_KIND_ARRAY &&
		    round8(v->size) > lo->zero_size)
			lo->zero_size = round8(v->size);
	}
	lo->ctl_gens = sizeof(struct bx_ctl);
	lo->ctl_zero = lo->ctl_gens + 8 * (uint32_t)lo->pl->aggs.n;
	lo->ctl_size = lo->ctl_zero + lo->zero_size;
}

/*
 * Find task_struct.comm.  Reading the name from the task directly saves half of
 * the helper's cost (37 ns).  If the kernel's BTF does not have the member,
 * bpf_get_current_comm() reads the name.
 */
static void
find_comm(struct bx_layout *lo)
{
	uint64_t off;

	lo->comm_off = -1;
	if (lo->uses_comm &&
	    bx_kernel_offset(lo, "task_struct", "comm", &off) == 0 &&
	    off < INT16_MAX - 16)
		lo->comm_off = (int)off;
}

/* Does the record have room for frame names?  Raises *longest to its number of
 * frames. */
static bool
is_named(const struct plan_rec *rec, uint32_t *longest)
{
	if (rec->store != PLAN_USTACK)
		return false;
	if (*longest < (uint32_t)rec->arg)
		*longest = (uint32_t)rec->arg;
	return PLAN_STRINGS(rec) != 0;
}

/* Frame pointers are kept for all stacks if for any. */
static void
collect_names(struct bx_layout *lo)
{
	uint32_t longest = CALLER_FRAMES;
	bool has_names = false;

	VEC_FOREACH(&lo->pl->clauses, pc) {
		VEC_FOREACH(&pc->recs, rec)
			has_names |= is_named(rec, &longest);
	}
	VEC_FOREACH(&lo->pl->aggs, pa) {
		VEC_FOREACH(&pa->keys, key)
			has_names |= is_named(key, &longest);
	}
	lo->named_frames = has_names ? longest : 0;
}

/* Does the clause have probes in programs, or may it get some? */
static bool
is_of_programs(const struct plan_clause *pc)
{
	bool is_user = pc->may_grow;

	VEC_FOREACH(&pc->probes, probe)
		is_user |= (*probe)->up != NULL;
	return is_user;
}

/* Does an action walk the user's stack, or does `caller` at a probe in a
 * program? */
static void
collect_stacks(struct bx_layout *lo)
{
	VEC_FOREACH(&lo->pl->clauses, pc) {
		lo->uses_ustack |= lo->uses_caller && is_of_programs(pc);
		lo->uses_ustack |=
		    pc->probes.n > 0 && plan_clause_stores(pc, PLAN_USTACK);
	}
}

int
bx_layout_init(struct bx_layout *lo, struct plan *pl,
    const struct dt_exec_opts *opts, struct err *err)
{
	memset(lo, 0, sizeof(*lo));
	arena_init(&lo->arena);
	strtab_init(&lo->str_ids);
	lo->pl = pl;
	lo->opts = opts;
	plan_each_difo(pl, collect_vars, lo);
	if (lo->conflict != NULL)
		return err_set(err, -EINVAL, "%s", lo->conflict);
	plan_each_difo(pl, collect_needs, lo);
	derive_needs(lo);
	if (bx_elems_find(lo, err) != 0)
		return -ENOTSUP;
	collect_stacks(lo);
	collect_names(lo);
	find_comm(lo);
	place_static_vars(lo);
	place_ctl(lo);
	return place_mem(lo, err);
}

void
bx_layout_fini(struct bx_layout *lo)
{
	bx_kernel_close(lo);
	VEC_FREE(&lo->vars);
	VEC_FREE(&lo->strs);
	VEC_FREE(&lo->str_offs);
	strtab_fini(&lo->str_ids);
	idmap_fini(&lo->others);
	arena_fini(&lo->arena);
}

uint32_t
bx_str_off(struct bx_layout *lo, const char *s)
{
	uint32_t id = strtab_intern(&lo->str_ids, s);
	size_t len = strlen(s) + 1;

	if (id <= lo->str_offs.n)
		return lo->str_offs.v[id - 1];
	VEC_PUSH(&lo->str_offs, (uint32_t)lo->strs.n);
	VEC_RESERVE(&lo->strs, lo->strs.n + len);
	memcpy(lo->strs.v + lo->strs.n, s, len);
	lo->strs.n += len;
	return lo->str_offs.v[id - 1];
}

bool
bx_subr_needs_slot(uint32_t subr)
{
	return !(dif_subr_flags(subr) & DIF_SUBRF_NUMBERS);
}

static bool
ops_need_slot(const struct dif_uses *u)
{
	static const uint8_t ops[] = { DIF_OP_SETS, DIF_OP_SCMP, DIF_OP_PUSHTR,
		DIF_OP_ALLOCS, DIF_OP_COPYS, DIF_OP_LDGA, DIF_OP_STB,
		DIF_OP_STH, DIF_OP_STW, DIF_OP_STX, DIF_OP_LDGAA, DIF_OP_LDTAA,
		DIF_OP_STGAA, DIF_OP_STTAA };

	for (size_t i = 0; i < sizeof(ops); i++) {
		if (dif_uses_op(u, ops[i]))
			return true;
	}
	return false;
}

bool
bx_needs_slot(const struct bx_layout *lo, const struct dif_uses *u)
{
	if (u->has_byref || (u->has_locals && lo->locals_in_mem) ||
	    ops_need_slot(u))
		return true;
	for (uint64_t left = u->subrs; left != 0; left &= left - 1) {
		if (bx_subr_needs_slot(dif_subr_of_row(DIF_ROW_OF(left))))
			return true;
	}
	for (uint64_t left = u->vars; left != 0; left &= left - 1) {
		uint32_t id = dif_var_of_row(DIF_ROW_OF(left));

		if (dif_var_flags(id) & DIF_VARF_MEMORY)
			return true;
	}
	return false;
}
