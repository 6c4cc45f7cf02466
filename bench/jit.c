/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compare compiled DIF with gcc -O2's code for the same expressions.
 *
 * Each pair is called in turn, with the same values, as functions that take
 * their arguments from memory.  Compiled code has registers of its own, so the
 * same few instructions lead into it and into gcc's code.  Prints a line per
 * pair: the lower quartiles of the rounds.  Rounds are short, so that other
 * load on the machine spoils single rounds, not the answer.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "clock.h"
#include "codegen/codegen.h"
#include "exec/jit/machine.h"

#define CALLS 20000
#define ROUNDS 1000

#define A(n) ((int64_t)vm->vars[RT_VAR_ARG0 + (n)])
#define C(name, expr)                                                          \
	static __attribute__((noinline)) uint64_t name(struct rt_vm *vm)       \
	{                                                                      \
		(void)vm;                                                      \
		return (uint64_t)(expr);                                       \
	}

#define arg0 A(0)
#define arg1 A(1)
#define arg2 A(2)
#define arg3 A(3)
/* name, text in D, text in C */
#define EXPRESSIONS(X)                                                         \
	X(constant, 42)                                                        \
	X(argument, arg0)                                                      \
	X(sum, arg0 + arg1)                                                    \
	X(product, (arg0 + 3) * (arg1 - 5))                                    \
	X(shifts, (arg0 << 4 | arg1 >> 7) ^ arg2)                              \
	X(compare, arg0 > 100 && arg1 != 7)                                    \
	X(choose, arg0 < arg1 ? arg2 : arg3)                                   \
	X(divide, arg0 / 1000 + arg1 % 10)                                     \
	X(chain,                                                               \
	    (((((((arg0 + arg1) * 3) ^ arg2) - arg3 + 17) | 5) +               \
		 (arg1 & 255) - (arg2 << 3) + (arg3 >> 2)) ^                   \
		((arg0 | arg2) + 1000 - arg1 * arg2 + (arg0 ^ 7) +             \
		    (arg3 & 4095) - (arg1 | 3) + (arg2 - arg0) * 9)) +         \
		((arg3 + 12) ^ (arg0 - 4)) - (arg1 >> 5) + (arg0 & arg3))
#define DEFINE(name, expr) C(c_##name, expr)
EXPRESSIONS(DEFINE)
#undef arg0
#undef arg1
#undef arg2
#undef arg3

/* Strings of different lengths: D compares them as strcmp() does. */
static const char left[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";
static const char *volatile right = left;

static __attribute__((noinline)) uint64_t
c_string(struct rt_vm *vm)
{
	(void)vm;
	return strcmp(right, "/usr/lib/x86_64-linux-gnu/libc.so.7") == 0;
}

static const struct expression {
	const char *name, *text;
	jit_object_f *c;
} expressions[] = {
#define ROW(name, expr) { #name, #expr, c_##name },
	EXPRESSIONS(ROW)
#undef ROW
	    { "string", "probefunc == \"/usr/lib/x86_64-linux-gnu/libc.so.7\"",
		c_string },
};

static uint64_t
empty(struct rt_vm *vm)
{
	return (uint64_t)(uintptr_t)vm;
}

/* Call `entered` through the same instructions that machine.c puts before
 * compiled code. */
static __attribute__((used)) jit_object_f *entered;
uint64_t enter(struct rt_vm *vm);
__asm__(".text\n"
	".globl enter\n"
	"enter:\n"
	"	push %rbx\n"
	"	sub $8, %rsp\n"
	"	mov %rdi, %rbx\n"
	"	call *entered(%rip)\n"
	"	add $8, %rsp\n"
	"	pop %rbx\n"
	"	ret\n");

static double
time_calls(jit_object_f *f, struct rt_vm *vm)
{
	jit_object_f *volatile g = f;
	uint64_t start = now_ns();

	for (int i = 0; i < CALLS; i++)
		g(vm);
	return (double)(now_ns() - start) / CALLS;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
quartile(double *v)
{
	qsort(v, ROUNDS, sizeof(*v), compare);
	return v[ROUNDS / 4];
}

struct compiled {
	struct diags diags;
	struct arena arena;
	struct cg_session *session;
	struct dif_prog *prog;
};

/* Compile BEGIN { trace(EXPRESSION); }. */
static void
compile(struct compiled *c, const char *expression)
{
	char *text = mem_printf("BEGIN { trace(%s); }", expression);
	struct lang_compile lc = { .text = text,
		.len = strlen(text),
		.pspec = LANG_PSPEC_NAME,
		.arena = &c->arena,
		.diags = &c->diags,
		.target = -1 };

	diags_init(&c->diags);
	arena_init(&c->arena);
	c->session = cg_session_create();
	c->prog = cg_compile(c->session, &lc, lang_parse(&lc));
	if (c->prog == NULL) {
		fprintf(stderr, "bench/jit: %s does not compile\n", expression);
		exit(1);
	}
	free(text);
}

static void
release(struct compiled *c)
{
	dif_prog_destroy(c->prog);
	cg_session_destroy(c->session);
	diags_fini(&c->diags);
	arena_fini(&c->arena);
}

static void
bench(const struct expression *e)
{
	double ours[ROUNDS], theirs[ROUNDS], loop[ROUNDS], x, y;
	struct in_firing firing = { .thread = 1 };
	struct rt_range names = { (uintptr_t)left, sizeof(left), 0 };
	const struct in_opts opts = { .strsize = 256,
		.scratchsize = 4096,
		.dynvarsize = 4096,
		.kernel = { &names, 1 } };
	const struct dif_obj *objs[1];
	struct compiled c;
	struct err err = { 0 };
	struct jit_machine *m;
	struct rt_vm *vm;
	jit_object_f *f;

	compile(&c, e->text);
	objs[0] = c.prog->clauses.v[0].actions.v[0].difo;
	m = jit_machine_create(&opts, objs, 1, &err);
	if (m == NULL) {
		fprintf(stderr, "bench/jit: %s\n", err_text(&err));
		exit(1);
	}
	for (unsigned i = 0; i < 4; i++)
		firing.vars[RT_VAR_ARG0 + i] = 1000 + 77777 * i;
	firing.vars[RT_VAR_PROBEFUNC] = (uintptr_t)left;
	jit_fire(m, &firing);
	f = jit_entry(m, 0, &vm);
	if ((int64_t)f(vm) != (int64_t)e->c(vm))
		printf("# %s: %lld | %lld\n", e->name, (long long)f(vm),
		    (long long)e->c(vm));
	for (int i = 0; i < ROUNDS; i++) {
		ours[i] = time_calls(f, vm);
		entered = e->c;
		theirs[i] = time_calls(enter, vm);
		entered = empty;
		loop[i] = time_calls(enter, vm);
	}
	x = quartile(ours);
	y = quartile(theirs);
	printf("%-9s %6.2f ns, gcc %6.2f ns, an empty call %.2f: ratio %.2f\n",
	    e->name, x, y, quartile(loop), x / y);
	jit_machine_destroy(m);
	release(&c);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(expressions) / sizeof(expressions[0]);
	     i++)
		bench(&expressions[i]);
	return 0;
}
