/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many places of real programs can be served, and how fast the plan is
 * made: every function's entry, every return, every instruction.
 */
#include "sites.h"

#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/vec.h"

#define BODY 0x7f0000000000

static const char *const set_names[] = { "entries", "returns", "instructions" };

/* ---- shares ------------------------------------------------------------- */

struct shares {
	size_t n[INPROC_NTACTICS], total, areas;
	double ms;
};

/* Imitate a process: the module, and other mappings below and above it. */
static uint64_t
lay_out(const struct file *f, struct inproc_space *space)
{
	uint64_t bias = elf_syms_is_fixed(f->es) ? 0 : 0x7f1234560000;

	inproc_space_init(space);
	if (bias == 0)
		inproc_space_busy(space, 0x400000, 0x8000000);
	else
		inproc_space_busy(space, bias - 0x300000, bias + 0x4000000);
	return bias;
}

/* An instruction that a window displaces, or the first or last byte that it
 * writes.  The number tells windows of several plans apart. */
struct part {
	uint64_t at;
	size_t window;
	bool is_insn;
};

struct parts {
	VEC(struct part) v;
	size_t nwindows;
};

static int
compare_parts(const void *pa, const void *pb)
{
	const struct part *a = pa, *b = pb;

	return (a->at > b->at) - (a->at < b->at);
}

static void
add_parts(struct parts *ps, const struct inproc_plan *plan)
{
	VEC_FOREACH(&plan->moves, m) {
		if (m->to != 0)
			VEC_PUSH(&ps->v,
			    ((struct part){
				m->from, ps->nwindows + m->window, true }));
	}
	VEC_FOREACH(&plan->writes, w) {
		size_t window = ps->nwindows + w->window;

		VEC_PUSH(&ps->v, ((struct part){ w->at, window, false }));
		VEC_PUSH(&ps->v,
		    ((struct part){ w->at + w->len - 1, window, false }));
	}
	ps->nwindows += plan->nwindows;
}

/*
 * Windows share no byte: in order of address, all parts of one window come
 * before those of the next.  A jump by way of padding has one part elsewhere,
 * so a window has two runs at most.
 */
static void
check_disjoint(struct parts *ps)
{
	size_t *runs = mem_alloc((ps->nwindows + 1) * sizeof(*runs));

	qsort(ps->v.v, ps->v.n, sizeof(*ps->v.v), compare_parts);
	for (size_t i = 0; i < ps->v.n; i++) {
		const struct part *p = &ps->v.v[i], *before = p - 1;

		if (i == 0 || before->window != p->window)
			runs[p->window]++;
		if (i != 0 && before->at == p->at)
			assert_true(before->window == p->window &&
			    !(before->is_insn && p->is_insn));
	}
	for (size_t i = 0; i < ps->nwindows; i++)
		assert_in_range(runs[i], 1, 2);
	free(runs);
	VEC_FREE(&ps->v);
}

static void
check_plan(const struct inproc_plan *plan, const struct points *ps)
{
	struct parts parts = { .nwindows = 0 };

	add_parts(&parts, plan);
	check_disjoint(&parts);
	assert_int_equal(plan->fates.n, ps->v.n);
	for (size_t i = 1; i < plan->writes.n; i++)
		assert_true(
		    plan->writes.v[i - 1].at + plan->writes.v[i - 1].len <=
		    plan->writes.v[i].at);
}

static struct shares
serve(const struct file *f, int set)
{
	struct shares s = { .total = 0 };
	struct inproc_space space;
	struct inproc_plan plan;
	struct points ps = { .body = { .emit = inproc_emit_call,
				 .addr = BODY,
				 .changes = 0xfc7 } };
	uint64_t bias = lay_out(f, &space);
	double start;

	find_points(f, set, &ps);
	start = now_ms();
	inproc_plan(f->m, bias, ps.v.v, ps.v.n, &space, &plan);
	s.ms = now_ms() - start;
	check_plan(&plan, &ps);
	VEC_FOREACH(&plan.fates, fate)
		s.n[fate->tactic]++;
	s.total = ps.v.n;
	s.areas = space.areas.n;
	if (getenv("SITES_TELL") != NULL) {
		for (size_t i = 0; i < ps.v.n; i++) {
			if (plan.fates.v[i].tactic == INPROC_REFUSED)
				fprintf(stderr, "# %llx (+%llx of %llx): %s\n",
				    (unsigned long long)ps.v.v[i].vaddr,
				    (unsigned long long)(ps.v.v[i].vaddr -
					ps.v.v[i].func),
				    (unsigned long long)ps.v.v[i].size,
				    plan.fates.v[i].why);
		}
	}
	inproc_plan_fini(&plan);
	inproc_space_fini(&space);
	VEC_FREE(&ps.v);
	return s;
}

static double
percent(size_t n, size_t of)
{
	return of == 0 ? 100 : 100.0 * (double)n / (double)of;
}

static void
tell(const char *path, int set, const struct shares *s)
{
	fprintf(stderr, "# %s: %zu %s:", path, s->total, set_names[set]);
	for (int t = 0; t < INPROC_NTACTICS; t++)
		fprintf(stderr, " %s %.2f%%;", inproc_tactic_text(t),
		    percent(s->n[t], s->total));
	fprintf(stderr, " %zu areas, %.1f ms\n", s->areas, s->ms);
}

/* Percentages.  A program of few functions may have one that is refused. */
static const double max_refused[NSETS] = {
	[ENTRIES] = 1, [RETURNS] = 3, [ALL] = 2
};

static void
check_file(const char *path)
{
	struct file f = { 0 };

	if (!file_open(&f, path))
		skip();
	fprintf(stderr, "# %s: looked at in %.1f ms\n", path, f.open_ms);
	for (int set = 0; set < NSETS; set++) {
		struct shares s = serve(&f, set);

		tell(path, set, &s);
		assert_true(s.total > 20);
		assert_true(s.n[INPROC_REFUSED] <= 1 ||
		    percent(s.n[INPROC_REFUSED], s.total) < max_refused[set]);
	}
	file_close(&f);
}

static void
sites_libc(void **state)
{
	(void)state;
	check_file("/lib/x86_64-linux-gnu/libc.so.6");
}

static void
sites_ld(void **state)
{
	(void)state;
	check_file("/lib64/ld-linux-x86-64.so.2");
}

static void
sites_bash(void **state)
{
	(void)state;
	check_file("/bin/bash");
}

static void
sites_python(void **state)
{
	(void)state;
	check_file("/usr/bin/python3");
}

static void
sites_sqlite(void **state)
{
	(void)state;
	check_file("/usr/lib/x86_64-linux-gnu/libsqlite3.so.0");
}

/* Every second instruction, then the others: earlier patches stay whole. */
static void
sites_twice(void **state)
{
	struct file f = { 0 };
	struct inproc_space space;
	struct inproc_plan plans[2];
	struct points ps = { .body = { .emit = inproc_emit_call,
				 .addr = BODY,
				 .changes = 0xfc7 } };
	struct points halves[2] = { 0 };
	struct parts parts = { .nwindows = 0 };
	uint64_t bias;

	(void)state;
	assert_true(file_open(&f, "/lib/x86_64-linux-gnu/libc.so.6"));
	bias = lay_out(&f, &space);
	find_points(&f, ALL, &ps);
	for (size_t i = 0; i < ps.v.n; i++)
		VEC_PUSH(&halves[i % 2].v, ps.v.v[i]);
	for (size_t i = 0; i < 2; i++) {
		inproc_plan(
		    f.m, bias, halves[i].v.v, halves[i].v.n, &space, &plans[i]);
		add_parts(&parts, &plans[i]);
	}
	check_disjoint(&parts);
	assert_true(plans[0].nwindows > 1000 && plans[1].nwindows > 1000);
	for (size_t i = 0; i < 2; i++) {
		inproc_plan_fini(&plans[i]);
		VEC_FREE(&halves[i].v);
	}
	inproc_space_fini(&space);
	VEC_FREE(&ps.v);
	file_close(&f);
}

/* ---- system calls ------------------------------------------------------- */

/* A point with the function at an address; without one, the address itself. */
static struct inproc_point
point_at(const struct file *f, uint64_t vaddr, bool stays)
{
	const struct elf_sym *sym = elf_syms_by_addr(f->es, vaddr);

	return (struct inproc_point){ .vaddr = vaddr,
		.func = sym != NULL ? sym->value : vaddr,
		.size = sym != NULL ? sym->size : 0,
		.stays = stays,
		.body = { .emit = inproc_emit_call,
		    .addr = BODY,
		    .changes = 0xfc7 } };
}

/* Does the plan carry out the instruction elsewhere? */
static bool
is_moved(const struct inproc_plan *plan, uint64_t addr)
{
	VEC_FOREACH(&plan->moves, m) {
		if (m->from == addr && m->to != 0)
			return true;
	}
	return false;
}

/* Points before and behind each system call: all are served, and nearly all
 * instructions stay in place, because nothing is written there. */
static void
sites_syscalls(void **state)
{
	struct file f = { 0 };
	struct inproc_syscalls calls = { 0 };
	struct inproc_space space;
	struct inproc_plan plan;
	struct points ps = { 0 };
	size_t moved = 0, known = 0, refused = 0;
	uint64_t bias;

	(void)state;
	assert_true(file_open(&f, "/lib/x86_64-linux-gnu/libc.so.6"));
	bias = lay_out(&f, &space);
	inproc_find_syscalls(f.m, &calls);
	VEC_FOREACH(&calls.v, c) {
		VEC_PUSH(&ps.v, point_at(&f, c->vaddr, true));
		if (c->has_next)
			VEC_PUSH(&ps.v, point_at(&f, c->vaddr + 2, false));
		known += c->nr >= 0;
	}
	inproc_plan(f.m, bias, ps.v.v, ps.v.n, &space, &plan);
	check_plan(&plan, &ps);
	VEC_FOREACH(&calls.v, c)
		moved += is_moved(&plan, bias + c->vaddr);
	VEC_FOREACH(&plan.fates, fate)
		refused += fate->tactic == INPROC_REFUSED;
	fprintf(stderr,
	    "# system calls: %zu, %zu with a known number; %zu moved, %zu of "
	    "%zu points refused\n",
	    calls.v.n, known, moved, refused, ps.v.n);
	assert_true(calls.v.n > 300);
	assert_true(percent(known, calls.v.n) > 80);
	assert_true(percent(moved, calls.v.n) < 5);
	assert_int_equal(refused, 0);
	inproc_plan_fini(&plan);
	inproc_space_fini(&space);
	VEC_FREE(&ps.v);
	VEC_FREE(&calls.v);
	file_close(&f);
}

static int
start(void **state)
{
	struct err err = { 0 };

	(void)state;
	return x86_init(&err);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites_libc),
		cmocka_unit_test(sites_ld),
		cmocka_unit_test(sites_bash),
		cmocka_unit_test(sites_python),
		cmocka_unit_test(sites_sqlite),
		cmocka_unit_test(sites_twice),
		cmocka_unit_test(sites_syscalls),
	};

	return cmocka_run_group_tests_name("sites", tests, start, NULL);
}
