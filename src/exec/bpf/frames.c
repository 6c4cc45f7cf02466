/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which frames of the kernel's stack are the tracer's own.
 *
 * bpf_get_stack() of a program on a raw tracepoint starts with
 *
 *	the program
 *	bpf_trace_run2()
 *	__bpf_trace_sys_enter()		no frame where the compiler made a jump
 *					of it (Debian's 6.1)
 *	__traceiter_sys_enter()		only while the tracepoint has other
 *					listeners, which come and go
 *	whoever contains the tracepoint
 *
 * So the program looks at the third and fourth frame each time: an address
 * within one of the two functions that may be there is left out.  Where those
 * are is asked of /proc/kallsyms, only for scripts that look at a stack.  Where
 * it hides addresses we show a frame too many rather than one too few.
 *
 * Where one program serves many tracepoints, the listeners of each are in its
 * entry of the group's table.
 */
#include "exec/bpf/tr.h"

#include <stdlib.h>
#include <string.h>

#include "base/kallsyms.h"

#define OWN_FRAMES 2		/* always there: the program, bpf_trace_run2() */

static const char *const listeners[BX_NLISTENERS] = { "__bpf_trace_sys_enter",
	"__traceiter_sys_enter", "__bpf_trace_sys_exit",
	"__traceiter_sys_exit" };

/* Also the parts that the compiler has split off: "name.isra.0". */
static bool
is_named(const char *symbol, const char *name)
{
	size_t len = strlen(name);

	return strncmp(symbol, name, len) == 0 &&
	    (symbol[len] == '\0' || symbol[len] == '.');
}

/*
 * Symbols come in the order of addresses; a function ends where the next
 * begins.  True when nothing more is to be found: modules come last, and have
 * none of these.
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

static void
listeners_find(struct bx_layout *lo)
{
	lo->has_listeners = true;
	kallsyms_each(look_at, lo->listeners);
}

/* Unless the address in r1 is within one of the functions, go to `out`. */
static void
expect_listener(struct bx_tr *t, bx_label out)
{
	struct bx_asm *a = &t->a;
	unsigned first = t->ctx == DT_CTX_SYS_ENTER ? 0 : 2;
	bx_label hit = bx_new_label(a);

	for (unsigned i = first; i < first + 2; i++) {
		const struct bx_code *c = &t->lo->listeners[i];

		if (c->len == 0 || c->len > INT32_MAX)
			continue;
		bx_movi(a, R2, c->start);
		bx_mov(a, R3, R1);
		bx_alu(a, BPF_SUB, R3, R2);
		bx_jcci(a, BPF_JLT, R3, (int32_t)c->len, hit);
	}
	bx_ja(a, out);
	bx_bind(a, hit);
}

/* FP_TMP <- the two frames that may be listeners; r4 <- how many are ours. */
static void
read_listeners(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;

	bx_ldx(a, 8, R1, R10, FP_CTX);
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, FP_TMP);
	bx_movi(a, R3, 16);
	bx_movi(a, R4, OWN_FRAMES);
	bx_helper(a, H_GET_STACK);
	bx_movi(a, R4, OWN_FRAMES);
}

void
bx_frames_listeners(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);

	if (!t->lo->has_listeners)
		listeners_find(t->lo);
	read_listeners(t);
	for (int i = 0; i < 2; i++) {
		bx_ldx(a, 8, R1, R10, FP_TMP + 8 * i);
		expect_listener(t, done);
		bx_alui(a, BPF_ADD, R4, 1);
	}
	bx_bind(a, done);
}

/* ---- any tracepoint ------------------------------------------------------ */

/* Where the listeners of a group's tracepoints are. */
struct finding {
	struct strtab names;	/* of the tracepoints */
	VEC(uint32_t) ids;	/* of each probe's */
	struct bx_code *code;	/* two for each name */
	struct bx_code *open;	/* ends where the next symbol begins */
	size_t left;
};

static const char *const kinds[] = { "__bpf_trace_", "__traceiter_" };

static bool
take_listener(const struct ksymbol *sym, void *arg)
{
	struct finding *f = arg;

	if (f->open != NULL)
		f->open->len = sym->addr - f->open->start;
	f->open = NULL;
	for (unsigned k = 0; k < 2; k++) {
		size_t len = strlen(kinds[k]);
		uint32_t id = strncmp(sym->name, kinds[k], len) == 0 ?
		    strtab_find(&f->names, sym->name + len) : 0;

		if (id == 0 || sym->addr == 0)
			continue;
		f->open = &f->code[2 * (id - 1) + k];
		f->open->start = sym->addr;
		f->left--;
	}
	return f->left == 0 && f->open == NULL;
}

static void
find_listeners(struct bx_tr *t)
{
	struct finding f = { 0 };

	strtab_init(&f.names);
	VEC_FOREACH(&t->probes, pp)
		VEC_PUSH(&f.ids, strtab_intern(&f.names, (*pp)->name));
	f.left = 2 * f.names.strs.n;
	f.code = mem_alloc(f.left * sizeof(*f.code));
	kallsyms_each(take_listener, &f);
	VEC_FOREACH(&f.ids, id) {
		VEC_PUSH(&t->listeners, f.code[2 * (*id - 1)]);
		VEC_PUSH(&t->listeners, f.code[2 * (*id - 1) + 1]);
	}
	strtab_fini(&f.names);
	VEC_FREE(&f.ids);
	free(f.code);
}

uint32_t
bx_listener(const struct bx_tr *t, const struct dt_probe *p, unsigned i)
{
	const uint32_t *place = idmap_get(&t->places, p->id);
	const struct bx_code *c;

	if (place == NULL || 2 * *place + i / 2 >= t->listeners.n)
		return 0;
	c = &t->listeners.v[2 * *place + i / 2];
	return (uint32_t)(i % 2 == 0 ? c->start : c->len);
}

/* Unless the address in r1 is within a listener of the probe, go to `out`.  The
 * lower half of an address tells: code of the kernel is within 2 GB. */
static void
expect_own_listener(struct bx_tr *t, bx_label out)
{
	struct bx_asm *a = &t->a;
	bx_label hit = bx_new_label(a);

	for (unsigned k = 0; k < 2; k++) {
		bx_probe_field(t, R2, BX_F_LISTEN + 2 * k);
		bx_probe_field(t, R5, BX_F_LISTEN + 2 * k + 1);
		bx_mov(a, R3, R1);
		bx_alu(a, BPF_SUB, R3, R2);
		bx_alui(a, BPF_LSH, R3, 32);
		bx_alui(a, BPF_RSH, R3, 32);
		bx_jcc(a, BPF_JLT, R3, R5, hit);
	}
	bx_ja(a, out);
	bx_bind(a, hit);
}

void
bx_frames_tracepoint(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);

	if (t->listeners.n == 0)
		find_listeners(t);
	read_listeners(t);
	for (int i = 0; i < 2; i++) {
		bx_ldx(a, 8, R1, R10, FP_TMP + 8 * i);
		expect_own_listener(t, done);
		bx_alui(a, BPF_ADD, R4, 1);
	}
	bx_bind(a, done);
}

void
bx_frames_program(struct bx_tr *t)
{
	bx_movi(&t->a, R4, 1);
}

/* The interrupted stack. */
void
bx_frames_none(struct bx_tr *t)
{
	bx_movi(&t->a, R4, 0);
}

/* The program and the trampoline that called it from the function. */
void
bx_frames_trampoline(struct bx_tr *t)
{
	bx_movi(&t->a, R4, 2);
}
