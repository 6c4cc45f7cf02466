/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Print what the planter would do to a file, without a process.
 *
 *	plan_dump [-d] [-n MAX] FILE
 *
 * The planter sees the file alone; with -d, also the file of debug information
 * that belongs to it.  The file is planned once for each kind of place: the
 * entries of its functions, their returns, every instruction, and system calls.
 * Functions are those of the symbols, and those that the planter finds where no
 * symbol is.  With -n, functions are left out evenly until about MAX
 * instructions remain.
 *
 * One line for each fact, all numbers hexadecimal; addresses are a process's:
 *
 *	file BIAS			added to the file's addresses
 *	refused WHY			the file, as a whole
 *	mode NAME			the next lines are of this plan
 *	w ADDR OLD NEW			bytes that are replaced
 *	t ADDR BYTES			code of a trampoline
 *	m FROM TO FIRST			an instruction, and its copy; FIRST is 1
 *					where a window begins
 *	p ID ADDR TACTIC		a point that is served
 *	r NUMBER WHY			points that were refused
 *
 * A body is one NOP that holds the point's ID: 0f 1f 80 and four bytes.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "points.h"

#include "base/str.h"
#include "base/vec.h"
#include "x86/insn.h"

#define PIE_BIAS 0x7f1234560000
/* Other files are mapped below and above, as in a process. */
#define BELOW 0x300000
#define ABOVE 0x10000000

struct range {
	uint64_t start, size;
};

struct subject {
	struct elf_syms *es;
	struct inproc_module *m;
	uint64_t bias;
	VEC(struct range) functions;
	size_t every; /* take one function of so many */
};

/* ---- functions ---------------------------------------------------------- */

static bool
is_function(const struct subject *s, const struct elf_sym *sym)
{
	const struct ip_text *t = ip_text_at(s->m, sym->value);

	return sym->size != 0 && t != NULL && elf_sym_is_code(sym) &&
	    sym->kind != ELF_SYM_PLT &&
	    sym->size <= t->len - (sym->value - t->vaddr);
}

static int
compare_ranges(const void *pa, const void *pb)
{
	const struct range *a = pa, *b = pb;

	return (a->start > b->start) - (a->start < b->start);
}

/* Add functions by symbols; of overlapping ones, the first counts. */
static void
add_named(struct subject *s)
{
	uint64_t end = 0;

	for (size_t i = 0; i < elf_syms_count(s->es); i++) {
		const struct elf_sym *sym = elf_syms_get(s->es, i);

		if (!is_function(s, sym) || sym->value < end)
			continue;
		VEC_PUSH(
		    &s->functions, ((struct range){ sym->value, sym->size }));
		end = sym->value + sym->size;
	}
}

/* Does [start, end) overlap one of the first n functions? */
static bool
is_covered(const struct subject *s, size_t n, uint64_t start, uint64_t end)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct range *r = &s->functions.v[mid];

		if (r->start + r->size <= start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && s->functions.v[lo].start < end;
}

/* Add unnamed functions, each from one beginning to the next. */
static void
add_unnamed_of(struct subject *s, size_t named, const struct ip_text *t)
{
	size_t start = 0;

	for (size_t off = 1; off <= t->len; off++) {
		if (off < t->len &&
		    (t->marks[off] & (MARK_FUNC | MARK_LABEL)) != MARK_FUNC)
			continue;
		if (!is_covered(s, named, t->vaddr + start, t->vaddr + off))
			VEC_PUSH(&s->functions,
			    ((struct range){ t->vaddr + start, off - start }));
		start = off;
	}
}

static void
add_unnamed(struct subject *s)
{
	size_t named = s->functions.n;

	VEC_FOREACH(&s->m->texts, t)
		add_unnamed_of(s, named, t);
}

static void
find_functions(struct subject *s)
{
	add_named(s);
	add_unnamed(s);
	if (s->functions.n != 0)
		qsort(s->functions.v, s->functions.n, sizeof(*s->functions.v),
		    compare_ranges);
}

/* ---- points ------------------------------------------------------------- */

static void
emit_id(const struct inproc_body *b, uint64_t at, struct strbuf *code)
{
	static const uint8_t nop[] = { 0x0f, 0x1f, 0x80 };

	(void)at;
	strbuf_add(code, nop, sizeof(nop));
	strbuf_add(code, &b->id, sizeof(b->id));
}

static void
find_set(const struct subject *s, int set, struct points *ps)
{
	for (size_t i = 0; i < s->functions.n; i += s->every) {
		const struct range *r = &s->functions.v[i];
		struct elf_sym sym = { .value = r->start,
			.size = (uint32_t)r->size };

		add_function(ps, ip_text_at(s->m, r->start), &sym, set);
	}
}

static void
add_call(const struct subject *s, struct points *ps, uint64_t vaddr, bool stays)
{
	const struct elf_sym *found = elf_syms_by_addr(s->es, vaddr);
	uint64_t func = vaddr, size = 0;
	struct elf_sym sym;

	if (found != NULL && found->size != 0) {
		func = found->value;
		size = found->size;
	} else {
		inproc_function_at(s->m, vaddr, &func, &size);
	}
	sym = (struct elf_sym){ .value = func, .size = (uint32_t)size };
	add_point(ps, &sym, vaddr);
	ps->v.v[ps->v.n - 1].stays = stays;
}

static void
find_calls(const struct subject *s, struct points *ps)
{
	struct inproc_syscalls calls = { 0 };

	inproc_find_syscalls(s->m, &calls);
	VEC_FOREACH(&calls.v, c) {
		add_call(s, ps, c->vaddr, true);
		if (c->has_next)
			add_call(s, ps, c->vaddr + INPROC_SYSCALL_LEN, false);
	}
	VEC_FREE(&calls.v);
}

/* Move points of Go behind the function's check of the stack, as for
 * processes. */
static void
move_entries(const struct subject *s, struct points *ps)
{
	VEC_FOREACH(&ps->v, p)
		p->vaddr = inproc_behind_check(s->m, p->vaddr);
}

/* ---- plans -------------------------------------------------------------- */

static void
print_bytes(const uint8_t *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		putchar(digits[bytes[i] >> 4]);
		putchar(digits[bytes[i] & 15]);
	}
}

static void
print_writes(const struct inproc_plan *plan)
{
	VEC_FOREACH(&plan->writes, w) {
		printf("w %" PRIx64 " ", w->at);
		print_bytes(w->old, w->len);
		putchar(' ');
		print_bytes(w->new, w->len);
		putchar('\n');
	}
}

static void
print_code(const struct inproc_plan *plan)
{
	VEC_FOREACH(&plan->texts, t) {
		printf("t %" PRIx64 " ", t->at);
		print_bytes((const uint8_t *)plan->code.s + t->off, t->len);
		putchar('\n');
	}
	VEC_FOREACH(&plan->moves, m) {
		if (m->to != 0) /* not for a call that ends the window */
			printf("m %" PRIx64 " %" PRIx64 " %d\n", m->from, m->to,
			    m->is_first);
	}
}

struct reason {
	const char *why;
	size_t n;
};

static void
print_fates(const struct subject *s, const struct inproc_plan *plan,
    const struct points *ps)
{
	VEC(struct reason) reasons = { 0 };

	for (size_t i = 0; i < ps->v.n; i++) {
		const char *why = plan->fates.v[i].why;
		struct reason *r = NULL;

		if (plan->fates.v[i].tactic != INPROC_REFUSED) {
			printf("p %zx %" PRIx64 " %d\n", i,
			    ps->v.v[i].vaddr + s->bias,
			    plan->fates.v[i].tactic);
			continue;
		}
		VEC_FOREACH(&reasons, known)
			r = strcmp(known->why, why) == 0 ? known : r;
		if (r != NULL)
			r->n++;
		else
			VEC_PUSH(&reasons, ((struct reason){ why, 1 }));
	}
	VEC_FOREACH(&reasons, r)
		printf("r %zx %s\n", r->n, r->why);
	VEC_FREE(&reasons);
}

/* Points of Go's threads have stacks of their own; any addresses serve. */
static void
init_space(const struct subject *s, struct inproc_space *space)
{
	uint64_t lo = 0x400000;

	inproc_space_init(space);
	if (s->bias != 0)
		lo = s->bias - BELOW;
	inproc_space_busy(space, lo, lo + ABOVE);
	if (inproc_is_go(s->m))
		space->stacks = (struct inproc_stacks){
			.owners = 0x600000000000,
			.base = 0x600000100000,
			.clock = 0x600000001000,
			.full = 0x600000001008,
			.nowhere = 0x600000001010,
			.unheard = 0x600000001028,
			.busy = 0x600000001018,
			.quiet = 0x600000001020,
			.n = 16,
		};
}

static void
print_plan(const struct subject *s, const char *mode, const struct points *ps)
{
	struct inproc_space space;
	struct inproc_plan plan;

	init_space(s, &space);
	inproc_plan(s->m, s->bias, ps->v.v, ps->v.n, &space, &plan);
	printf("mode %s\n", mode);
	print_writes(&plan);
	print_code(&plan);
	print_fates(s, &plan, ps);
	inproc_plan_fini(&plan);
	inproc_space_fini(&space);
}

static struct points
no_points(void)
{
	return (
	    struct points){ .body = { .emit = emit_id, .keeps_flags = true } };
}

static void
print_set(const struct subject *s, const char *mode, int set)
{
	struct points ps = no_points();

	find_set(s, set, &ps);
	if (set == ENTRIES)
		move_entries(s, &ps);
	print_plan(s, mode, &ps);
	VEC_FREE(&ps.v);
}

/* Keep so many functions that they have about `max` instructions, which are
 * four bytes long on average. */
static void
limit(struct subject *s, uint64_t max)
{
	uint64_t bytes = 0;

	VEC_FOREACH(&s->functions, f)
		bytes += f->size;
	s->every = max == 0 ? 1 : bytes / 4 / max + 1;
}

static void
print_plans(struct subject *s, uint64_t max)
{
	struct points calls = no_points();

	find_functions(s);
	s->every = 1;
	print_set(s, "entries", ENTRIES);
	print_set(s, "returns", RETURNS);
	find_calls(s, &calls);
	print_plan(s, "system calls", &calls);
	limit(s, max);
	print_set(s, "instructions", ALL);
	VEC_FREE(&calls.v);
	VEC_FREE(&s->functions);
}

static void
dump(int fd, const char *path, uint64_t max)
{
	struct subject s = { 0 };
	struct err err = { 0 };

	s.es = elf_syms_open(fd, path, "", &err);
	if (s.es != NULL)
		s.m = inproc_module_open(fd, s.es, &err);
	if (s.m == NULL) {
		printf("refused %s\n", err.text);
		err_clear(&err);
	} else {
		s.bias = elf_syms_is_fixed(s.es) ? 0 : PIE_BIAS;
		printf("file %" PRIx64 "\n", s.bias);
		print_plans(&s, max);
		inproc_module_close(s.m);
	}
	if (s.es != NULL)
		elf_syms_rele(s.es);
}

int
main(int argc, char **argv)
{
	uint64_t max = 0;
	bool has_debug = false;
	struct err err = { 0 };
	int fd, opt;

	while ((opt = getopt(argc, argv, "dn:")) != -1) {
		if (opt == 'n')
			max = strtoull(optarg, NULL, 10);
		else if (opt == 'd')
			has_debug = true;
		else
			return 2;
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: plan_dump [-d] [-n MAX] FILE\n");
		return 2;
	}
	if (x86_init(&err) != 0) {
		fprintf(stderr, "plan_dump: %s\n", err.text);
		return 1;
	}
	fd = open(argv[optind], O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		perror(argv[optind]);
		return 1;
	}
	dump(fd, has_debug ? argv[optind] : NULL, max);
	close(fd);
	return fflush(stdout) != 0;
}
