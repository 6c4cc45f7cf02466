/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sites: the cost that a jump to a trampoline and back adds to a call in this
 * process, by the registers that the trampoline saves; a line "NAME FIGURE"
 * each.  Also the time to analyse libc, and to plan all of its entries and
 * returns.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "clock.h"
#include "inproc/inproc.h"
#include "sym/elf_syms.h"
#include "x86/insn.h"

#define CALLS 1000000
#define ROUNDS 31
#define CODE_SIZE 4096
#define LIBC "/lib/x86_64-linux-gnu/libc.so.6"

static void
fail(const char *what)
{
	fprintf(stderr, "sites: %s\n", what);
	exit(1);
}

/* A function as compilers write them; its flags are in use in its middle. */
void sites_f(long n);
/* clang-format off */
__asm__(".text\n.p2align 4\n.globl sites_f\n.type sites_f,@function\n"
	"sites_f:\n"
	"	push %rbx\n"
	"	mov %rdi,%rbx\n"
	"	test %rdi,%rdi\n"
	"sites_middle:\n"
	"	lea 8(%rbx),%rax\n"
	"	mov %rax,%rdx\n"
	"	js 1f\n"
	"	add %rdx,%rax\n"
	"1:	pop %rbx\n"
	"	ret\n"
	".size sites_f,.-sites_f\n");
/* clang-format on */
#define MIDDLE 7 /* sites_middle - sites_f */
#define SIZE 21

static double
cost(void)
{
	uint64_t best = UINT64_MAX;

	for (int r = 0; r < ROUNDS; r++) {
		uint64_t begin = now_ns(), ns;

		for (long i = 0; i < CALLS; i++)
			sites_f(i);
		ns = now_ns() - begin;
		best = ns < best ? ns : best;
	}
	return (double)best / CALLS;
}

static void
emit_nothing(const struct inproc_body *b, uint64_t at, struct strbuf *code)
{
	(void)b;
	(void)at;
	(void)code;
}

/* ---- in this process ---------------------------------------------------- */

static void
write_plan(const struct inproc_plan *plan, const struct inproc_space *space)
{
	VEC_FOREACH(&space->areas, a) {
		if (mmap((void *)a->lo, a->hi - a->lo,
			PROT_READ | PROT_WRITE | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
			0) != (void *)a->lo)
			fail("no room for trampolines");
	}
	VEC_FOREACH(&plan->texts, t)
		memcpy((void *)t->at, plan->code.s + t->off, t->len);
	VEC_FOREACH(&plan->writes, w)
		memcpy((void *)w->at, w->new, w->len);
}

static void
undo(const struct inproc_plan *plan, const struct inproc_space *space)
{
	VEC_FOREACH(&plan->writes, w)
		memcpy((void *)w->at, w->old, w->len);
	VEC_FOREACH(&space->areas, a)
		munmap((void *)a->lo, a->hi - a->lo);
}

static void
busy_mappings(struct inproc_space *space)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	if (f == NULL)
		fail("no /proc");
	while (fgets(line, sizeof(line), f) != NULL) {
		unsigned long lo, hi;

		if (sscanf(line, "%lx-%lx", &lo, &hi) == 2)
			inproc_space_busy(space, lo, hi + (1 << 24));
	}
	fclose(f);
}

static void
measure(struct inproc_module *m, uint64_t bias, const char *name, uint64_t off,
    uint16_t changes, double base)
{
	uint64_t func = (uint64_t)(uintptr_t)sites_f - bias;
	struct inproc_point p = { .vaddr = func + off,
		.func = func,
		.size = SIZE,
		.body = { .emit = emit_nothing,
		    .changes = changes,
		    .keeps_flags = changes == 0 } };
	struct inproc_space space;
	struct inproc_plan plan;

	inproc_space_init(&space);
	busy_mappings(&space);
	inproc_plan(m, bias, &p, 1, &space, &plan);
	if (plan.fates.v[0].tactic == INPROC_REFUSED)
		fail(plan.fates.v[0].why);
	write_plan(&plan, &space);
	printf("%s %.2f ns\n", name, cost() - base);
	undo(&plan, &space);
	inproc_plan_fini(&plan);
	inproc_space_fini(&space);
}

static struct inproc_module *
look_at(const char *path, struct elf_syms **es, double *ms)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct inproc_module *m = NULL;
	struct err err = { 0 };
	uint64_t begin;

	*es = fd < 0 ? NULL : elf_syms_open(fd, NULL, "", &err);
	begin = now_ns();
	if (*es != NULL)
		m = inproc_module_open(fd, *es, &err);
	*ms = (double)(now_ns() - begin) / 1e6;
	if (m == NULL)
		fail(err_is_set(&err) ? err_text(&err) : path);
	close(fd);
	return m;
}

static void
measure_calls(void)
{
	uint64_t page = (uint64_t)(uintptr_t)sites_f & -(uint64_t)CODE_SIZE;
	struct elf_syms *es;
	Dl_info info;
	double ms, base;
	struct inproc_module *m = look_at("/proc/self/exe", &es, &ms);

	if (dladdr((void *)(uintptr_t)sites_f, &info) == 0 ||
	    mprotect((void *)page, 2 * CODE_SIZE,
		PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		fail("own code cannot be changed");
	base = cost();
	for (int i = 0; i < 2; i++) {
		uint64_t bias = elf_syms_is_fixed(es) ?
		    0 :
		    (uint64_t)(uintptr_t)info.dli_fbase;
		uint64_t off = i == 0 ? 0 : MIDDLE;
		const char *const names[2][3] = { { "entry+0", "entry+2",
						      "entry+9" },
			{ "middle+0", "middle+2+flags", "middle+9+flags" } };

		measure(m, bias, names[i][0], off, 0, base);
		measure(m, bias, names[i][1], off, 0x3, base);
		measure(m, bias, names[i][2], off, 0xfc7, base);
	}
	inproc_module_close(m);
	elf_syms_rele(es);
}

/* ---- libc --------------------------------------------------------------- */

static void
measure_libc(void)
{
	VEC(struct inproc_point) points = { 0 };
	struct inproc_space space;
	struct inproc_plan plan;
	struct elf_syms *es;
	uint64_t begin;
	double ms;
	struct inproc_module *m = look_at(LIBC, &es, &ms);

	printf("libc %.1f ms\n", ms);
	for (size_t i = 0; i < elf_syms_count(es); i++) {
		const struct elf_sym *sym = elf_syms_get(es, i);
		struct inproc_point p = { .vaddr = sym->value,
			.func = sym->value,
			.size = sym->size,
			.body = { .emit = emit_nothing, .changes = 0xfc7 } };

		if (elf_sym_is_code(sym) && sym->size != 0)
			VEC_PUSH(&points, p);
	}
	inproc_space_init(&space);
	begin = now_ns();
	inproc_plan(m, 1ULL << 40, points.v, points.n, &space, &plan);
	printf("plan %.1f ms for %zu entries\n",
	    (double)(now_ns() - begin) / 1e6, points.n);
	inproc_plan_fini(&plan);
	inproc_space_fini(&space);
	VEC_FREE(&points);
	inproc_module_close(m);
	elf_syms_rele(es);
}

int
main(void)
{
	struct err err = { 0 };

	if (x86_init(&err) != 0)
		fail(err_text(&err));
	measure_calls();
	measure_libc();
	return 0;
}
