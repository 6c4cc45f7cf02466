/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All clauses of a plan -> the code of a region.
 *
 *	runtime | struct pr_conf | string tables of objects | descriptions of
 *	variables, aggregations, probes | names | bodies
 *
 * Probes that run the same clauses share a *body*.  The body's arguments say
 * which probe fired (inproc/inproc.h):
 *
 *	%eax	its struct pr_probe, as an offset in the region
 *	8(%rsp)	the registers: struct inproc_frame
 *
 * Operands in the data behind the code are relative to %rip, so they depend on
 * the size of the code: the code is made twice, first to measure it.
 */
#include "exec/process/emit/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "exec/source_place.h"
#include "exec/process/inside/fire.h"
#include "inproc/inproc.h"
#include "provider/usites.h"

#define PAGE 4096U
#define CODE_MAX (1U << 28)
#define ROOM (8U << 20) /* for probes that come while tracing */

void
pr_refuse(struct pr_tr *t, struct diag_span at, char *why)
{
	if (t->refused != NULL) {
		free(why);
		return;
	}
	t->refused = why;
	t->refused_span = at;
}

void
pr_note(struct pr_tr *t, struct diag_span span, const char *text)
{
	VEC_PUSH(&t->x->notes,
	    ((struct pr_note){ .off = t->a->at + x_here(t->a),
		.span = span,
		.text = mem_strdup(text) }));
}

void
pr_note_object(struct pr_tr *t, const struct dif_obj *dp)
{
	VEC_PUSH(&t->x->notes,
	    ((struct pr_note){ .off = t->a->at + x_here(t->a), .difo = dp }));
}

void
pr_changes(struct pr_tr *t, uint32_t regs)
{
	t->used |= regs;
	if ((regs & PR_ARG_REGS) != 0)
		t->args_intact = false;
}

void
pr_call(struct pr_tr *t, const char *func)
{
	pr_changes(t, PR_CALL_CHANGES);
	x_call(t->a, jit_blob_func(func));
}

void
pr_call_vm(struct pr_tr *t, const char *func)
{
	x_mov(t->a, X_RDI, PR_VM);
	pr_call(t, func);
}

/* ---- what a process does not have --------------------------------------- */

#define NEEDS_KERNEL                                                           \
	" needs the kernel, and is not available with -x substrate=process"

static void
check_subrs(struct pr_tr *t, const struct dif_uses *u)
{
	for (uint64_t left = u->subrs; left != 0; left &= left - 1) {
		uint32_t id = dif_subr_of_row(DIF_ROW_OF(left));

		if (dif_subr_flags(id) & DIF_SUBRF_KERNEL)
			pr_refuse(t, t->pc->clause->span,
			    mem_printf(
				"%s()" NEEDS_KERNEL, dif_subr_find(id)->name));
	}
}

static void
check_arrays(struct pr_tr *t, const struct dif_uses *u)
{
	for (uint64_t left = u->arrays; left != 0; left &= left - 1) {
		uint32_t id = dif_var_of_row(DIF_ROW_OF(left));

		if (id != DIF_VAR_ARGS && pr_var_call(id) == NULL)
			pr_refuse(t, t->pc->clause->span,
			    mem_printf("%s[] is not available with -x "
				       "substrate=process",
				dif_var_name(id)));
	}
}

static void
check_object(struct pr_tr *t, const struct dif_obj *dp)
{
	if (dp->nkrel != 0)
		pr_refuse(t, t->pc->clause->span,
		    mem_printf("a symbol of the kernel" NEEDS_KERNEL));
}

static void
check_action(struct pr_tr *t, const struct dif_action *act)
{
	if (act->kind == DT_ACT_STACK)
		pr_refuse(t, act->span, mem_printf("stack()" NEEDS_KERNEL));
	if (act->difo != NULL)
		check_object(t, act->difo);
}

bool
pr_clause_check(struct pr_tr *t, const struct plan_clause *pc)
{
	t->pc = pc;
	if (pc->clause->pred != NULL)
		check_object(t, pc->clause->pred);
	VEC_FOREACH(&pc->clause->actions, act)
		check_action(t, act);
	check_subrs(t, &pc->uses);
	check_arrays(t, &pc->uses);
	return t->refused == NULL;
}

/* ---- probes ------------------------------------------------------------- */

static uint32_t
probe_name(struct pr_exec *x, const char *s)
{
	return pr_const(x, s, strlen(s) + 1);
}

static bool
is_dtrace_own(const struct dt_probe *p)
{
	return strcmp(p->prov, "dtrace") == 0;
}

/* Bodies serve entries and offsets of functions alike (struct pr_body). */
static enum dt_probe_kind
body_kind(const struct dt_probe *p)
{
	return p->kind == DT_PROBE_FUNC_OFFSET ? DT_PROBE_FUNC_ENTRY : p->kind;
}

/* Fill in a site's own facts; NULL: the probe is in no program. */
static void
describe_site(struct pr_probe *desc, const struct dt_probe *p,
    const struct dt_usite *site)
{
	desc->cond = PR_ALWAYS;
	if (site == NULL)
		return;
	desc->place = site->off;
	desc->is_at_return = p->kind == DT_PROBE_FUNC_RETURN || site->is_first;
	if (p->kind == DT_PROBE_FUNC_RETURN) {
		desc->off = (uint64_t)(int64_t)site->func_off;
		if (site->cond < PR_ALWAYS)
			desc->cond = site->cond;
	}
}

/* tools/dtrace-gdb.py and dtrace-perf.py read these. */
_Static_assert(offsetof(struct pr_probe, place) == 16 &&
	offsetof(struct pr_probe, names[PR_NNAMES - 1]) == 48,
    "where they look");

/* A struct pr_probe, with a place for each clause's EPID; `site` may be NULL.
 */
static uint32_t
describe_probe(struct pr_exec *x, const struct dt_probe *p,
    const struct dt_usite *site, const uint32_t *epids, size_t n)
{
	const char *names[PR_NNAMES] = { p->prov, p->mod, p->func, p->name };
	size_t size = sizeof(struct pr_probe) + 4 * n;
	struct pr_probe *desc = mem_alloc(size);
	struct strbuf full = { 0 };
	uint32_t off;

	dt_probe_format(p, &full);
	names[PR_NNAMES - 1] = full.s;
	desc->id = p->id;
	desc->is_own = is_dtrace_own(p);
	describe_site(desc, p, site);
	for (unsigned i = 0; i < PR_NNAMES; i++) {
		desc->names[i] = probe_name(x, names[i]);
		desc->strids[i] = strtab_intern(&x->pl->strs, names[i]);
	}
	memcpy(desc->epids, epids, 4 * n);
	off = pr_const(x, desc, size);
	strbuf_fini(&full);
	free(desc);
	return off;
}

/* ---- bodies ------------------------------------------------------------- */

/* Probes and their clauses, in the order of the plan. */
struct collected {
	struct pr_body body;
	struct idmap places; /* index in body.probes, by probe */
};

static struct pr_firing *
firing_of(struct collected *all, const struct dt_probe *p)
{
	const uint32_t *place = idmap_get(&all->places, p->id);

	if (place != NULL)
		return &all->body.probes.v[*place];
	idmap_put(&all->places, p->id, (uint32_t)all->body.probes.n);
	VEC_PUSH(&all->body.probes,
	    ((struct pr_firing){ .probe = p, .timer_fd = -1 }));
	return &all->body.probes.v[all->body.probes.n - 1];
}

static bool
runs_same(const struct pr_firing *a, const struct pr_firing *b)
{
	if (body_kind(a->probe) != body_kind(b->probe) ||
	    a->clauses.n != b->clauses.n)
		return false;
	return a->uargs == b->uargs &&
	    memcmp(a->clauses.v, b->clauses.v,
		a->clauses.n * sizeof(*a->clauses.v)) == 0;
}

/* BEGIN and END fire whatever the state, so they share no body. */
static struct pr_body *
body_of(struct pr_exec *x, const struct pr_firing *f)
{
	struct pr_body b = { .kind = body_kind(f->probe),
		.uargs = f->uargs,
		.always = is_dtrace_own(f->probe) };

	VEC_FOREACH(&x->bodies, have) {
		if (have->always == b.always &&
		    runs_same(&have->probes.v[0], f))
			return have;
	}
	VEC_FOREACH(&f->clauses, pc)
		VEC_PUSH(&b.clauses, *pc);
	b.wants_all = f->probe->kind == DT_PROBE_CLOCK || pr_walks(x, &b);
	VEC_PUSH(&x->bodies, b);
	return &x->bodies.v[x->bodies.n - 1];
}

static void
note_error(struct pr_exec *x, const struct plan_clause *pc,
    const struct dt_probe *p, uint32_t epid)
{
	x->error_probe = p;
	VEC_PUSH(&x->error_clauses, pc);
	VEC_PUSH(&x->error_epids, epid);
}

int
pr_probe_check(
    const struct pr_exec *x, const struct dt_probe *p, struct err *err)
{
	bool is_local = p->kind == DT_PROBE_RUN || p->kind == DT_PROBE_ERROR;
	bool is_entered = p->up != NULL && !p->up->is_32 &&
	    (p->up->pid != 0 || x->plant.targets.n != 0);
	bool is_call = pr_is_syscall(p) && x->plant.targets.n != 0;
	bool is_clock = p->kind == DT_PROBE_CLOCK && p->period_ns != 0;
	bool is_sampled = is_clock && x->plant.targets.n != 0;
	bool is_wide =
	    is_clock || pr_is_syscall(p) || (p->up != NULL && p->up->pid == 0);
	struct strbuf name = { 0 };

	if ((is_local || is_entered || is_call || is_sampled) &&
	    p->norigins == 0)
		return 0;
	dt_probe_format(p, &name);
	err_set(err, -EPERM,
	    "%s needs the kernel: it is not available with -x substrate=process; %srun dtrace with sudo, without this option",
	    name.s, is_wide ? "name processes with -c or -p, or " : "");
	strbuf_fini(&name);
	return -EPERM;
}

int
pr_growth_check(
    const struct pr_exec *x, const struct plan_clause *pc, struct err *err)
{
	VEC_FOREACH(&pc->clause->pdescs, desc) {
		if (!dt_registry_may_grow(desc) || dt_pid_named(desc) != 0 ||
		    x->plant.targets.n != 0)
			continue;
		return err_set(err, -ENOTSUP,
		    "what comes in other processes while tracing" NEEDS_KERNEL);
	}
	return 0;
}

/* Collect every probe with the clauses that it runs. */
static int
collect_probes(struct pr_exec *x, struct collected *all, struct err *err)
{
	VEC_FOREACH(&x->pl->clauses, pc) {
		if (pc->may_grow && pc->probes.n == 0 &&
		    pr_growth_check(x, pc, err) != 0)
			return -ENOTSUP;
		x->may_grow |= pc->may_grow;
		for (size_t i = 0; i < pc->probes.n; i++) {
			const struct dt_probe *p = pc->probes.v[i];
			uint32_t epid = pc->epid_base + (uint32_t)i;
			struct pr_firing *f;

			if (pr_probe_check(x, p, err) != 0)
				return -EPERM;
			if (p->kind == DT_PROBE_ERROR) {
				note_error(x, pc, p, epid);
				continue;
			}
			f = firing_of(all, p);
			VEC_PUSH(&f->clauses, pc);
			VEC_PUSH(&f->epids, epid);
		}
	}
	return 0;
}

/* Locations at the site of the arguments that the probe's clauses read; NULL:
 * they read none, or the site is no USDT site that fires. */
static const struct dt_uargs *
args_read_at(const struct pr_firing *f, const struct dt_usite *site)
{
	if (site->args == NULL || site->is_enabled ||
	    pr_args_read(f->clauses.v, f->clauses.n) == 0)
		return NULL;
	return site->args;
}

static void
describe_firing(struct pr_exec *x, struct pr_firing *f)
{
	const struct dt_probe *p = f->probe;

	if (p->up == NULL) {
		f->desc = describe_probe(x, p, NULL, f->epids.v, f->epids.n);
		return;
	}
	VEC_FOREACH(&p->up->sites, site) {
		if (args_read_at(f, site) != f->uargs)
			continue;
		VEC_PUSH(&f->sites,
		    ((struct pr_site){ .site = site,
			.desc = describe_probe(
			    x, p, site, f->epids.v, f->epids.n) }));
	}
}

/* Give a body to some sites of a probe, or to a probe without sites. */
static void
add_part(
    struct pr_exec *x, const struct pr_firing *f, const struct dt_uargs *uargs)
{
	struct pr_firing part = {
		.probe = f->probe, .uargs = uargs, .timer_fd = -1
	};
	struct pr_body *b;

	VEC_FOREACH(&f->clauses, pc)
		VEC_PUSH(&part.clauses, *pc);
	VEC_FOREACH(&f->epids, epid)
		VEC_PUSH(&part.epids, *epid);
	b = body_of(x, &part);
	describe_firing(x, &part);
	VEC_PUSH(&b->probes, part);
}

/* Is this the first of the probe's sites with its arguments at these places? */
static bool
is_new_place(const struct pr_firing *f, const struct dt_usite *site)
{
	VEC_FOREACH(&f->probe->up->sites, s) {
		if (s == site)
			break;
		if (args_read_at(f, s) == args_read_at(f, site))
			return false;
	}
	return true;
}

static void
add_parts(struct pr_exec *x, const struct pr_firing *f)
{
	if (f->probe->up == NULL) {
		add_part(x, f, NULL);
		return;
	}
	VEC_FOREACH(&f->probe->up->sites, s) {
		if (is_new_place(f, s))
			add_part(x, f, args_read_at(f, s));
	}
}

static void
add_all(struct pr_exec *x, struct collected *all)
{
	VEC_FOREACH(&all->body.probes, f) {
		add_parts(x, f);
		VEC_FREE(&f->clauses);
		VEC_FREE(&f->epids);
	}
	VEC_FREE(&all->body.probes);
	idmap_fini(&all->places);
}

int
pr_bodies_make(struct pr_exec *x, struct err *err)
{
	struct collected all = { 0 };
	int rc = collect_probes(x, &all, err);

	add_all(x, &all);
	if (x->error_clauses.n != 0)
		x->error_desc = describe_probe(x, x->error_probe, NULL,
		    x->error_epids.v, x->error_epids.n);
	return rc;
}

/* ---- code --------------------------------------------------------------- */

static struct x_mem
saved_reg(int reg)
{
	return X_AT(X_RSP, 8 + 8 * reg);
}

void
pr_save_regs(struct pr_tr *t, uint32_t regs)
{
	for (int reg = 0; reg < X_NREGS; reg++) {
		if (regs & 1U << reg)
			x_store(t->a, 8, saved_reg(reg), reg);
	}
}

void
pr_restore_regs(struct pr_tr *t, uint32_t regs)
{
	for (int reg = 0; reg < X_NREGS; reg++) {
		if (regs & 1U << reg)
			x_load(t->a, 8, false, reg, saved_reg(reg));
	}
}

/* Computes the address of the probe's description from its offset in %eax. */
void
pr_call_enter(struct pr_tr *t)
{
	struct x_asm *a = t->a;

	x_lea(a, X_RCX, X_IN_REGION(0));
	x_alu(a, X_ADD, X_RCX, X_RAX);
	x_lea(a, X_RDI, X_IN_REGION(t->x->conf.own));
	x_lea(a, X_RSI, X_IN_REGION(t->x->conf_off));
	x_lea(a, X_RDX, X_AT(X_RSP, 8));
	pr_call(t, "pr_enter");
}

static void
emit_enter(struct pr_tr *t, x_label quit)
{
	if (pr_fast_enter(t, quit))
		return;
	pr_call_enter(t);
	x_test(t->a, X_RAX, X_RAX);
	x_jcc(t->a, X_E, quit);
	x_mov(t->a, PR_VM, X_RAX);
}

static bool
sends_signals(const struct plan_clause *const *clauses, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (plan_clause_does(clauses[i], DIF_STEP_RAISE) ||
		    plan_clause_does(clauses[i], DIF_STEP_STOP))
			return true;
	}
	return false;
}

static void
emit_clauses(struct pr_tr *t, x_label quit)
{
	const struct pr_body *b = t->body;
	const struct pr_exec *x = t->x;
	x_label done = t->leave;
	bool sends = sends_signals(b->clauses.v, b->clauses.n) ||
	    sends_signals(x->error_clauses.v, x->error_clauses.n);

	emit_enter(t, quit);
	if (sends)
		x_storei(t->a, 8, PR_FIRE_AT(signals), 0);
	for (size_t i = 0; i < b->clauses.n; i++)
		pr_clause(t, b->clauses.v[i], (uint32_t)i, done);
	x_bind(t->a, done);
	pr_note(t, (struct diag_span){ 0 }, "leave");
	if (sends)
		pr_call_vm(t, "pr_send_signals");
	if (!pr_fast_leave(t))
		pr_call_vm(t, "pr_leave");
}

/* Probes of one process: its children have the jumps, and an own part, too. */
static bool
is_of_named(const struct pr_exec *x, const struct pr_body *b)
{
	if (!pr_has_calls(x))
		return false;
	VEC_FOREACH(&b->probes, f) {
		if (f->probe->up != NULL && f->probe->up->pid != 0)
			return true;
	}
	return false;
}

/* Registers that the trampoline has saved; the body saves all others. */
#define BY_TRAMPOLINE                                                          \
	(1U << X_RAX | 1U << X_RSP | 1U << INPROC_IP | 1U << INPROC_RFLAGS)

/*
 * The start of a body: it saves the registers that it changes, but only after a
 * simple predicate has held.
 */
static void
emit_entry(struct pr_tr *t, struct pr_body *b, x_label main)
{
	uint32_t wants = pr_wanted_regs(b);
	struct x_asm *a = t->a;
	x_label quit = x_new_label(a);

	b->entry = a->at + x_here(a);
	t->pc = b->clauses.v[0];
	pr_note(t, (struct diag_span){ 0 }, "enter");
	pr_usdt_check(t);
	if (t->decided != NULL)
		pr_decide(t, t->decided, t->decided_used, quit);
	if (!b->always) {
		x_alumi(a, X_CMP, X_IN_REGION(t->x->conf.data),
		    (int32_t)t->x->conf.gate);
		x_jcc(a, X_NE, quit);
	}
	if (is_of_named(t->x, b)) {
		x_alumi(a, X_CMP, PR_OWN_AT(t, start.is_named), 1);
		x_jcc(a, X_NE, quit);
	}
	if (t->has_asked && b->kind != DT_PROBE_RUN)
		pr_ask_for_room(t, quit);
	pr_save_regs(t, (t->used | wants) & ~t->decided_used & ~BY_TRAMPOLINE);
	x_jmp(a, main);
	x_bind(a, quit);
	pr_restore_regs(t, t->decided_used & ~BY_TRAMPOLINE);
	x_ret(a);
	b->changes = 1U << X_RAX;
	b->wants = wants & BY_TRAMPOLINE;
}

/*
 *	main:	the firing; restore; ret
 *		slow paths
 *	entry:	predicate; save; jmp main
 */
void
pr_body_emit(struct pr_tr *t, struct pr_body *b)
{
	struct x_asm *a = t->a;
	x_label main = x_new_label(a), out = x_new_label(a);
	uint32_t ncalls = a->ncalls;

	t->body = b;
	t->leave = x_new_label(a);
	pr_name_body(t, b);
	t->used = 1U << X_RAX | 1U << X_RBX;
	t->decided = pr_light_predicate(b, &t->decided_used);
	t->args_intact = false;
	x_bind(a, main);
	if (!pr_light_body(t))
		emit_clauses(t, out);
	x_bind(a, out);
	t->has_asked = a->ncalls != ncalls;
	t->used |= t->decided_used;
	pr_restore_regs(t, t->used & ~BY_TRAMPOLINE);
	x_ret(a);
	pr_slow_paths(t);
	emit_entry(t, b, main);
}

void
pr_error_emit(struct pr_tr *t)
{
	struct x_asm *a = t->a;
	x_label done = x_new_label(a);

	if (t->x->error_clauses.n == 0)
		return;
	t->error_at = a->at + x_here(a);
	pr_name(t, "dtrace:::ERROR");
	t->in_error = true;
	t->used = 0;
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(probe));
	x_store(a, 8, PR_FIRE_AT(saved_probe), X_RAX);
	x_lea(a, X_RAX, X_IN_REGION(t->x->error_desc));
	x_store(a, 8, PR_FIRE_AT(probe), X_RAX);
	x_load(a, 8, false, X_RAX, PR_MS_AT(fault));
	x_store(a, 8, PR_FIRE_AT(fault), X_RAX);
	x_load(a, 8, false, X_RAX, PR_MS_AT(fault_val));
	x_store(a, 8, PR_FIRE_AT(fault_value), X_RAX);
	x_storei(a, 8, PR_MS_AT(fault), 0);
	for (size_t i = 0; i < t->x->error_clauses.n; i++)
		pr_clause(t, t->x->error_clauses.v[i], (uint32_t)i, done);
	x_bind(a, done);
	x_load(a, 8, false, X_RAX, PR_FIRE_AT(saved_probe));
	x_store(a, 8, PR_FIRE_AT(probe), X_RAX);
	x_ret(a);
	t->in_error = false;
	t->x->error_at = t->error_at;
	t->x->error_used = t->error_used = t->used;
}

void
pr_hold_emit(struct pr_tr *t)
{
	struct x_asm *a = t->a;

	t->x->hold_entry = a->at + x_here(a);
	pr_function(t, "wait for dtrace to see new code");
	x_label none = x_new_label(a);

	pr_ask_for_room(t, none);
	x_lea(a, X_RDI, X_IN_REGION(t->x->conf.own));
	x_lea(a, X_RSI, X_IN_REGION(t->x->conf_off));
	x_lea(a, X_RDX, X_AT(X_RSP, 8)); /* behind the return address */
	x_mov(a, X_RCX, X_RAX);
	pr_call(t, "pr_hold");
	x_bind(a, none);
	x_ret(a);
}

/* Registers that a function of C must keep (System V ABI, 3.2.1). */
static const int kept[] = { X_RBX, X_RBP, X_R12, X_R13, X_R14, X_R15 };
#define NKEPT (sizeof(kept) / sizeof(kept[0]))
/* Flags at a function's call: interrupts on, and bit 1 (SDM 1, 3.4.3). */
#define OWN_FLAGS 0x202
#define FRAME_AT(member) X_AT(X_RSP, offsetof(struct inproc_frame, member))

/* Save the caller's registers as of the return to it; %rax is lost. */
static void
emit_own_frame(struct pr_tr *t)
{
	struct x_asm *a = t->a;
	int32_t size = sizeof(struct inproc_frame), above = 8 * NKEPT;

	for (int r = 0; r < X_NREGS; r++)
		x_store(a, 8, X_AT(X_RSP, 8 * r), r);
	x_lea(a, X_RAX, X_AT(X_RSP, size + above + 8));
	x_store(a, 8, X_AT(X_RSP, 8 * X_RSP), X_RAX);
	x_storei(a, 8, FRAME_AT(rflags), OWN_FLAGS);
	x_load(a, 8, false, X_RAX, X_AT(X_RSP, size + above));
	x_store(a, 8, FRAME_AT(ip), X_RAX);
}

/* void f(void), which fires one of dtrace's own probes. */
static void
emit_call(struct pr_tr *t, const struct pr_body *b, struct pr_firing *f)
{
	struct x_asm *a = t->a;
	int32_t size = sizeof(struct inproc_frame);

	f->call = a->at + x_here(a);
	for (size_t i = 0; i < NKEPT; i++)
		x_push(a, kept[i]);
	x_alui(a, X_SUB, X_RSP, size);
	if (b->wants_all)
		emit_own_frame(t);
	x_movi(a, X_RAX, f->desc);
	x_call(a, b->entry);
	x_alui(a, X_ADD, X_RSP, size);
	for (size_t i = NKEPT; i-- > 0;)
		x_pop(a, kept[i]);
	x_ret(a);
}

/*
 * The code to which dtrace sends a sampled thread (sample.c); registers and
 * flags are in a frame at its stack pointer.  The thread returns by two words
 * below its red zone, to which the frame's `pad` points.  So all needed data is
 * always outside the memory that a signal would overwrite.
 */
static void
emit_sample(struct pr_tr *t, const struct pr_body *b, struct pr_firing *f)
{
	struct x_asm *a = t->a;

	f->call = a->at + x_here(a);
	x_cld(a);
	x_movi(a, X_RAX, f->desc);
	x_call(a, b->entry);
	x_mov(a, X_RDI, X_RSP);
	pr_call(t, "pr_finish");
	for (int r = 0; r < X_NREGS; r++) {
		if (r != X_RSP)
			x_load(a, 8, false, r, X_AT(X_RSP, 8 * r));
	}
	x_load(a, 8, false, X_RSP, FRAME_AT(pad));
	x_popfq(a);
	x_ret_over(a, PR_RED_ZONE);
}

void
pr_own_emit(struct pr_tr *t, const struct pr_body *b)
{
	VEC_FOREACH(&b->probes, f) {
		if (b->kind == DT_PROBE_RUN)
			emit_call(t, b, f);
		else if (b->kind == DT_PROBE_CLOCK)
			emit_sample(t, b, f);
	}
}

static void
emit_all(struct pr_tr *t)
{
	pr_names_begin(t);
	pr_names_runtime(t);
	pr_depth_emit(t);
	pr_error_emit(t);
	if (t->x->may_grow)
		pr_hold_emit(t);
	pr_sys_emit(t);
	VEC_FOREACH(&t->x->bodies, b) {
		pr_body_emit(t, b);
		pr_own_emit(t, b);
	}
	pr_names_end(t);
	x_finish(t->a);
}

char *
pr_refusal(const struct pr_exec *x, const struct pr_tr *t)
{
	char *place = exec_place(x->diags, t->refused_span);
	char *msg = mem_printf("%s: %s", place, t->refused);

	free(place);
	return msg;
}

static void
notes_free(struct pr_exec *x)
{
	VEC_FOREACH(&x->notes, n)
		free(n->text);
	x->notes.n = 0;
}

static int
emit_pass(struct pr_exec *x, struct err *err)
{
	struct pr_tr t = { .x = x, .a = &x->a, .names = &x->names };
	bool ok = true;

	notes_free(x);
	strbuf_reset(&x->a.code);
	x->a.labels.n = x->a.fixups.n = 0;
	x->a.at = x->text_off;
	VEC_FOREACH(&x->pl->clauses, pc) {
		if (plan_clause_is_live(pc))
			ok = ok && pr_clause_check(&t, pc);
	}
	if (ok)
		emit_all(&t);
	if (t.refused != NULL)
		err_take(err, -ENOTSUP, pr_refusal(x, &t));
	free(t.refused);
	VEC_FREE(&t.exits);
	VEC_FREE(&t.slow);
	return !err_is_set(err) ? 0 : -ENOTSUP;
}

int
pr_compile(struct pr_exec *x, struct err *err)
{
	int rc = pr_bodies_make(x, err);
	size_t end;

	if (rc != 0)
		return rc;
	pr_sys_describe(x);
	x->global_off = pr_const(x, "global", sizeof("global"));
	x->text_off = pr_const(x, "", 0);
	rc = emit_pass(x, err);
	if (rc != 0)
		return rc;
	end = x->text_off + x_here(&x->a) + x->names.len;
	if (end >= CODE_MAX)
		return err_set(
		    err, -E2BIG, "the script is too large for one process");
	x->room = ((uint32_t)end + PAGE - 1) & ~(PAGE - 1);
	x->code_size = x->room + (x->may_grow ? ROOM : 0);
	pr_place(x);
	rc = emit_pass(x, err);
	pr_sys_fill(x);
	return rc;
}

/* ---- what comes while tracing ------------------------------------------- */

/* Collect the probes that have come since the last call, with their clauses. */
static int
collect_late(struct pr_exec *x, struct collected *all, struct err *err)
{
	const struct plan *pl = x->pl;
	int rc = 0;

	for (; rc == 0 && x->nlate < pl->late.n; x->nlate++) {
		const struct plan_late *l = &pl->late.v[x->nlate];
		const struct plan_clause *pc = &pl->clauses.v[l->clause];
		struct pr_firing *f = firing_of(all, l->probe);

		VEC_PUSH(&f->clauses, pc);
		VEC_PUSH(&f->epids, pl->late_base + (uint32_t)x->nlate);
		rc = pr_probe_check(x, l->probe, err);
	}
	x->nlate = pl->late.n;
	return rc;
}

int
pr_bodies_make_late(struct pr_exec *x, struct err *err)
{
	struct collected all = { 0 };
	int rc = collect_late(x, &all, err);

	add_all(x, &all);
	return rc;
}

static void
emit_late(struct pr_tr *t)
{
	pr_names_begin(t);
	VEC_FOREACH(&t->x->bodies, b) {
		if (b->entry == 0)
			pr_body_emit(t, b);
	}
	pr_names_end(t);
	x_finish(t->a);
}

/* Write descriptions, code and names of late probes to the room: the code
 * behind the rest, then the names. */
static int
put_late(struct pr_exec *x, const struct x_asm *a, const struct strbuf *names,
    struct err *err)
{
	uint64_t code_end = (uint64_t)a->at + x_here(a);
	uint64_t end = code_end + names->len;
	int rc = end <= x->code_size ? 0 : -E2BIG;

	if (rc != 0)
		goto out;
	rc = code_file_put(&x->code, x->room, x->consts.s, x->consts.len);
	if (rc != 0)
		goto out;
	rc = code_file_put(&x->code, a->at, a->code.s, x_here(a));
	if (rc != 0)
		goto out;
	rc = code_file_put(&x->code, code_end, names->s, names->len);
	if (rc != 0)
		goto out;
	x->room = (uint32_t)((end + 15) & ~15ULL);
out:
	if (rc != 0)
		err_set(err, rc,
		    "no room for probes that came while tracing: %s",
		    strerror(-rc));
	return rc;
}

static int
fill_room(struct pr_exec *x, struct err *err)
{
	struct x_asm a = { .at = pr_const(x, "", 0) };
	struct strbuf names = { 0 };
	struct pr_tr t = { .x = x,
		.a = &a,
		.names = &names,
		.error_at = x->error_at,
		.error_used = x->error_used };
	int rc;

	emit_late(&t);
	if (t.refused != NULL) {
		rc = err_take(err, -ENOTSUP, pr_refusal(x, &t));
	} else {
		rc = put_late(x, &a, &names, err);
	}
	free(t.refused);
	VEC_FREE(&t.exits);
	VEC_FREE(&t.slow);
	strbuf_fini(&names);
	x_fini(&a);
	return rc;
}

int
pr_compile_late(struct pr_exec *x, struct err *err)
{
	size_t nbodies = x->bodies.n;
	int rc;

	strbuf_reset(&x->consts);
	x->consts_at = x->room;
	rc = pr_bodies_make_late(x, err);
	if (rc == 0)
		rc = fill_room(x, err);
	if (rc != 0) /* bodies outside the region must not be planted */
		pr_bodies_cut(x, nbodies, x->consts_at);
	return rc;
}
