/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Find the frames of the kernel's stack that are the tracer's own.
 *
 * bpf_get_stack() of a program on a raw tracepoint starts with
 *
 *	the program
 *	bpf_trace_run2()
 *	__bpf_trace_sys_enter()		no frame where the compiler made a jump
 *					of it, as it does of most unless the
 *					kernel is built with frame pointers
 *	__traceiter_sys_enter()		only while the tracepoint has other
 *					listeners, which come and go
 *	the function that contains the tracepoint
 *
 * So the program looks at the third and fourth frame each time, and skips an
 * address within one of the two functions that may be there.  Their addresses
 * come from /proc/kallsyms, read only for scripts that take a stack.  Where
 * that hides addresses, a stack shows a frame too many rather than one too few.
 *
 * __bpf_trace_*() of other tracepoints has the name of the event's class, which
 * is not known here.  The program recognizes it by the call that its frame
 * returns to: a call of bpf_trace_run2().  Where one program serves many
 * tracepoints, the group's table holds the address of each one's
 * __traceiter_*().
 */
#include "exec/bpf/tr.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/kallsyms.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define OWN_FRAMES 2 /* always there: the program, bpf_trace_run2() */
#define CALL_MAX 16  /* bytes: endbr64 and a call are 9 */

static const char *const listeners[BX_NLISTENERS] = { "__bpf_trace_sys_enter",
	"__traceiter_sys_enter", "__bpf_trace_sys_exit",
	"__traceiter_sys_exit" };

/* Does the symbol have that name?  Includes parts split off by the compiler:
 * "name.isra.0". */
static bool
is_named(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return strncmp(symbol, name, len) == 0 &&
	    (symbol[len] == '\0' || symbol[len] == '.');
}

/*
 * Note the function of a symbol.  Symbols come in the order of addresses; a
 * function ends where the next begins.  True when the search is over: modules
 * come last, and have none of these functions.
 */
static bool
look_at(const struct ksymbol *sym, void *arg)
{
	struct bx_code *code = arg;
	unsigned found = 0;

	for (unsigned i = 0; i < BX_NLISTENERS; i++) {
		if (code[i].start == 0 && is_named(sym->name, listeners[i]))
			code[i].start = sym->addr;
		else if (code[i].start != 0 && code[i].len == 0 &&
		    sym->addr > code[i].start)
			code[i].len = sym->addr - code[i].start;
		found += code[i].len != 0;
	}
	return found == BX_NLISTENERS || strcmp(sym->module, "vmlinux") != 0;
}

/* Pass all kernel symbols to `f`.  A kernel without the list is treated as one
 * that hides addresses. */
static void
look_through(
    struct bx_tr *t, bool (*f)(const struct ksymbol *sym, void *arg), void *arg)
{
	errno = 0;
	if (!kallsyms_each(f, arg) && errno != ENOENT)
		bx_refuse(t, t->facts->clauses.v[0]->clause->span,
		    "cannot read the kernel's symbols, which a stack needs: "
		    "/proc/kallsyms: %s",
		    strerror(errno));
}

static void
listeners_find(struct bx_tr *t)
{
	t->lo->has_listeners = true;
	look_through(t, look_at, t->lo->listeners);
}

static bool
is_known(const struct bx_code *c)
{
	return c->len != 0 && c->len <= INT32_MAX;
}

/* The first of the two functions that may be on the stack. */
static const struct bx_code *
candidates(const struct bx_tr *t)
{
	return &t->lo->listeners[t->facts->ctx == BX_CTX_SYS_ENTER ? 0 : 2];
}

/* Go to `out` unless the address in r1 is within one of the functions.  One of
 * them at least must be known. */
static void
expect_listener(struct bx_tr *t, bx_label out)
{
	const struct bx_code *first = candidates(t);
	struct bx_asm *a = &t->a;
	bx_label hit = bx_new_label(a);

	for (const struct bx_code *c = first; c < first + 2; c++) {
		if (!is_known(c))
			continue;
		bx_movi(a, R2, c->start);
		bx_mov(a, R3, R1);
		bx_alu(a, BPF_SUB, R3, R2);
		bx_jcci(a, BPF_JLT, R3, (int32_t)c->len, hit);
	}
	bx_ja(a, out);
	bx_bind(a, hit);
}

/* Read n frames to the stack at `off`, without the first `skip`. */
static void
read_frames(struct bx_tr *t, int off, int skip, int n)
{
	struct bx_asm *a = &t->a;

	bx_ldx(a, 8, R1, R10, FP_CTX);
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, off);
	bx_movi(a, R3, 8 * n);
	bx_movi(a, R4, skip);
	bx_helper(a, H_GET_STACK);
}

void
bx_frames_listeners(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	const struct bx_code *c = candidates(t);
	bx_label done;

	if (!t->lo->has_listeners)
		listeners_find(t);
	if (!is_known(c) && !is_known(c + 1)) {
		bx_movi(a, R4, OWN_FRAMES);
		return;
	}
	done = bx_new_label(a);
	read_frames(t, FP_TMP, OWN_FRAMES, 2);
	bx_movi(a, R4, OWN_FRAMES);
	for (int i = 0; i < 2; i++) {
		bx_ldx(a, 8, R1, R10, FP_TMP + 8 * i);
		expect_listener(t, done);
		bx_alui(a, BPF_ADD, R4, 1);
	}
	bx_bind(a, done);
}

/* ---- any tracepoint ------------------------------------------------------ */

#define LISTENER "__traceiter_"
#define LISTENER_MAX 4096 /* bytes, a generous bound */
#define RUN_MAX 4096	  /* bytes of bpf_trace_run2(), likewise */
#define FP_FRAMES                                                              \
	FP_ERRNO /* free here: only returns of system calls use
				 * FP_ERRNO */

/* Search for the listeners of a group's tracepoints. */
struct frames_finding {
	struct strtab names;  /* tracepoints */
	VEC(uint32_t) ids;    /* per probe: id of its name */
	struct bx_code *code; /* per name: its listener */
	size_t left;
	VEC(uint64_t) starts; /* starts of all functions */
};

/* Note a listener.  When all are found, the next function of vmlinux ends the
 * search; modules' symbols come in no order. */
static bool
take_listener(const struct ksymbol *sym, void *arg)
{
	const size_t len = strlen(LISTENER);
	struct frames_finding *f = arg;
	uint32_t id;

	if (!ksym_is_code(sym->type) || sym->addr == 0)
		return false;
	VEC_PUSH(&f->starts, sym->addr);
	if (f->left == 0)
		return strcmp(sym->module, "vmlinux") == 0;
	id = strncmp(sym->name, LISTENER, len) == 0 ?
	    strtab_find(&f->names, sym->name + len) :
	    0;
	if (id != 0 && f->code[id - 1].start == 0) {
		f->code[id - 1].start = sym->addr;
		f->left--;
	}
	return false;
}

static int
cmp_address(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The length of a function: it ends where the next in `starts` (sorted)
 * begins. */
static uint64_t
length_of(const struct frames_finding *f, uint64_t start)
{
	size_t lo = 0, hi = f->starts.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->starts.v[mid] > start)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (lo == f->starts.n || f->starts.v[lo] - start > LISTENER_MAX)
		return 0;
	return f->starts.v[lo] - start;
}

static void
find_listeners(struct bx_tr *t)
{
	struct frames_finding f = { 0 };

	strtab_init(&f.names);
	VEC_FOREACH(&t->facts->probes, pp)
		VEC_PUSH(&f.ids, strtab_intern(&f.names, (*pp)->name));
	f.left = f.names.strs.n;
	f.code = mem_alloc(f.left * sizeof(*f.code));
	look_through(t, take_listener, &f);
	if (f.starts.n > 0)
		qsort(f.starts.v, f.starts.n, sizeof(*f.starts.v), cmp_address);
	VEC_FOREACH(&f.ids, id) {
		struct bx_code *c = &f.code[*id - 1];

		c->len = length_of(&f, c->start);
		VEC_PUSH(&t->entry.listeners, *c);
	}
	strtab_fini(&f.names);
	VEC_FREE(&f.ids);
	VEC_FREE(&f.starts);
	free(f.code);
}

uint32_t
bx_listener(const struct bx_tr *t, const struct dt_probe *p, unsigned i)
{
	const uint32_t *place = idmap_get(&t->facts->places, p->id);
	const struct bx_code *c;

	if (place == NULL || *place >= t->entry.listeners.n)
		return 0;
	c = &t->entry.listeners.v[*place];
	return (uint32_t)(i == 0 ? c->start : c->len);
}

/*
 * If the address at `off` is within the probe's __traceiter_*(), go to `hit`.
 * The lower half of an address tells: code of the kernel is within 2 GB.
 */
static void
jump_if_listener(struct bx_tr *t, int off, bx_label hit)
{
	struct bx_asm *a = &t->a;

	bx_ldx(a, 8, R3, R10, off);
	bx_probe_field(t, R2, BX_F_LISTEN);
	bx_alu(a, BPF_SUB, R3, R2);
	bx_alui(a, BPF_LSH, R3, 32);
	bx_alui(a, BPF_RSH, R3, 32);
	bx_probe_field(t, R2, BX_F_LISTEN + 1);
	bx_jcc(a, BPF_JLT, R3, R2, hit);
}

/*
 * Go to `out` unless the third frame's function has called the second's.  The
 * call is right before the return address, and ends with the distance to its
 * target from that address.
 */
static void
expect_call(struct bx_tr *t, bx_label out)
{
	struct bx_asm *a = &t->a;

	bx_ldx(a, 8, R3, R10, FP_FRAMES + 8);
	bx_alui(a, BPF_SUB, R3, 4);
	bx_read_kernel(a, FP_FRAMES + 16, 4);
	bx_movi(a, R4, OWN_FRAMES);
	bx_jcci(a, BPF_JNE, R0, 0, out);
	bx_ldx(a, 4, R2, R10, FP_FRAMES + 16);
	bx_alui(a, BPF_LSH, R2, 32);
	bx_alui(a, BPF_ARSH, R2, 32);
	bx_ldx(a, 8, R1, R10, FP_FRAMES + 8);
	bx_alu(a, BPF_ADD, R1, R2);
	bx_ldx(a, 8, R3, R10, FP_FRAMES);
	bx_alu(a, BPF_SUB, R3, R1);
	bx_jcci(a, BPF_JGE, R3, RUN_MAX, out);
}

/* If the fourth frame is __traceiter_*(), its callee is the third. */
void
bx_frames_tracepoint(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);

	if (t->entry.listeners.n == 0)
		find_listeners(t);
	read_frames(t, FP_FRAMES, OWN_FRAMES - 1, 3);
	bx_movi(a, R4, OWN_FRAMES + 2);
	jump_if_listener(t, FP_FRAMES + 16, done);
	bx_movi(a, R4, OWN_FRAMES + 1);
	jump_if_listener(t, FP_FRAMES + 8, done);
	expect_call(t, done);
	bx_movi(a, R4, OWN_FRAMES + 1);
	bx_bind(a, done);
}

void
bx_frames_program(struct bx_tr *t)
{
	bx_movi(&t->a, R4, 1);
}

/* The stack is the interrupted one. */
void
bx_frames_none(struct bx_tr *t)
{
	bx_movi(&t->a, R4, 0);
}

/*
 * Two own frames: the program, and the trampoline that called it from the
 * function.
 *
 * A function that jumps to its trampoline (Linux 6.19 and later, unless only
 * its entry is traced) has no frame.  Then the trampoline's frame stays, and
 * bx_frames_fix() overwrites it with the function's address from FP_TMP.
 * FP_TMP is 0 if the function calls its trampoline: the return address is then
 * right after the function's start.
 */
void
bx_frames_trampoline(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);

	read_frames(t, FP_TMP, 2, 1);
	bx_ldx(a, 8, R1, R10, FP_CTX);
	bx_helper(a, H_GET_FUNC_IP);
	bx_ldx(a, 8, R1, R10, FP_TMP);
	bx_alu(a, BPF_SUB, R1, R0);
	bx_stx(a, 8, R10, FP_TMP, R0);
	bx_movi(a, R4, 1);
	bx_jcci(a, BPF_JGE, R1, CALL_MAX, done);
	bx_sti(a, 8, R10, FP_TMP, 0);
	bx_movi(a, R4, 2);
	bx_bind(a, done);
}

void
bx_frames_fix(struct bx_tr *t, int reg, int off)
{
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);

	if (bx_ctx(t->facts->ctx)->own_frames != bx_frames_trampoline)
		return;
	bx_jcci(a, BPF_JSLT, R0, 8, done);
	bx_ldx(a, 8, R1, R10, FP_TMP);
	bx_jcci(a, BPF_JEQ, R1, 0, done);
	bx_stx(a, 8, reg, off, R1);
	bx_bind(a, done);
}
