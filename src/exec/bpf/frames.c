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
 */
#include "exec/bpf/tr.h"

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

void
bx_frames_listeners(struct bx_tr *t)
{
	struct bx_asm *a = &t->a;
	bx_label done = bx_new_label(a);

	if (!t->lo->has_listeners)
		listeners_find(t->lo);
	bx_ldx(a, 8, R1, R10, FP_CTX);
	bx_mov(a, R2, R10);
	bx_alui(a, BPF_ADD, R2, FP_TMP);
	bx_movi(a, R3, 16);
	bx_movi(a, R4, OWN_FRAMES);
	bx_helper(a, H_GET_STACK);
	bx_movi(a, R4, OWN_FRAMES);
	for (int i = 0; i < 2; i++) {
		bx_ldx(a, 8, R1, R10, FP_TMP + 8 * i);
		expect_listener(t, done);
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
