/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of the processes that -c and -p name: a SYSCALL instruction gets
 * a point before it, for entries, and one behind it, for returns.  The
 * instruction itself is not moved, so a thread that sleeps in a call is where
 * unwinders and cancellation look for it.
 *
 * Most instructions make one call only; their points lead to its probes, like
 * any other site.  If the number is known only at run time, points lead to
 * *dispatchers*, which look the probe up in a table of the region:
 *
 *	point at   s: SYSCALL -->  note (%rsp, site) -> %rax;  table[0][%rax]
 *	point behind it       -->  number of (%rsp, site);     table[1][number]
 *
 * A thread may reach the point behind a call without a call: a return probe
 * fires only if there is a note.
 *
 * Calls that make processes, execute programs or map code also run fork.c, for
 * descendants.  Calls that may install a seccomp filter run filter.c, in every
 * process that has probes, also for scripts without probes of system calls.
 */
#include "exec/process/emit/compile.h"

#include "base/mem.h"
#include "base/vec.h"
#include "exec/process/proc.h"
#include "provider/ufiles.h"

enum { ENTRY, RETURN };

/* arch/x86/entry/syscalls/syscall_64.tbl */
enum {
	NR_MMAP = 9,
	NR_CLONE = 56,
	NR_FORK = 57,
	NR_VFORK = 58,
	NR_EXECVE = 59,
	NR_PRCTL = 157,
	NR_SECCOMP = 317,
	NR_EXECVEAT = 322,
	NR_CLONE3 = 435
};

/* A number's probe, in a table that dispatchers read. */
struct syscall_entry {
	uint32_t desc, body; /* offsets in the region; 0: no probe */
};

struct syscall_table {
	struct syscall_entry of[2][DT_SYSCALL_NR_MAX]; /* by ENTRY, RETURN */
};

bool
pr_is_syscall(const struct dt_probe *p)
{
	return p->kind == DT_PROBE_CALL_ENTRY ||
	    p->kind == DT_PROBE_CALL_RETURN;
}

bool
pr_traces_calls(const struct pr_exec *x)
{
	return x->sys.has[ENTRY] || x->sys.has[RETURN];
}

bool
pr_has_calls(const struct pr_exec *x)
{
	return pr_traces_calls(x) || x->follows;
}

/* ---- registers ---------------------------------------------------------- */

/* Registers of the kernel's arguments (System V ABI, A.2.1). */
static const int arg_regs[] = { X_RDI, X_RSI, X_RDX, X_R10, X_R8, X_R9 };
#define NARG_REGS (sizeof(arg_regs) / sizeof(arg_regs[0]))

static void
frame_reg(struct pr_tr *t, int reg)
{
	x_load(t->a, 8, false, X_RAX, PR_FIRE_AT(frame));
	x_load(t->a, 8, false, X_RAX, X_AT(X_RAX, 8 * reg));
}

/* Results of -4095 to -1 are errors (System V ABI, A.2.1). */
#define ERRORS (-4095)

/* %rax <- what libc's function returns: -1 for errors */
static void
load_result(struct pr_tr *t)
{
	x_label ok = x_new_label(t->a);

	frame_reg(t, X_RAX);
	x_alui(t->a, X_CMP, X_RAX, ERRORS);
	x_jcc(t->a, X_B, ok);
	x_movi(t->a, X_RAX, (uint64_t)-1);
	x_bind(t->a, ok);
}

void
pr_sys_errno(struct pr_tr *t)
{
	x_label done = x_new_label(t->a);

	if (t->in_error || t->body->kind != DT_PROBE_CALL_RETURN) {
		x_movi(t->a, X_RAX, 0);
		return;
	}
	frame_reg(t, X_RAX);
	x_unary(t->a, X_NEG, X_RAX);
	x_alui(t->a, X_CMP, X_RAX, -ERRORS);
	x_jcc(t->a, X_BE, done);
	x_movi(t->a, X_RAX, 0);
	x_bind(t->a, done);
}

void
pr_sys_arg(struct pr_tr *t, unsigned n)
{
	if (t->body->kind == DT_PROBE_CALL_ENTRY && n < NARG_REGS)
		frame_reg(t, arg_regs[n]);
	else if (t->body->kind == DT_PROBE_CALL_RETURN && n < 2)
		load_result(t);
	else
		x_movi(t->a, X_RAX, 0);
}

uint32_t
pr_sys_regs(const struct pr_body *b, uint32_t args)
{
	uint32_t regs = 0;

	if (b->kind == DT_PROBE_CALL_RETURN)
		return 1U << X_RAX;
	for (size_t i = 0; i < NARG_REGS; i++) {
		if (args & 1U << i)
			regs |= 1U << arg_regs[i];
	}
	return regs;
}

/* ---- dispatchers -------------------------------------------------------- */

/* Registers that a C function may change (System V ABI, 3.2.1). */
static const int scratch_regs[] = { X_RCX, X_RDX, X_RSI, X_RDI, X_R8, X_R9,
	X_R10, X_R11 };
#define NSCRATCH (sizeof(scratch_regs) / sizeof(scratch_regs[0]))

static uint32_t
dispatch_changes(void)
{
	uint32_t regs = 1U << X_RAX;

	for (size_t i = 0; i < NSCRATCH; i++)
		regs |= 1U << scratch_regs[i];
	return regs;
}

/* A register that the trampoline has saved, right above the return address. */
static struct x_mem
saved(int reg)
{
	return X_AT(X_RSP, 8 + 8 * reg);
}

/* %rax <- a function of the frame, and of the site whose number is in %eax */
static void
call_with_frame(struct pr_tr *t, const char *func)
{
	struct x_asm *a = t->a;

	x_mov(a, X_RCX, X_RAX);
	x_lea(a, X_RDI, X_IN_REGION(t->x->conf.own));
	x_lea(a, X_RSI, X_IN_REGION(t->x->conf_off));
	x_lea(a, X_RDX, saved(X_RAX));
	pr_call(t, func);
}

/*
 * Go on at the body of the probe of call %rax, if it has one: with all
 * registers as they were, but %eax its description.  The body's address is for
 * a moment in the red zone, which is the dispatcher's own.
 */
static void
go_to_body(struct pr_tr *t, int kind, x_label quit)
{
	struct x_asm *a = t->a;
	size_t off = t->x->sys.table + offsetof(struct syscall_table, of[kind]);

	x_alui(a, X_CMP, X_RAX, DT_SYSCALL_NR_MAX);
	x_jcc(a, X_AE, quit);
	x_lea(a, X_RCX, X_IN_REGION(off));
	x_shifti(a, X_SHL, X_RAX, 3);
	x_alu(a, X_ADD, X_RCX, X_RAX);
	x_load(a, 4, false, X_RAX,
	    X_AT(X_RCX, offsetof(struct syscall_entry, desc)));
	x_test(a, X_RAX, X_RAX);
	x_jcc(a, X_E, quit);
	x_load(a, 4, false, X_RCX,
	    X_AT(X_RCX, offsetof(struct syscall_entry, body)));
	x_lea(a, X_RDX, X_IN_REGION(0));
	x_alu(a, X_ADD, X_RCX, X_RDX);
	x_store(a, 8, X_AT(X_RSP, -8), X_RCX);
	for (size_t i = 0; i < NSCRATCH; i++)
		x_load(a, 8, false, scratch_regs[i], saved(scratch_regs[i]));
	x_jmp_mem(a, X_AT(X_RSP, -8));
}

static void
emit_dispatcher(struct pr_tr *t, int kind)
{
	struct x_asm *a = t->a;
	x_label quit = x_new_label(a);

	t->x->sys.dispatch[kind] = a->at + x_here(a);
	pr_function(
	    t, kind == ENTRY ? "system calls: entry" : "system calls: return");
	if (kind == RETURN) {
		pr_ask_for_room(t, quit);
		call_with_frame(t, "pr_sys_behind");
	} else {
		pr_ask_for_room(t, quit);
		call_with_frame(t, "pr_sys_before");
		x_load(a, 4, false, X_RAX, saved(X_RAX));
	}
	go_to_body(t, kind, quit);
	x_bind(a, quit);
	x_ret(a);
}

/* Functions called at instructions that make one system call only.  A
 * function with `is_watch` is called for every script that enters processes. */
static const struct descendant_call {
	const char *func, *text;
	bool is_before, is_watch;
	bool is_descent; /* a process or a program comes of it */
	int nrs[4];
} descendant_calls[] = {
	{ "pr_sys_cloned", "system calls: who returns", false, false, true,
	    { NR_CLONE, NR_FORK, NR_VFORK, NR_CLONE3 } },
	{ "pr_sys_executes", "system calls: a program", true, false, true,
	    { NR_EXECVE } },
	{ "pr_sys_executes_at", "system calls: a program", true, false, true,
	    { NR_EXECVEAT } },
	{ "pr_sys_mapped", "system calls: code", false, false, false,
	    { NR_MMAP } },
	{ "pr_sys_filters", "system calls: a filter", true, true, false,
	    { NR_PRCTL, NR_SECCOMP } },
	{ "pr_sys_filtered", "system calls: a filter, or none", false, true,
	    false, { NR_PRCTL, NR_SECCOMP } },
};
#define NDESCENDANT_CALLS                                                      \
	(sizeof(descendant_calls) / sizeof(descendant_calls[0]))
_Static_assert(NDESCENDANT_CALLS == PR_NDESCENDANT_CALLS, "each has code");

static void
emit_descendant_call(struct pr_tr *t, size_t i)
{
	x_label none = x_new_label(t->a);

	t->x->sys.descendant_calls[i] = t->a->at + x_here(t->a);
	pr_function(t, descendant_calls[i].text);
	pr_ask_for_room(t, none);
	call_with_frame(t, descendant_calls[i].func);
	x_bind(t->a, none);
	x_ret(t->a);
}

bool
pr_sys_is_entering(const struct pr_exec *x)
{
	return x->conf.nthreads > 1;
}

bool
pr_sys_watches(const struct pr_exec *x)
{
	return pr_sys_is_entering(x) && !pr_has_calls(x);
}

void
pr_sys_emit(struct pr_tr *t)
{
	if (pr_has_calls(t->x)) {
		emit_dispatcher(t, ENTRY);
		emit_dispatcher(t, RETURN);
	}
	for (size_t i = 0; i < NDESCENDANT_CALLS; i++) {
		if (descendant_calls[i].is_watch ? pr_sys_is_entering(t->x) :
						   pr_has_calls(t->x))
			emit_descendant_call(t, i);
	}
}

/* ---- the table ---------------------------------------------------------- */

void
pr_sys_describe(struct pr_exec *x)
{
	static const struct syscall_table none;

	VEC_FOREACH(&x->bodies, b) {
		if (b->kind == DT_PROBE_CALL_ENTRY)
			x->sys.has[ENTRY] = true;
		else if (b->kind == DT_PROBE_CALL_RETURN)
			x->sys.has[RETURN] = true;
	}
	if (pr_has_calls(x))
		x->sys.table = pr_const(x, &none, sizeof(none));
}

/* The probe of a call; NULL: it has none.  Calls of 32-bit processes are not
 * made here. */
static const struct pr_firing *
find_probe(
    const struct pr_exec *x, int kind, uint32_t nr, const struct pr_body **bp)
{
	enum dt_probe_kind fires =
	    kind == ENTRY ? DT_PROBE_CALL_ENTRY : DT_PROBE_CALL_RETURN;

	VEC_FOREACH(&x->bodies, b) {
		if (b->kind != fires)
			continue;
		VEC_FOREACH(&b->probes, f) {
			if (f->probe->index != nr)
				continue;
			*bp = b;
			return f;
		}
	}
	return NULL;
}

void
pr_sys_fill(struct pr_exec *x)
{
	struct syscall_table *t =
	    (struct syscall_table *)(void *)(x->consts.s + x->sys.table);
	const struct pr_body *b;

	if (x->sys.table == 0)
		return;
	for (int kind = ENTRY; kind <= RETURN; kind++) {
		for (uint32_t nr = 0; nr < DT_SYSCALL_NR_MAX; nr++) {
			const struct pr_firing *f = find_probe(x, kind, nr, &b);

			if (f != NULL)
				t->of[kind][nr] =
				    (struct syscall_entry){ f->desc, b->entry };
		}
	}
}

/* ---- points ------------------------------------------------------------- */

/* A file whose call sites become points. */
struct syscall_sites {
	struct pr_exec *x;
	struct pr_code *code;
};

static void
add_point(const struct syscall_sites *s, uint64_t vaddr, bool stays,
    const struct inproc_body *body)
{
	struct inproc_point pt = {
		.vaddr = vaddr, .stays = stays, .body = *body
	};

	pr_find_function(s->code, &pt);
	VEC_PUSH(&s->code->calls, pt);
}

static struct inproc_body
body_of(const struct pr_firing *f, const struct pr_body *b)
{
	return (struct inproc_body){ .emit = inproc_emit_call,
		.wants = b->wants,
		.changes = (uint16_t)b->changes,
		.id = f->desc,
		.addr = b->entry };
}

/* Of dispatchers, for what the bodies want and change as well. */
static struct inproc_body
dispatcher_body(struct pr_exec *x, int kind)
{
	struct inproc_body d = { .emit = inproc_emit_call,
		.wants = 1U << X_RAX | 1U << X_RSP,
		.changes = (uint16_t)dispatch_changes(),
		.is_silent = !x->sys.has[kind],
		.id = ++x->sys.nsites,
		.addr = x->sys.dispatch[kind] };

	VEC_FOREACH(&x->bodies, b) {
		if (b->kind ==
		    (kind == ENTRY ? DT_PROBE_CALL_ENTRY :
				     DT_PROBE_CALL_RETURN)) {
			d.wants |= b->wants;
			d.changes |= (uint16_t)b->changes;
		}
	}
	return d;
}

/* A site that makes any call.  Its two dispatchers know it by one number. */
static void
add_dispatched(const struct syscall_sites *s, const struct inproc_syscall *c)
{
	struct inproc_body before = dispatcher_body(s->x, ENTRY);
	struct inproc_body behind = dispatcher_body(s->x, RETURN);

	before.id = behind.id;
	add_point(s, c->vaddr, true, &before);
	if (c->has_next)
		add_point(s, c->vaddr + INPROC_SYSCALL_LEN, false, &behind);
}

/* 0 ends the numbers: it is read(), which is none of these calls. */
static bool
is_descendant_call(const struct descendant_call *k, uint32_t nr)
{
	for (size_t i = 0; i < sizeof(k->nrs) / sizeof(k->nrs[0]); i++) {
		if (nr != 0 && (uint32_t)k->nrs[i] == nr)
			return true;
	}
	return false;
}

static void
add_descendant_call(const struct syscall_sites *s, size_t i, uint64_t vaddr)
{
	struct inproc_body b = { .emit = inproc_emit_call,
		.wants = 1U << X_RAX | 1U << X_RSP,
		.changes = (uint16_t)dispatch_changes(),
		.is_silent = true,
		.addr = s->x->sys.descendant_calls[i] };

	add_point(s, vaddr, descendant_calls[i].is_before, &b);
}

/* Add points at, or behind, an instruction that makes only this call. */
static void
add_descendant_calls(
    const struct syscall_sites *s, uint32_t nr, bool is_before, uint64_t vaddr)
{
	for (size_t i = 0; i < NDESCENDANT_CALLS; i++) {
		if (descendant_calls[i].is_before == is_before &&
		    is_descendant_call(&descendant_calls[i], nr))
			add_descendant_call(s, i, vaddr);
	}
}

/* Add a site that may install a filter: any call, or a call that does so. */
static void
add_watch(const struct syscall_sites *s, const struct inproc_syscall *c)
{
	uint64_t behind = c->vaddr + INPROC_SYSCALL_LEN;

	for (size_t i = 0; i < NDESCENDANT_CALLS; i++) {
		const struct descendant_call *k = &descendant_calls[i];

		if (!k->is_watch ||
		    (c->nr >= 0 && !is_descendant_call(k, (uint32_t)c->nr)))
			continue;
		if (k->is_before || c->has_next)
			add_descendant_call(
			    s, i, k->is_before ? c->vaddr : behind);
	}
}

/* Add a site that makes one call. */
static void
add_known(const struct syscall_sites *s, const struct inproc_syscall *c)
{
	uint32_t nr = (uint32_t)c->nr;
	const struct pr_body *b = NULL;
	const struct pr_firing *f = find_probe(s->x, ENTRY, nr, &b);
	uint64_t behind = c->vaddr + INPROC_SYSCALL_LEN;
	struct inproc_body body;

	add_descendant_calls(s, nr, true, c->vaddr);
	if (f != NULL) {
		body = body_of(f, b);
		add_point(s, c->vaddr, true, &body);
	}
	if (!c->has_next)
		return;
	add_descendant_calls(s, nr, false, behind);
	f = find_probe(s->x, RETURN, nr, &b);
	if (f != NULL) {
		body = body_of(f, b);
		add_point(s, behind, false, &body);
	}
}

void
pr_sys_find_points(struct pr_exec *x, struct pr_code *code)
{
	struct syscall_sites s = { .x = x, .code = code };
	struct inproc_syscalls calls = { 0 };

	if (code->has_calls)
		return;
	code->has_calls = true;
	inproc_find_syscalls(code->module, &calls);
	VEC_FOREACH(&calls.v, c) {
		if (c->is_cancellable && !pr_traces_calls(x))
			continue; /* dtrace itself watches other calls */
		if (!pr_has_calls(x))
			add_watch(&s, c);
		else if (c->nr >= 0)
			add_known(&s, c);
		else
			add_dispatched(&s, c);
	}
	VEC_FREE(&calls.v);
}

/* Does dtrace learn there of new processes and programs? */
static bool
is_descent(const struct pr_exec *x, const struct inproc_point *pt)
{
	for (size_t i = 0; i < NDESCENDANT_CALLS; i++) {
		if (descendant_calls[i].is_descent &&
		    pt->body.addr == x->sys.descendant_calls[i])
			return true;
	}
	return pt->body.addr == x->sys.dispatch[ENTRY] ||
	    pt->body.addr == x->sys.dispatch[RETURN];
}

/* Filters of such a call go unnoticed. */
void
pr_sys_note_unwatched(struct pr_exec *x, const struct pr_file *f,
    const struct inproc_point *pt, const char *why)
{
	if (x->follows && is_descent(x, pt))
		refusals_add(&x->sys.unwatched,
		    mem_printf("0x%llx of %s",
			(unsigned long long)(pt->stays ?
				pt->vaddr :
				pt->vaddr - INPROC_SYSCALL_LEN),
			f->file->path),
		    mem_strdup(why));
}
