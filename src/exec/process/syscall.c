/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls of the processes that -c and -p name: a SYSCALL instruction gets
 * a point before it, for entries, and one behind it, for returns.  It stays
 * where it is itself, so a thread that sleeps in a call is where unwinders and
 * cancellation look for it.
 *
 * Most make one call only, and are points of its probes like any other place.
 * Where the number is known when the instruction is met, points lead to
 * *dispatchers*, which look the probe up in a table of the region:
 *
 *	point at   s: SYSCALL -->  note (%rsp, site) -> %rax;  table[0][%rax]
 *	point behind it       -->  number of (%rsp, site);     table[1][number]
 *
 * What is behind a call may be come to without one: only where there is a note
 * does it return.
 */
#include "exec/process/compile.h"

#include <stdlib.h>
#include <string.h>

#include "exec/process/proc.h"
#include "provider/ufiles.h"

enum { ENTRY, RETURN };

/* arch/x86/entry/syscalls/syscall_64.tbl */
enum { NR_CLONE = 56, NR_VFORK = 58, NR_CLONE3 = 435 };

/* A number's probe, in a table that dispatchers read. */
struct entry {
	uint32_t desc, body; /* offsets in the region; 0: no probe */
};

struct table {
	struct entry of[2][DT_SYSCALL_NR_MAX]; /* by ENTRY, RETURN */
};

bool
pr_is_syscall(const struct dt_probe *p)
{
	return p->ctx == DT_CTX_SYS_ENTER || p->ctx == DT_CTX_SYS_EXIT;
}

bool
pr_has_calls(const struct dt_exec *x)
{
	return x->sys.has[ENTRY] || x->sys.has[RETURN];
}

/* ---- registers ---------------------------------------------------------- */

/* Where the kernel takes arguments from (System V ABI, A.2.1). */
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

	if (t->in_error || t->body->ctx != DT_CTX_SYS_EXIT) {
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
	if (t->body->ctx == DT_CTX_SYS_ENTER && n < NARG_REGS)
		frame_reg(t, arg_regs[n]);
	else if (t->body->ctx == DT_CTX_SYS_EXIT && n < 2)
		load_result(t);
	else
		x_movi(t->a, X_RAX, 0);
}

uint32_t
pr_sys_regs(const struct pr_body *b, uint32_t args)
{
	uint32_t regs = 0;

	if (b->ctx == DT_CTX_SYS_EXIT)
		return 1U << X_RAX;
	for (size_t i = 0; i < NARG_REGS; i++) {
		if (args & 1U << i)
			regs |= 1U << arg_regs[i];
	}
	return regs;
}

/* ---- dispatchers -------------------------------------------------------- */

/* What a function of C may change (System V ABI, 3.2.1). */
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

/* What the trampoline has saved, right above the return address. */
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
	size_t off = t->x->sys.table + offsetof(struct table, of[kind]);

	x_alui(a, X_CMP, X_RAX, DT_SYSCALL_NR_MAX);
	x_jcc(a, X_AE, quit);
	x_lea(a, X_RCX, X_IN_REGION(off));
	x_shifti(a, X_SHL, X_RAX, 3);
	x_alu(a, X_ADD, X_RCX, X_RAX);
	x_load(a, 4, false, X_RAX, X_AT(X_RCX, offsetof(struct entry, desc)));
	x_test(a, X_RAX, X_RAX);
	x_jcc(a, X_E, quit);
	x_load(a, 4, false, X_RCX, X_AT(X_RCX, offsetof(struct entry, body)));
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
	pr_note(t, (struct diag_span){ 0 },
	    kind == ENTRY ? "system calls: entry" : "system calls: return");
	if (kind == RETURN) {
		call_with_frame(t, "pr_sys_number");
	} else {
		if (t->x->sys.has[RETURN])
			call_with_frame(t, "pr_sys_note");
		x_load(a, 4, false, X_RAX, saved(X_RAX));
	}
	go_to_body(t, kind, quit);
	x_bind(a, quit);
	x_ret(a);
}

/* Behind calls that make processes and threads. */
static void
emit_cloned(struct pr_tr *t)
{
	t->x->sys.cloned = t->a->at + x_here(t->a);
	pr_note(t, (struct diag_span){ 0 }, "system calls: who returns");
	call_with_frame(t, "pr_sys_cloned");
	x_ret(t->a);
}

void
pr_sys_emit(struct pr_tr *t)
{
	if (!pr_has_calls(t->x))
		return;
	emit_dispatcher(t, ENTRY);
	emit_dispatcher(t, RETURN);
	emit_cloned(t);
}

/* ---- the table ---------------------------------------------------------- */

void
pr_sys_describe(struct dt_exec *x)
{
	static const struct table none;

	VEC_FOREACH(&x->bodies, b) {
		if (b->ctx == DT_CTX_SYS_ENTER)
			x->sys.has[ENTRY] = true;
		else if (b->ctx == DT_CTX_SYS_EXIT)
			x->sys.has[RETURN] = true;
	}
	if (pr_has_calls(x))
		x->sys.table = pr_const(x, &none, sizeof(none));
}

/* The probe of a call; NULL: it has none.  Calls of 32-bit processes are not
 * made here. */
static const struct pr_firing *
find_probe(
    const struct dt_exec *x, int kind, uint32_t nr, const struct pr_body **bp)
{
	enum dt_ctx ctx = kind == ENTRY ? DT_CTX_SYS_ENTER : DT_CTX_SYS_EXIT;

	VEC_FOREACH(&x->bodies, b) {
		if (b->ctx != ctx)
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
pr_sys_fill(struct dt_exec *x)
{
	struct table *t = (struct table *)(void *)(x->consts.s + x->sys.table);
	const struct pr_body *b;

	if (x->sys.table == 0)
		return;
	for (int kind = ENTRY; kind <= RETURN; kind++) {
		for (uint32_t nr = 0; nr < DT_SYSCALL_NR_MAX; nr++) {
			const struct pr_firing *f = find_probe(x, kind, nr, &b);

			if (f != NULL)
				t->of[kind][nr] =
				    (struct entry){ f->desc, b->entry };
		}
	}
}

/* ---- points ------------------------------------------------------------- */

/* One file of a process, whose sites are to be points. */
struct sites {
	struct dt_exec *x;
	struct pr_file *file;
};

static void
add_point(const struct sites *s, uint64_t vaddr, bool stays,
    const struct inproc_body *body)
{
	struct inproc_point pt = {
		.vaddr = vaddr, .stays = stays, .body = *body
	};

	pr_file_add(s->file, &pt);
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
dispatcher_body(struct dt_exec *x, int kind)
{
	struct inproc_body d = { .emit = inproc_emit_call,
		.wants = 1U << X_RAX | 1U << X_RSP,
		.changes = (uint16_t)dispatch_changes(),
		.id = ++x->sys.nsites,
		.addr = x->sys.dispatch[kind] };

	VEC_FOREACH(&x->bodies, b) {
		if (b->ctx ==
		    (kind == ENTRY ? DT_CTX_SYS_ENTER : DT_CTX_SYS_EXIT)) {
			d.wants |= b->wants;
			d.changes |= (uint16_t)b->changes;
		}
	}
	return d;
}

/* A site that makes any call.  Its two dispatchers know it by one number. */
static void
add_dispatched(const struct sites *s, const struct inproc_syscall *c)
{
	struct inproc_body before = dispatcher_body(s->x, ENTRY);
	struct inproc_body behind = dispatcher_body(s->x, RETURN);

	before.id = behind.id;
	add_point(s, c->vaddr, true, &before);
	if (s->x->sys.has[RETURN] && c->has_next)
		add_point(s, c->vaddr + INPROC_SYSCALL_LEN, false, &behind);
}

static bool
makes_processes(int32_t nr)
{
	return nr == NR_CLONE || nr == NR_VFORK || nr == NR_CLONE3;
}

static void
add_cloned(const struct sites *s, uint64_t vaddr)
{
	struct inproc_body b = { .emit = inproc_emit_call,
		.wants = 1U << X_RAX,
		.changes = (uint16_t)dispatch_changes(),
		.addr = s->x->sys.cloned };

	add_point(s, vaddr, false, &b);
}

/* A site that makes one call. */
static void
add_known(const struct sites *s, const struct inproc_syscall *c)
{
	uint32_t nr = (uint32_t)c->nr;
	const struct pr_body *b = NULL;
	const struct pr_firing *f = find_probe(s->x, ENTRY, nr, &b);
	struct inproc_body body;

	if (f != NULL) {
		body = body_of(f, b);
		add_point(s, c->vaddr, true, &body);
	}
	if (!c->has_next)
		return;
	if (makes_processes(c->nr))
		add_cloned(s, c->vaddr + INPROC_SYSCALL_LEN);
	f = find_probe(s->x, RETURN, nr, &b);
	if (f != NULL) {
		body = body_of(f, b);
		add_point(s, c->vaddr + INPROC_SYSCALL_LEN, false, &body);
	}
}

static int
add_file(struct dt_exec *x, struct pr_proc *p, const struct dt_ufile *file,
    char **msg)
{
	struct sites s = { .x = x, .file = pr_file_of(p, file) };
	struct inproc_syscalls calls = { 0 };
	const struct inproc_module *m;

	if (s.file->has_calls)
		return 0;
	s.file->has_calls = true;
	m = pr_file_module(s.file, msg);
	if (m == NULL)
		return -1;
	inproc_find_syscalls(m, &calls);
	VEC_FOREACH(&calls.v, c) {
		if (c->nr >= 0)
			add_known(&s, c);
		else
			add_dispatched(&s, c);
	}
	VEC_FREE(&calls.v);
	return 0;
}

/* ---- files -------------------------------------------------------------- */

#define CHUNK (1 << 16)

/* Are there any in what the mapping shows of the file?  Bytes that look like
 * one need not be. */
static bool
may_call(int fd, const struct proc_map *map)
{
	uint64_t end = map->off + (map->end - map->start), at = map->off;
	char *bytes = mem_alloc(CHUNK);
	bool may = false;
	ssize_t n = 1;

	while (!may && at < end && n > 0) {
		n = pread(fd, bytes, CHUNK, (off_t)at);
		may = n > 0 && memmem(bytes, (size_t)n, "\x0f\x05", 2) != NULL;
		at += n > 1 ? (uint64_t)n - 1 : 1;
	}
	free(bytes);
	return may;
}

/* What is shared is no program's, but a JIT compiler's, or ours. */
static bool
is_code(const struct proc_map *map)
{
	return map->is_exec && map->ino != 0 && !map->is_shared;
}

static void
miss(struct dt_exec *x, char *why)
{
	if (x->sys.nmissed++ == 0)
		x->sys.missed = why;
	else
		free(why);
}

/* Files that cannot be looked at are not traced, and the first is told. */
int
pr_sys_collect(struct dt_exec *x, struct pr_proc *p, pid_t pid, char **msg)
{
	struct proc_maps pm;
	char *why = NULL;

	if (x->sys.files == NULL)
		x->sys.files = dt_ufiles_create();
	if (proc_maps_read(&pm, pid, msg) != 0)
		return -ESRCH;
	VEC_FOREACH(&pm.maps, map) {
		const struct dt_ufile *file = is_code(map) ?
		    dt_ufiles_open(x->sys.files, pid, map) :
		    NULL;

		if (file != NULL && may_call(file->fd, map) &&
		    add_file(x, p, file, &why) != 0) {
			miss(x, why);
			why = NULL;
		}
	}
	proc_maps_fini(&pm);
	return 0;
}

void
pr_sys_tell(struct dt_exec *x, char **msg)
{
	char *more;

	if (x->sys.nmissed == 0)
		return;
	more =
	    mem_printf("%s%ssystem calls made by %zu files are not seen; the "
		       "first is %s",
		*msg != NULL ? *msg : "", *msg != NULL ? "; " : "",
		x->sys.nmissed, x->sys.missed);
	free(*msg);
	*msg = more;
	free(x->sys.missed);
	x->sys.missed = NULL;
	x->sys.nmissed = 0;
}

void
pr_sys_fini(struct dt_exec *x)
{
	dt_ufiles_destroy(x->sys.files);
	free(x->sys.missed);
}
